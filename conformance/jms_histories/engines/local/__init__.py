"""Verifies on this machine, by processes of its own."""
