"""Asynchronous sends: what is told of them, when, and what others find of them (JMS 2.0, 7.3)."""
