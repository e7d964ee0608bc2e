"""The brokers of a run: the option that names them, and the set that its workers share."""
