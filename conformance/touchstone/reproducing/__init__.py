"""From a verdict to a program in plain Java that shows the same, and a run of it."""
