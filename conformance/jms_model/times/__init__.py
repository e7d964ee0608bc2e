"""When messages have to come, and when they must not (JMS 2.0, 3.4.9, 3.4.13, 7.8 and 7.9)."""
