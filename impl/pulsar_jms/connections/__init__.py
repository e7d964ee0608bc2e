"""Connections: a client id, sessions, and one switch for delivery to all of them."""
