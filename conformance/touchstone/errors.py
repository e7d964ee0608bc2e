"""Faults of the harness and of the set-up of a client: no verdicts (a broker has its own errors).

Each error says what happened, on which object, and, as its hint, what to do.
"""

from __future__ import annotations

from jms_brokers.errors import HintedError


class HarnessError(HintedError):
    """The harness or its data are at fault: a catalogue, a deviation, a setting, a results file."""


class UsageError(HarnessError):
    """What the user asked for does not exist or does not fit together."""


class ProviderError(HintedError):
    """A client under test cannot be found, loaded or opened."""


class ClientError(Exception):
    """What a client under test threw although JMS has no such exception: it speaks against it."""


class NotInThisVersion(Exception):
    """A call that the client's version of JMS has not got: nobody can ask that of the client."""

    def __init__(self, *what: str) -> None:
        """`what` are the calls, or what is told of them."""
        super().__init__(*what)
        self.what = ", ".join(what)

    def __str__(self) -> str:
        return f"the client is one of JMS 1.1, which lacks this: {self.what}"


NotTheClients = HintedError | NotInThisVersion
"""What speaks against no client, although it ended what the client was to do."""
