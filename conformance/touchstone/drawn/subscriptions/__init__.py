"""Drawn programs on the subscriptions that an administrator of Pulsar sees."""
