"""What a transacted session does with sends and acknowledgements, and the emulated way of it.

An emulated transaction is none of the broker: acknowledgements wait for commit, sends do not. What
was sent stays sent, whatever happens afterwards, and a failure in the middle of a commit leaves
the rest of the input unacknowledged, so that nothing is lost and something may be seen twice
(SLJ-TX-010 to -012).
"""

from __future__ import annotations

from typing import Protocol

from jmsapi import CompletionListener, JMSException, Message, TransactionRolledBackException
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.implements import implements
from pulsar_jms.messages import mark_sent
from pulsar_jms.producing.async_send import start_send
from pulsar_jms.producing.completions import Completions
from pulsar_jms.producing.producer import SendingTransaction
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transaction_marks import TransactionMark
from pulsar_jms.transport.transport_protocol import Transport, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage


class TransactedSession(Protocol):
    """What a transaction needs of its session."""

    @property
    def client(self) -> BrokerClient: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def completions(self) -> Completions: ...
    @property
    def settlement(self) -> Settlement: ...


class SessionTransaction(SendingTransaction, Protocol):
    """The open transaction of a session; a new one begins where one ends."""

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

    def __init__(self, session: TransactedSession) -> None:
        self._session = session
        settings = session.settings
        self._mark = TransactionMark(settings) if settings.sticky_partitions else None

    @implements("SLJ-TX-010", "JMS-ORD-003")
    def send(
        self,
        transport_producer: TransportProducer,
        outgoing: OutgoingMessage,
        message: Message,
        listener: CompletionListener | None = None,
    ) -> None:
        """Send at once: there is nothing that could hold it back or take it back."""
        if self._mark is not None:
            self._mark.put(outgoing.properties)
        if listener is None:
            mark_sent(message, transport_producer.send(outgoing))
        else:
            start_send(self._session.completions, transport_producer, outgoing, message, listener)

    def leave(self, consumer: PulsarMessageConsumer) -> None:
        """Nothing: what a closing consumer received goes back to the broker."""

    @implements("SLJ-TX-011", "JMS-ASY-006", "JMS-ERR-010")
    def commit(self) -> None:
        """Wait for asynchronous sends, then acknowledge what was received.

        `TransactionRolledBackException` when the broker cannot be reached.
        """
        self._session.completions.wait()
        settlement = self._session.settlement
        lost = settlement.find_disconnected_consumer()
        if lost is not None:
            settlement.roll_back()
            raise TransactionRolledBackException(
                f"The {lost!r} is not connected to the broker, which therefore does not hear of "
                "this commit: what was received comes again, what was sent stays sent"
            )
        settlement.acknowledge()
        self._next()

    @implements("SLJ-TX-012", "JMS-TX-004", "JMS-ASY-006")
    def rollback(self) -> None:
        """Have what was received delivered again; what was sent stays sent."""
        self._session.completions.wait()
        self._session.settlement.roll_back()
        self._next()

    def drop(self) -> None:
        """Nothing: the session closes, and the broker takes back what was received."""

    def _next(self) -> None:
        if self._mark is not None:
            self._mark.next()


@implements("SLJ-TX-003", "SLJ-TX-008")
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
