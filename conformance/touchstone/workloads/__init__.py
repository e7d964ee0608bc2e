"""Workloads: many producers and consumers at once, recorded and judged as one history."""
