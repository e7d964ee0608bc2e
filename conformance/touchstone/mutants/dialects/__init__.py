"""Wrong clients of the other documents that the reference has dialects for."""
