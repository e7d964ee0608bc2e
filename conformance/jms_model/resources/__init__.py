"""Rules of what a factory makes, as far as no message is delivered (JMS 2.0, chapters 4 to 8)."""
