"""Faults on purpose: proxies in front of a broker, signals to processes."""
