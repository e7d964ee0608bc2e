"""Threads of tests that are not meant to end by an error."""

from __future__ import annotations


def unexpected(name: str, error: BaseException) -> None:
    """Fail on the thread, where pytest sees it."""
    raise AssertionError(f"the thread {name} ended") from error
