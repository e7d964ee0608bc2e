"""What can go wrong with histories: each error says what happened, on which object, what to do."""

from __future__ import annotations


class HistoriesError(Exception):
    """The root of all; `hint` is one sentence of advice, or empty."""

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}\n  hint: {self.hint}" if self.hint else self.what


class HistoryError(HistoriesError):
    """A history, or what it is made from, cannot be used: nothing may be concluded from it."""


class UsageError(HistoriesError):
    """What was asked for does not exist or does not fit together."""


class VerificationError(HistoriesError):
    """Memory, disk or a process did not suffice: nothing was judged."""
