"""Wrong clients by area, which the scenarios must notice."""
