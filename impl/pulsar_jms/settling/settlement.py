"""How a session acknowledges and redelivers what it delivered, by its mode.

The pure bookkeeping is `UnacknowledgedDeliveries`; here it meets messages, consumers and broker.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from jmsapi import (
    IllegalStateException,
    JMSException,
    MessageFormatException,
    MessageListener,
)
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.implements import implements
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.mapping.session_modes import AcknowledgedAt, Covers
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.messages.decoding import delivery_failure, describe_delivered, has_body_as
from pulsar_jms.settling.settling_session import SettlingSession
from pulsar_jms.settling.unacknowledged import UnacknowledgedDeliveries, UnacknowledgedDelivery
from pulsar_jms.transport.transport_protocol import BrokerTransaction, DeliveredMessage
from pulsar_jms.transport.wire_messages import MessagePosition

_LOG = logging.getLogger(__name__)
_AGAIN = 1.0
"""Seconds until a nack that failed is tried again."""
_BY_DELIVERY = (AcknowledgedAt.DELIVERY, AcknowledgedAt.DELIVERY_UNAWAITED)

SessionDelivery = UnacknowledgedDelivery[PulsarMessageConsumer, DeliveredMessage]


class Settlement:
    """The deliveries of one session and their acknowledgement; shares the session's lock."""

    def __init__(self, session: SettlingSession) -> None:
        self._session = session
        self._lock = session.lock
        self._unacknowledged: UnacknowledgedDeliveries[PulsarMessageConsumer, DeliveredMessage] = (
            UnacknowledgedDeliveries()
        )
        row = session.mode_row
        self._acknowledged_at = row.at
        self._call_covers = row.call_covers
        self._acknowledges_itself = row.at in _BY_DELIVERY

    # -- delivery ------------------------------------------------------------------------------

    @implements("JMS-ACK-003", "JMS-CTX-012..014")
    def deliver(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, kind: type | None
    ) -> PulsarMessage | None:
        """The message for the caller of receive(), who holds the session's lock.

        None when the consumer's message filter kept it back.

        With `kind` its body must be given as that, else `MessageFormatException`; in a session that
        acknowledges by itself the next call then finds the message as before (JMS 2.0, 8.6).
        """
        try:
            if self._is_filtered_out(consumer, delivered):
                return None
            message = consumer.decode(delivered)
            if kind is None or has_body_as(message, kind):
                self._note_handed_out(consumer, delivered)
                self._settle_received(consumer, delivered, message)
                return message
            if self._acknowledges_itself:
                consumer.receive_queue.put_back(delivered)
            else:
                self._note_handed_out(consumer, delivered)
                self._record(consumer, delivered, message)
        except BaseException as error:
            self.redeliver_failed(consumer, delivered, error)
            if isinstance(error, JMSException) or not isinstance(error, Exception):
                raise
            raise delivery_failure(delivered, error) from error
        raise MessageFormatException(
            f"The body of {message.jms_message_id} ({message.KIND.value}) cannot be given as "
            f"{kind.__name__}"
        )

    @implements("JMS-ACK-004", "JMS-LSN-004..007")
    def deliver_to_listener(
        self,
        consumer: PulsarMessageConsumer,
        delivered: DeliveredMessage,
        listener: MessageListener,
    ) -> None:
        """Call a listener; what the application did not handle in AUTO or DUPS_OK comes again.

        What the listener raises ends here; what else is raised is for `redeliver_failed`.
        """
        if self._is_filtered_out(consumer, delivered):
            return
        message = consumer.decode(delivered)
        self._note_handed_out(consumer, delivered)
        with self._lock:
            delivery = self._record(consumer, delivered, message)
        try:
            listener(message)
        except BaseException:  # sys.exit() as well: this thread serves others, too
            _LOG.exception(
                "The listener of the %r failed with %s", consumer, message.jms_message_id
            )
            if self._acknowledges_itself:
                with self._lock:
                    taken = self._unacknowledged.take(delivery)
                if taken:
                    rejected = partial(consumer.redelivery.redeliver_rejected, halt=True)
                    self._nack(consumer, [delivered], rejected)
            return
        if not self._acknowledges_itself:
            return
        with self._lock:
            if not self._unacknowledged.take(delivery):
                return
        if self._acknowledged_at is AcknowledgedAt.DELIVERY_UNAWAITED:
            self._acknowledge_async(consumer, delivered)
        else:
            consumer.receive_queue.acknowledge(delivered)

    def redeliver_failed(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, error: BaseException
    ) -> None:
        """Log the error that a message met with, and have the message delivered again.

        The application did not get it. It comes again by the redelivery rules, and becomes a dead
        letter at last.
        """
        foreign = not isinstance(error, JMSException)
        _LOG.error("%s", delivery_failure(delivered, error), exc_info=error if foreign else None)
        with self._lock:
            self._unacknowledged.take_where(lambda delivery: delivery.item is delivered)
        timeout = consumer.settings.ack_timeout
        if timeout:
            action = partial(
                self._nack, consumer, [delivered], consumer.redelivery.redeliver_timed_out
            )
            self._session.client.timer.after(timeout / 1000, action)
        else:
            self._redeliver_failed(consumer, delivered)

    def _redeliver_failed(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage
    ) -> None:
        """Have it delivered again; what fails here is tried again."""
        try:
            consumer.redelivery.redeliver_failed(delivered)
        except Exception as error:
            _LOG.exception(
                "%s cannot be negatively acknowledged; it is tried again",
                describe_delivered(delivered),
            )
            self._session.report(delivery_failure(delivered, error))
            action = partial(self._redeliver_failed, consumer, delivered)
            self._session.client.timer.after(_AGAIN, action)

    def _nack(
        self,
        consumer: PulsarMessageConsumer,
        items: Sequence[DeliveredMessage],
        how: Callable[[Sequence[DeliveredMessage]], None],
    ) -> None:
        """Nack by one of the ways of `Redelivery`; where that fails, as undelivered."""
        try:
            how(items)
        except Exception as error:
            for item in items:
                self.redeliver_failed(consumer, item, error)
                self._session.report(delivery_failure(item, error))

    def _settle_received(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, message: PulsarMessage
    ) -> None:
        if self._acknowledged_at is AcknowledgedAt.DELIVERY:
            consumer.receive_queue.acknowledge_latest(delivered)
            message.acknowledger = self._acknowledge_nothing
        elif self._acknowledged_at is AcknowledgedAt.DELIVERY_UNAWAITED:
            self._acknowledge_async(consumer, delivered)
            message.acknowledger = self._acknowledge_nothing
        else:
            self._record(consumer, delivered, message)

    def _is_filtered_out(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage
    ) -> bool:
        """Whether the message is not for the application, and is settled accordingly."""
        repeats = consumer.redelivery.repeats
        if repeats.active and repeats.is_repeat(delivered):
            if self._acknowledges_itself:
                self._acknowledge_async(consumer, delivered)
            else:
                consumer.receive_queue.ignore(delivered)
            return True
        if consumer.redelivery.dead_letter_if_exceeded(delivered):
            return True
        filter_result = consumer.message_filter.filter_result(delivered.message)
        if filter_result is FilterResult.DELIVERED:
            return False
        if filter_result is FilterResult.ACKNOWLEDGED:
            self._acknowledge_async(consumer, delivered)
        elif filter_result is FilterResult.NACKED:
            consumer.redelivery.redeliver_filtered(delivered)
        return True

    def _note_handed_out(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage
    ) -> None:
        if consumer.redelivery.repeats.active:
            consumer.redelivery.repeats.note_handed_out(delivered)

    def unacknowledged_of(self, consumer: PulsarMessageConsumer) -> list[DeliveredMessage]:
        """What the application got from this consumer and nobody settled, oldest first."""
        with self._lock:
            return [delivery.item for delivery in self._unacknowledged.of(consumer)]

    def unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that the application got and nobody settled."""
        with self._lock:
            return {delivery.item.message.position for delivery in self._unacknowledged.all()}

    @implements("JMS-ACK-007", "JMS-ACK-008", "JMS-REDL-012")
    def forget(self, consumer: PulsarMessageConsumer) -> None:
        """Drop what a closing consumer had; the broker delivers it to others."""
        self._unacknowledged.take_where(lambda delivery: delivery.consumer is consumer)

    def _connection_epoch(self, consumer: PulsarMessageConsumer) -> int:
        """Which connection to the broker a delivery belongs to.

        Always 0: this dialect ignores reconnections.
        """
        return 0

    def _record(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, message: PulsarMessage
    ) -> SessionDelivery:
        delivery = self._unacknowledged.record(
            consumer, delivered, self._connection_epoch(consumer)
        )
        message.acknowledger = (
            self._acknowledge_nothing
            if self._call_covers is Covers.NOTHING
            else partial(self._acknowledge, delivery)
        )
        timeout = consumer.settings.ack_timeout
        if timeout:
            action = partial(self._time_out, delivery)
            self._session.client.timer.after(timeout / 1000, action)
        return delivery

    # -- settling ------------------------------------------------------------------------------

    def acknowledge_call(self) -> None:
        """Acknowledge everything delivered so far, if the mode leaves that to the application."""
        if self._call_covers is not Covers.NOTHING:
            self.acknowledge()

    def acknowledge(self) -> None:
        """Acknowledge everything delivered so far."""
        self.acknowledge_all(self.take_all())

    def find_disconnected_consumer(self) -> PulsarMessageConsumer | None:
        """A consumer with unacknowledged deliveries that the broker would not hear of now."""
        with self._lock:
            consumers = self._unacknowledged.consumers()
        return next(
            (
                consumer
                for consumer in consumers
                if not consumer.receive_queue.transport_consumer.is_connected()
            ),
            None,
        )

    @implements("JMS-REDL-005", "JMS-REDL-006", "JMS-REDL-015", "SLJ-REDL-015", "SLJ-REDL-017")
    def recover(self) -> None:
        """Deliver again what is unacknowledged, the oldest first, after the usual wait."""
        for consumer, items in _group_by_consumer(self.take_all()):
            self._nack(consumer, items, partial(consumer.redelivery.redeliver_rejected, halt=True))

    def roll_back(self) -> None:
        """Deliver again, at once, what was delivered."""
        self.redeliver_at_once(self.take_all())

    def redeliver_at_once(self, deliveries: Iterable[SessionDelivery]) -> None:
        """Deliver again, at once and before anything else, what was taken out."""
        for consumer, items in _group_by_consumer(deliveries):
            self._nack(consumer, items, consumer.redelivery.redeliver_rolled_back)

    def has_unacknowledged(self, consumer: PulsarMessageConsumer) -> bool:
        """Whether deliveries of this consumer are unsettled."""
        with self._lock:
            return bool(self._unacknowledged.of(consumer))

    def acknowledge_consumer(
        self, consumer: PulsarMessageConsumer, within: BrokerTransaction
    ) -> None:
        """Acknowledge what this consumer received as part of a transaction."""
        with self._lock:
            taken = self._unacknowledged.take_where(lambda delivery: delivery.consumer is consumer)
        self.acknowledge_all(taken, within)

    def take_all(self) -> list[SessionDelivery]:
        """Take out everything, oldest first, for the caller to settle."""
        with self._lock:
            return self._unacknowledged.take_all()

    @implements("JMS-ACK-006")
    def _acknowledge_nothing(self, message: PulsarMessage) -> None:
        """Do nothing: the session's mode acknowledges by itself."""
        self._session.check_open()

    @implements("JMS-ACK-001", "JMS-ACK-002", "JMS-ACK-009")
    def _acknowledge(self, delivery: SessionDelivery, message: PulsarMessage) -> None:
        """Acknowledge what a call on this delivery's message covers in the session's mode."""
        self._session.check_open()
        if delivery.consumer.closed:
            raise IllegalStateException(
                f"The {delivery.consumer!r} is closed; {message.jms_message_id} went back to the "
                "broker and comes again"
            )
        with self._lock:
            if self._call_covers is Covers.ONE:
                taken = [delivery] if self._unacknowledged.take(delivery) else []
            elif self._call_covers is Covers.ALL:
                taken = self._unacknowledged.take_all()
            else:
                taken = self._unacknowledged.take_through(delivery.number)
        self.acknowledge_all(taken)

    @implements("JMS-REDL-007")
    def acknowledge_all(
        self, deliveries: Iterable[SessionDelivery], within: BrokerTransaction | None = None
    ) -> None:
        """Acknowledge what was taken out, as part of a transaction where one is given.

        All are tried; then the first `JMSException` is raised.
        """
        failed: JMSException | None = None
        for delivery in deliveries:
            try:
                delivery.consumer.receive_queue.acknowledge(delivery.item, within)
            except JMSException as error:
                failed = failed or error
            except Exception as error:
                if within is None:
                    self.redeliver_failed(delivery.consumer, delivery.item, error)
                failed = failed or delivery_failure(delivery.item, error)
        if failed is not None:
            raise failed

    def _acknowledge_async(
        self, consumer: PulsarMessageConsumer, delivered: DeliveredMessage
    ) -> None:
        consumer.receive_queue.transport_consumer.acknowledge_async(
            delivered, _log_failed_acknowledgement
        )
        consumer.receive_queue.note_settled()

    def _time_out(self, delivery: SessionDelivery) -> None:
        with self._lock:
            if self._session.closed or not self._unacknowledged.take(delivery):
                return
        consumer = delivery.consumer
        self._nack(consumer, [delivery.item], consumer.redelivery.redeliver_timed_out)


def _log_failed_acknowledgement(error: JMSException) -> None:
    _LOG.error("%s; the message may be delivered again", error.reason)


def _group_by_consumer(
    deliveries: Iterable[SessionDelivery],
) -> Iterable[tuple[PulsarMessageConsumer, list[DeliveredMessage]]]:
    groups: defaultdict[PulsarMessageConsumer, list[DeliveredMessage]] = defaultdict(list)
    for delivery in deliveries:
        groups[delivery.consumer].append(delivery.item)
    return groups.items()
