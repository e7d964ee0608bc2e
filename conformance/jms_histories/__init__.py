"""Histories of large workloads, and the checks over them (docs/volume.md)."""
