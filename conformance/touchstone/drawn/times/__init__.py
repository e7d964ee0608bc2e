"""Drawn programs on delays and times to live."""
