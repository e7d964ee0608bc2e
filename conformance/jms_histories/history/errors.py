"""What can be wrong with a history."""

from __future__ import annotations

from touchstone.errors import HarnessError


class HistoryError(HarnessError):
    """A history, or what it is made from, cannot be used: nothing may be concluded from it."""
