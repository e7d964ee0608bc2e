"""Brokers that scenarios run on: embedded, in a container, or somebody's own."""
