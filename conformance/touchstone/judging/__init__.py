"""The pytest side of judging: which items, which outcome, which verdict lines."""
