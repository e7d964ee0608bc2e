"""Judging the reference with one generated change, by the scenarios that reach the change."""
