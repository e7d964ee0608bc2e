"""Drawn programs on JMS messages as Pulsar messages, in both directions."""
