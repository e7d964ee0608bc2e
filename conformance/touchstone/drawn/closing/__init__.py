"""Drawn programs on stop() and close() while listeners are at work and receives wait."""
