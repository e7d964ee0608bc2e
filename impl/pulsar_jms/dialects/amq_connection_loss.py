"""What a lost connection does to unacknowledged messages and to transactions.

"Using the AMQ JMS Client, 7.1. Handling unacknowledged deliveries" says it.

Pulsar itself would let both survive: it acknowledges by message ids, which outlive connections, and
its transactions belong to no connection. The document says otherwise, so each delivery and each
producer that took part in a transaction is held against the moment of the last loss.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from jmsapi import CompletionListener, JMSException, Message, TransactionRolledBackException
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.implements import implements
from pulsar_jms.settling.broker_transactions import PATIENCE, RealTransaction
from pulsar_jms.settling.settlement import SessionDelivery, Settlement
from pulsar_jms.settling.transactions import TransactedSession
from pulsar_jms.transport.transport_protocol import BrokerTransaction, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage

_LOG = logging.getLogger(__name__)

_MOMENT = 1.0
"""Seconds in which the client notes the end of a connection on which something has failed."""


def is_lost(delivery: SessionDelivery) -> bool:
    """Whether the connection by which the message came is gone: the broker delivers it again."""
    return delivery.consumer.receive_queue.transport_consumer.lost_at() != delivery.connection_epoch


def _proves_lost(deliveries: Sequence[SessionDelivery]) -> bool:
    """Whether a connection is lost; waits a moment, as what failed by that is reported first."""
    end = time.monotonic() + _MOMENT
    while not any(is_lost(delivery) or _is_away(delivery) for delivery in deliveries):
        if time.monotonic() >= end:
            return False
        time.sleep(0.005)
    return True


def _is_away(delivery: SessionDelivery) -> bool:
    return not delivery.consumer.receive_queue.transport_consumer.is_connected()


class ConnectionLossSettlement(Settlement):
    """Acknowledges and nacks only what the broker still counts as delivered here."""

    def _connection_epoch(self, consumer: PulsarMessageConsumer) -> int:
        return consumer.receive_queue.transport_consumer.lost_at()

    @implements("AMQ-FAIL-015", "AMQ-FAIL-016")
    def acknowledge_all(
        self, deliveries: Iterable[SessionDelivery], within: BrokerTransaction | None = None
    ) -> None:
        """Acknowledge what is not lost; a loss meanwhile is no failure.

        In a transaction a failure is: it makes the commit fail.
        """
        kept = self._without_lost(deliveries)
        try:
            super().acknowledge_all(kept, within)
        except JMSException as error:
            if within is not None or not _proves_lost(kept):
                raise
            _LOG.info("%s; the message comes again", error.reason)

    def recover(self) -> None:
        """Deliver again what is not lost; the broker does so with the rest, unasked."""
        with self._lock:
            lost = self._unacknowledged.take_where(is_lost)
        self._without_lost(lost)
        super().recover()

    def redeliver_at_once(self, deliveries: Iterable[SessionDelivery]) -> None:
        """Deliver again, at once, what is not lost; the broker does so with the rest."""
        super().redeliver_at_once(self._without_lost(deliveries))

    def holds_any(self) -> bool:
        """Whether the application has messages that are not acknowledged."""
        with self._lock:
            return len(self._unacknowledged) > 0

    def has_lost_any(self) -> bool:
        """Whether the connection of a message that is not acknowledged was lost."""
        with self._lock:
            return any(map(is_lost, self._unacknowledged))

    def _without_lost(self, deliveries: Iterable[SessionDelivery]) -> list[SessionDelivery]:
        kept = []
        for delivery in deliveries:
            if is_lost(delivery):
                delivery.consumer.receive_queue.ignore(delivery.item)
            else:
                kept.append(delivery)
        return kept


class ConnectionLossTransaction(RealTransaction):
    """A transaction of the broker that fails when a connection which took part in it is lost.

    One loss is forgiven: during the first send of a transaction that received nothing before. An
    asynchronous send counts from its beginning.
    """

    def __init__(self, session: TransactedSession) -> None:
        super().__init__(session)
        self._session = session
        self._transport_producers: dict[TransportProducer, int] = {}
        """What sent in the transaction, and when its connection was lost last before that."""
        self._failed = False

    @implements("AMQ-FAIL-006", "AMQ-FAIL-007", "AMQ-FAIL-008")
    def send(
        self,
        transport_producer: TransportProducer,
        outgoing: OutgoingMessage,
        message: Message,
        listener: CompletionListener | None = None,
    ) -> None:
        """Send in the transaction, also when it has failed: its messages go with it."""
        opens = (
            not self._transport_producers and not self._settlement.holds_any() and listener is None
        )
        before = transport_producer.lost_at()
        super().send(transport_producer, outgoing, message, listener)
        self._transport_producers.setdefault(
            transport_producer, transport_producer.lost_at() if opens else before
        )

    def leave(self, consumer: PulsarMessageConsumer) -> None:
        """Note whether the connection was lost, before the closing consumer is forgotten."""
        self._failed = self._failed or self._settlement.has_lost_any()
        super().leave(consumer)

    def rollback(self) -> None:
        """Abort; where the connection was lost, without waiting long for the broker."""
        if not self._is_lost(()) and not self._settlement.has_lost_any():
            super().rollback()
            return
        self._session.completions.wait()
        self._settlement.roll_back()
        self._give_up()

    @property
    def _settlement(self) -> ConnectionLossSettlement:
        settlement = self._session.settlement
        assert isinstance(settlement, ConnectionLossSettlement)
        return settlement

    @implements("AMQ-FAIL-009", "AMQ-FAIL-010", "AMQ-FAIL-019", "AMQ-FAIL-020", "AMQ-FAIL-021")
    def _check(self, deliveries: Sequence[SessionDelivery]) -> None:
        """A transaction whose connection was lost is rolled back instead of committed."""
        if not self._is_lost(deliveries):
            return
        self._give_up()
        raise TransactionRolledBackException(
            "The connection to the broker was lost during the transaction, which is rolled back: "
            "nothing was sent or acknowledged; send its messages again, and receive again what "
            "was received"
        )

    @implements("AMQ-FAIL-012", "AMQ-FAIL-013", "AMQ-FAIL-024", "AMQ-FAIL-025")
    def _given_up(self, deliveries: Sequence[SessionDelivery]) -> Callable[[], bool]:
        """A commit in flight fails as soon as its connection is lost."""
        return partial(self._is_lost, deliveries)

    def _is_lost(self, deliveries: Sequence[SessionDelivery]) -> bool:
        return (
            self._failed
            or any(
                transport_producer.lost_at() != before
                for transport_producer, before in self._transport_producers.items()
            )
            or any(map(is_lost, deliveries))
        )

    def _give_up(self) -> None:
        """Abort; where the broker is away, it hears of that when the client is back."""
        try:
            self._abort(PATIENCE)
        except JMSException as error:
            _LOG.info("%s; the client tells it again when it is connected", error.reason)

    def _next(self) -> None:
        super()._next()
        self._transport_producers.clear()
        self._failed = False
