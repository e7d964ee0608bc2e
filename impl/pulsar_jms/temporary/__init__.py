"""Temporary destinations, and sending to them."""
