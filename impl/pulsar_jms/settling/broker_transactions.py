"""Transactions of the broker: sends and acknowledgements take part, and it ends them as one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from jmsapi import CompletionListener, JMSException, Message, TransactionRolledBackException
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.implements import implements
from pulsar_jms.messages import mark_sent
from pulsar_jms.producing.async_send import start_send
from pulsar_jms.settling.settlement import SessionDelivery
from pulsar_jms.settling.transactions import TransactedSession
from pulsar_jms.transport.transaction_marks import TransactionMark
from pulsar_jms.transport.transport_protocol import BrokerTransaction, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage

_LOG = logging.getLogger(__name__)

TIMEOUT = 60_000
"""Milliseconds after which the broker ends a transaction by itself; that of the real client."""
PATIENCE = 2_000
"""Milliseconds that the close of a session waits for the broker to end its transaction."""


@implements("JMS-TX-005")
class RealTransaction:
    """The open transaction of a session, begun at the broker when something first takes part.

    Sends take part at once, so that their messages have an id; acknowledgements at commit.
    """

    def __init__(self, session: TransactedSession) -> None:
        self._session = session
        self._open: BrokerTransaction | None = None
        self._mark = TransactionMark(session.settings)

    @implements("JMS-TX-002", "SLJ-TX-001", "JMS-ORD-003")
    def send(
        self,
        transport_producer: TransportProducer,
        outgoing: OutgoingMessage,
        message: Message,
        listener: CompletionListener | None = None,
    ) -> None:
        """Send; the broker shows the message to nobody before the commit."""
        self._mark.put(outgoing.properties)
        transaction = self._ensure_begun()
        if listener is None:
            mark_sent(message, transport_producer.send(outgoing, transaction))
        else:
            completions = self._session.completions
            start_send(completions, transport_producer, outgoing, message, listener, transaction)

    @implements("JMS-CONS-007")
    def leave(self, consumer: PulsarMessageConsumer) -> None:
        """Let what the closing consumer received take part: commit acknowledges it."""
        settlement = self._session.settlement
        if settlement.has_unacknowledged(consumer):
            settlement.acknowledge_consumer(consumer, self._ensure_begun())

    @implements(
        "JMS-TX-001", "JMS-TX-006", "JMS-ERR-010", "SLJ-TX-001", "SLJ-TX-006", "JMS-ASY-006"
    )
    def commit(self) -> None:
        """Commit; when the broker refuses, nothing has happened and the input comes again.

        `TransactionRolledBackException` in that case, any other `JMSException` when the outcome
        is unknown.
        """
        self._session.completions.wait()
        settlement = self._session.settlement
        deliveries = settlement.take_all()
        if self._open is None and not deliveries:
            return
        try:
            self._check(deliveries)
            transaction = self._with_acknowledgements(deliveries)
            self._check(deliveries)
            transaction.commit(self._given_up(deliveries))
        except TransactionRolledBackException:
            settlement.redeliver_at_once(deliveries)
            raise
        finally:
            self._next()

    @implements("JMS-TX-003", "JMS-TX-004", "JMS-TX-006", "SLJ-TX-002", "SLJ-TX-007", "JMS-ASY-006")
    def rollback(self) -> None:
        """Abort, and have what was received delivered again at once."""
        self._session.completions.wait()
        self._session.settlement.roll_back()
        self._abort()

    @implements("JMS-TX-007", "JMS-TX-008")
    def drop(self) -> None:
        """Abort: the session closes, and the broker takes back what was received."""
        self._session.completions.wait()
        try:
            self._abort(PATIENCE)
        except JMSException as error:
            _LOG.warning("%s; the session closes all the same", error.reason)

    def _check(self, deliveries: Sequence[SessionDelivery]) -> None:
        """`TransactionRolledBackException` when the transaction is not to be committed any more."""

    def _given_up(self, deliveries: Sequence[SessionDelivery]) -> Callable[[], bool] | None:
        """What says that nobody shall wait any longer for the broker's answer to a commit."""
        return None

    def _with_acknowledgements(self, deliveries: Iterable[SessionDelivery]) -> BrokerTransaction:
        """The transaction when all deliveries take part; aborted where one cannot."""
        try:
            transaction = self._ensure_begun()
            self._session.settlement.acknowledge_all(deliveries, transaction)
        except JMSException as error:
            self.drop()
            raise TransactionRolledBackException(
                f"What was received could not be made part of the transaction ({error.reason}); "
                "it is rolled back: nothing was sent, and what was received comes again"
            ) from error
        return transaction

    def _ensure_begun(self) -> BrokerTransaction:
        if self._open is None:
            self._open = self._session.client.transport.begin(TIMEOUT)
        return self._open

    def _abort(self, within: int | None = None) -> None:
        transaction = self._open
        self._next()
        if transaction is not None:
            transaction.abort(within)

    def _next(self) -> None:
        self._open = None
        self._mark.next()
