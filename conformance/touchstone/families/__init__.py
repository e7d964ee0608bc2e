"""Families of brokers: a folder each, and what several share beside them."""
