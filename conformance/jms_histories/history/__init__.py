"""Histories: what a workload's producers and consumers saw, recorded, sealed and read."""
