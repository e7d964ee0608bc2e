"""Fuzzing: hostile inputs for every decoder, and what becomes of them (docs/fuzzing.md)."""
