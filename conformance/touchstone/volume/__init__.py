"""Verifying large histories: engines, plans, the report."""
