"""Clients broken on purpose: each the reference with one decision changed."""
