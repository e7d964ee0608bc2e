"""The JMS clients that can be driven from Python, each by the same interface, and wrong ones."""
