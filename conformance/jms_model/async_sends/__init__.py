"""Asynchronous sends: what is reported of them, when, and what others find (JMS 2.0, 7.3)."""
