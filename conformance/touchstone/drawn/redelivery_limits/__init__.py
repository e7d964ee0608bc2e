"""Drawn programs on redelivery limits: settings of factories, and messages that fail."""
