"""Histories that are made, not recorded: legal, of any size, with anomalies planted on purpose."""
