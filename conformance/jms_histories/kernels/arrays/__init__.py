"""Arrays: sorted rows in segments, interned numbers, running values, times in groups."""
