"""Drawn programs on the modes of sessions, those of vendors among them."""
