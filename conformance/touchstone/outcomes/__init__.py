"""From how a scenario ended to its verdict lines: pure functions, one step a module."""
