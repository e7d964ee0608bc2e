"""Drawn programs on credentials: a factory's own, and those of a login."""
