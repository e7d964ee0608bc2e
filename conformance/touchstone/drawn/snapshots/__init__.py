"""Drawn programs on browsers that take snapshots, of connections with limits."""
