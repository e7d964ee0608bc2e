"""The workloads, by subject."""
