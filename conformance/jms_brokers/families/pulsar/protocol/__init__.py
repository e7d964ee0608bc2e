"""Pulsar's binary protocol: what is read and written without a client of Pulsar."""
