"""Which transaction a message was sent in: a number on the wire, and a way to route by it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, MutableMapping
from typing import Final

from pulsar_jms.configuration import Settings

MARK: Final = "JMSTX"
"""The raw property that numbers a transaction; read by nobody but those who route by it."""
_numbers = itertools.count(1)


class TransactionMark:
    """The number of the transaction that a session is in.

    The real client's first transaction of a session has none, unless messages are routed by it.
    """

    def __init__(self, settings: Settings) -> None:
        self._number: int | None = None
        if settings.sticky_partitions:
            self.next()

    def put(self, properties: MutableMapping[str, str]) -> None:
        """Write it into the raw properties of a message that is sent."""
        if self._number is not None:
            properties[MARK] = str(self._number)

    def next(self) -> None:
        """The next transaction begins."""
        self._number = next(_numbers)


def transaction_partition(properties: Mapping[str, str], partitions: int) -> int:
    """The partition of all messages of a transaction (jms.transactionsStickyPartitions)."""
    return int(properties[MARK]) % partitions
