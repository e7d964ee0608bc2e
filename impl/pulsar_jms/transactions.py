"""What a transacted session does with sends and acknowledgements, and the emulated way of it.

An emulated transaction is none of the broker: sends wait in the client for commit, and so do
acknowledgements. A failure in the middle of a commit leaves messages sent and the input
unacknowledged, so that nothing is lost and something may be seen twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from jmsapi import CompletionListener, JMSException, Message, TransactionRolledBackException
from pulsar_jms.configuration import Settings
from pulsar_jms.messages import mark_sent
from pulsar_jms.transport.interface import OutgoingMessage, Outlet, Transport

if TYPE_CHECKING:
    from pulsar_jms.consumer import PulsarMessageConsumer
    from pulsar_jms.session import PulsarSession


class SessionTransaction(Protocol):
    """The open transaction of a session; a new one begins where one ends."""

    def send(
        self,
        outlet: Outlet,
        outgoing: OutgoingMessage,
        message: Message,
        listener: CompletionListener | None = None,
    ) -> None:
        """Send in the transaction; with a listener return at once and tell it the outcome."""
        ...

    def leave(self, consumer: PulsarMessageConsumer) -> None:
        """Note that a consumer closes; its deliveries are forgotten afterwards."""
        ...

    def commit(self) -> None:
        """Make sends visible and acknowledge deliveries.

        `TransactionRolledBackException` when nothing was committed and the deliveries come again;
        any other `JMSException` says what is known.
        """
        ...

    def rollback(self) -> None:
        """Drop the sends, and have what was delivered delivered again."""
        ...

    def drop(self) -> None:
        """End without a commit: the session closes, its consumers do so afterwards."""
        ...


class EmulatedTransaction:
    """A transaction without the broker's help."""

    def __init__(self, session: PulsarSession) -> None:
        self._session = session
        self._sends: list[tuple[Outlet, OutgoingMessage, Message]] = []

    def send(
        self,
        outlet: Outlet,
        outgoing: OutgoingMessage,
        message: Message,
        listener: CompletionListener | None = None,
    ) -> None:
        """Keep a send until commit; its message has no id before that.

        A listener is told at once that the send is completed: it is part of the transaction.
        """
        self._sends.append((outlet, outgoing, message))
        if listener is not None:
            self._session.completions.expect(listener.on_completion, message)()

    def leave(self, consumer: PulsarMessageConsumer) -> None:
        """Nothing: what a closing consumer received goes back to the broker."""

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


def check_transactions(settings: Settings, transport: Transport) -> None:
    """`JMSException` when neither kind of transaction is configured and possible."""
    if settings.flag("jms.emulateTransactions", False):
        return
    if not settings.flag("enableTransaction", False):
        raise JMSException(
            "A transacted session needs enableTransaction=true, or jms.emulateTransactions=true "
            "for transactions without the broker's"
        )
    if not transport.has_transactions:
        raise JMSException(
            "A transacted session with enableTransaction=true needs the java transport: "
            'pulsar-client has no transactions. Make the factory with transport="java", or set '
            "jms.emulateTransactions=true"
        )
