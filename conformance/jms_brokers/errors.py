"""What goes wrong with a broker, and the root of all errors and warnings that give advice."""

from __future__ import annotations


class HintedError(Exception):
    """What happened, on which object; `hint` is one sentence of advice, or empty."""

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}\n  hint: {self.hint}" if self.hint else self.what


class BrokerError(HintedError):
    """A broker does not start, does not answer, or does not allow what is asked of it."""


class BrokenDistribution(UserWarning):
    """What somebody's distribution registers cannot be loaded: whoever needs it lacks it."""


class NotAsExpected(AssertionError):
    """What was waited for or looked at is not as it had to be: it speaks against the client."""
