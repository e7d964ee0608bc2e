"""The plan for large histories: every row once, a second look at the messages not told right."""
