"""Sessions: they make everything else, and start, stop and close it."""
