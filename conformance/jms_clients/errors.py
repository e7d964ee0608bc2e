"""What goes wrong with a client that is driven from here."""

from __future__ import annotations

from jms_brokers.errors import HintedError


class ProviderError(HintedError):
    """A client cannot be found, loaded or opened, or what is said of it does not fit together."""


class ClientError(Exception):
    """What a client threw although JMS has no such exception: it speaks against it."""


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
