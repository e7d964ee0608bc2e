"""Benchmarks of the project: `make bench`. Each compares in one run and prints a table."""
