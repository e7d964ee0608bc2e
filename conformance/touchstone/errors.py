"""Three families of faults that are not verdicts: the harness, the broker, and the client's set-up.

Each error says what happened, on which object, and, as its hint, what to do.
"""

from __future__ import annotations


class TouchstoneError(Exception):
    """The root of the three families; `hint` is one sentence of advice, or empty."""

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}\n  hint: {self.hint}" if self.hint else self.what


class HarnessError(TouchstoneError):
    """The harness or its data are at fault: a catalogue, a deviation, a setting, a results file."""


class UsageError(HarnessError):
    """What the user asked for does not exist or does not fit together."""


class BrokerError(TouchstoneError):
    """A broker does not start, does not answer, or does not allow what the run needs."""


class ProviderError(TouchstoneError):
    """A client under test cannot be found, loaded or opened."""


class ClientError(Exception):
    """What a client under test threw although JMS has no such exception: it speaks against it."""


class NotInThisVersion(Exception):
    """A call that the client's version of JMS has not got: nobody can ask that of the client."""


class NotAsExpected(AssertionError):
    """What was waited for or looked at is not as it had to be: it speaks against the client."""
