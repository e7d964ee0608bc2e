"""The adapter that drives a client written in Java."""
