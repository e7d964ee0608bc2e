"""Transactions that the broker ends while the client is in them, whatever the broker.

Where a broker lets its administrator do it, that aborts them. Elsewhere a transaction belongs to a
connection, and the broker rolls it back when that is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.machine.polling import until
from jms_brokers.shared.probe import EndsTransactions
from jmsapi import Queue
from touchstone.outcomes.endings import not_applicable
from touchstone.scenario.faults import Faults
from touchstone.scenario.under_test import UnderTest

_NOTED_WITHIN = 30.0


class EndedTransactions(Protocol):
    """What has the broker roll a transaction back."""

    @property
    def jms(self) -> UnderTest:
        """The client whose transactions can be ended."""
        ...

    def end(self, queue: Queue, told: Callable[[], object]) -> None:
        """End the open transaction that has sent to `queue`.

        `told` is true when the client has told somebody of a lost connection. NOT-APPLICABLE where
        the broker has no such transaction: then the client only imitates them.
        """
        ...


class AbortedTransactions:
    """Those that an administrator ends."""

    def __init__(self, jms: UnderTest, administrator: EndsTransactions) -> None:
        self.jms = jms
        self._administrator = administrator

    def end(self, queue: Queue, told: Callable[[], object]) -> None:
        """Abort it; the connection stays."""
        if not self._administrator.abort_transactions(queue):
            not_applicable("The broker has no transaction of this client that it could end")


class LostTransactions:
    """Those that end with the connection, which a proxy breaks."""

    def __init__(self, faults: Faults, jms_at: Callable[[BrokerAddress], UnderTest]) -> None:
        self._proxy, address = faults.byte_proxy()
        self.jms = jms_at(address)

    def end(self, queue: Queue, told: Callable[[], object]) -> None:
        """Cut it, and return when the client has noticed: it has told so, or comes back."""
        before = self._proxy.accepted
        self._proxy.cut()
        until(lambda: told() or self._proxy.accepted > before, _NOTED_WITHIN)
