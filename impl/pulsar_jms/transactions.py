"""Transactions emulated by the client: sends wait for commit, and so do acknowledgements.

It is no transaction of the broker: a failure in the middle of a commit leaves messages sent and
the input unacknowledged, so that nothing is lost and something may be seen twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jmsapi import JMSException, Message, TransactionRolledBackException
from pulsar_jms.messages import mark_sent
from pulsar_jms.transport.interface import OutgoingMessage, Outlet

if TYPE_CHECKING:
    from pulsar_jms.session import PulsarSession


class EmulatedTransaction:
    """The open transaction of a session; a new one begins where one ends."""

    def __init__(self, session: PulsarSession) -> None:
        self._session = session
        self._sends: list[tuple[Outlet, OutgoingMessage, Message]] = []

    def send(self, outlet: Outlet, outgoing: OutgoingMessage, message: Message) -> None:
        """Keep a send until commit; its message has no id before that."""
        self._sends.append((outlet, outgoing, message))

    def commit(self) -> None:
        """Send in order, then acknowledge; `TransactionRolledBackException` when a send fails."""
        sends, self._sends = self._sends, []
        for done, (outlet, outgoing, message) in enumerate(sends):
            try:
                stored = outlet.send(outgoing)
            except JMSException as error:
                self._session.settlement.roll_back()
                raise TransactionRolledBackException(
                    f"The commit failed after {done} of {len(sends)} sends ({error.reason}); the "
                    "rest is dropped and what was received comes again"
                ) from error
            mark_sent(message, stored)
        self._session.settlement.acknowledge()

    def rollback(self) -> None:
        """Drop the sends and have what was received delivered again."""
        self._sends.clear()
        self._session.settlement.roll_back()

    def drop(self) -> None:
        """Drop the sends: the session closes, and the broker takes back what was received."""
        self._sends.clear()
