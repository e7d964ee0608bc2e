"""Faults of the machine and of the harness, injected into runs of a small catalogue.

Whatever breaks, nothing that was judged may be lost, nobody accused, and nothing left behind.
"""
