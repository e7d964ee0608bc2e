"""Producers: checking a send, encoding it, and sending it with or without waiting."""

from __future__ import annotations

import time
from typing import Protocol

from jmsapi import (
    DEFAULT_DELIVERY_DELAY,
    DEFAULT_DELIVERY_MODE,
    DEFAULT_PRIORITY,
    DEFAULT_TIME_TO_LIVE,
    CompletionListener,
    Destination,
    IllegalStateException,
    JMSException,
    Message,
    MessageFormatException,
    UnsupportedOperationException,
)
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.closing import ContextManaged
from pulsar_jms.configuration import Settings
from pulsar_jms.implements import implements
from pulsar_jms.mapping.delivery_mode import check_delivery_mode
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic, own_destination
from pulsar_jms.mapping.headers import check_priority
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
    SendParameters,
    encode,
    mark_sent,
)
from pulsar_jms.messages.wire_encoding import mirror_headers
from pulsar_jms.producing.async_send import start_send
from pulsar_jms.producing.completions import Completions
from pulsar_jms.transport.transport_protocol import TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage

_OWN = frozenset(
    {
        PulsarMessage,
        PulsarTextMessage,
        PulsarBytesMessage,
        PulsarMapMessage,
        PulsarStreamMessage,
        PulsarObjectMessage,
    }
)


class SendingTransaction(Protocol):
    """What a transaction does with a send."""

    def send(
        self,
        transport_producer: TransportProducer,
        outgoing: OutgoingMessage,
        message: Message,
        listener: CompletionListener | None = None,
    ) -> None:
        """Send in the transaction; with a listener return at once and report the outcome to it."""
        ...


class ProducerSession(Protocol):
    """What a producer needs of its session."""

    @property
    def client(self) -> BrokerClient: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def connection_id(self) -> str:
        """What JMSConnectionID of the messages says."""
        ...

    def transport_producer(self, destination: PulsarQueue | PulsarTopic) -> TransportProducer:
        """The way to a destination, which the session uses until it closes."""
        ...

    @property
    def closed(self) -> bool: ...
    @property
    def failure(self) -> IllegalStateException | None:
        """Why it cannot go on, if one of its threads ended by an error."""
        ...

    @property
    def completions(self) -> Completions: ...
    @property
    def transaction(self) -> SendingTransaction | None:
        """The open transaction; None where the session is not transacted."""
        ...

    def convert_message(self, message: Message) -> PulsarMessage:
        """Convert a message of another JMS provider to an own one (JMS 2.0, section 3.12)."""
        ...

    def check_no_completion(self, what: str) -> None:
        """`IllegalStateException` when a completion listener of this session is the caller."""
        ...


@implements("API-PROD-001..015")
class PulsarMessageProducer(ContextManaged):
    """One producer of a session; closing it leaves the broker connection to others."""

    def __init__(
        self, session: ProducerSession, destination: PulsarQueue | PulsarTopic | None
    ) -> None:
        self._session = session
        self._destination = destination
        self._namespace = session.settings.namespace
        self._connection_id = session.connection_id
        self._transport_producer: TransportProducer | None = None
        """The way to the producer's own destination, once it was used."""
        self._closed = False
        self._delivery_mode = int(DEFAULT_DELIVERY_MODE)
        self._priority = DEFAULT_PRIORITY
        self._time_to_live = DEFAULT_TIME_TO_LIVE
        self._delivery_delay = DEFAULT_DELIVERY_DELAY
        self._disable_message_id = False
        self._disable_message_timestamp = False

    def __repr__(self) -> str:
        return f"producer for {self._destination!r}"

    @property
    def destination(self) -> Destination | None:
        """The destination that the producer was made for, None where each send names one."""
        self._check_open()
        return self._destination

    @property
    @implements("JMS-HDR-009")
    def disable_message_id(self) -> bool:
        """A hint without effect: the broker numbers every message."""
        self._check_open()
        return self._disable_message_id

    @disable_message_id.setter
    def disable_message_id(self, value: bool) -> None:
        self._check_open()
        self._disable_message_id = bool(value)

    @property
    @implements("JMS-HDR-012")
    def disable_message_timestamp(self) -> bool:
        """Whether messages travel without the time of sending."""
        self._check_open()
        return self._disable_message_timestamp

    @disable_message_timestamp.setter
    def disable_message_timestamp(self, value: bool) -> None:
        self._check_open()
        self._disable_message_timestamp = bool(value)

    @property
    def delivery_mode(self) -> int:
        """PERSISTENT or NON_PERSISTENT; travels with the message, stored alike."""
        self._check_open()
        return self._delivery_mode

    @delivery_mode.setter
    def delivery_mode(self, value: int) -> None:
        self._check_open()
        self._delivery_mode = check_delivery_mode(value)

    @property
    def priority(self) -> int:
        """0 to 9; travels with the message."""
        self._check_open()
        return self._priority

    @priority.setter
    def priority(self, value: int) -> None:
        self._check_open()
        self._priority = check_priority(value)

    @property
    def time_to_live(self) -> int:
        """Milliseconds until the message expires; 0 means never."""
        self._check_open()
        return self._time_to_live

    @time_to_live.setter
    def time_to_live(self, value: int) -> None:
        self._check_open()
        self._time_to_live = _check_milliseconds("time_to_live", value)

    @property
    @implements("JMS-DLY-006")
    def delivery_delay(self) -> int:
        """Milliseconds before the message may be delivered."""
        self._check_open()
        return self._delivery_delay

    @delivery_delay.setter
    def delivery_delay(self, value: int) -> None:
        self._check_open()
        self._delivery_delay = _check_milliseconds("delivery_delay", value)

    @implements("JMS-HDR-004", "JMS-HDR-010", "JMS-PROD-003..005", "JMS-CONN-003")
    def send(
        self,
        message: Message,
        *,
        destination: Destination | None = None,
        delivery_mode: int | None = None,
        priority: int | None = None,
        time_to_live: int | None = None,
        completion_listener: CompletionListener | None = None,
    ) -> None:
        """Send `message`; with a completion listener return at once (JMS 2.0, section 7.3).

        `destination` is needed exactly where the producer has none, else
        `UnsupportedOperationException`; what is None is taken from the producer's settings.
        """
        self._check_open()
        own = self._convert(message)
        target = self._target(destination)
        sending = SendParameters(
            target,
            time.time_ns() // 1_000_000,
            self._delivery_mode if delivery_mode is None else check_delivery_mode(delivery_mode),
            self._priority if priority is None else check_priority(priority),
            self._time_to_live
            if time_to_live is None
            else _check_milliseconds("time_to_live", time_to_live),
            self._delivery_delay,
            not self._disable_message_timestamp,
        )
        session = self._session
        outgoing = encode(own, sending, self._connection_id, self._namespace)
        if own is not message:
            mirror_headers(own, message)
        transport_producer = self._transport_producer
        if transport_producer is None:
            transport_producer = session.transport_producer(target)
            if self._destination is not None:
                self._transport_producer = transport_producer
                session.client.hold(session, transport_producer)
        if session.transaction is not None:
            session.transaction.send(transport_producer, outgoing, message, completion_listener)
        elif completion_listener is None:
            mark_sent(message, transport_producer.send(outgoing))
        else:
            start_send(
                session.completions, transport_producer, outgoing, message, completion_listener
            )

    @implements("JMS-ASY-007")
    def close(self) -> None:
        """Close; waits for asynchronous sends."""
        self._session.check_no_completion("close the producer")
        if self._closed:
            return
        self._closed = True
        self._session.completions.wait()
        if self._transport_producer is not None:
            self._session.client.release(self._session, self._transport_producer)

    def _convert(self, message: Message) -> PulsarMessage:
        """`message` as one of this client's; the common case is seen from its class alone."""
        if type(message) in _OWN:
            return message  # type: ignore[return-value]
        if not isinstance(message, Message):
            raise MessageFormatException(f"{message!r} is no message")
        return self._session.convert_message(message)

    @implements("JMS-PROD-001", "JMS-PROD-002")
    def _target(self, destination: Destination | None) -> PulsarQueue | PulsarTopic:
        """The destination of a send; `UnsupportedOperationException` for two of them or none."""
        own = self._destination
        if own is None:
            if destination is None:
                raise UnsupportedOperationException(
                    "This producer was made without a destination: each send must name one"
                )
            return own_destination(destination)
        if destination is not None:
            raise UnsupportedOperationException(
                f"This producer was made for {own!r}: a send may not name a destination"
            )
        return own

    def _check_open(self) -> None:
        if self._closed or self._session.closed:
            raise self._session.failure or IllegalStateException(f"The {self!r} is closed")


def _check_milliseconds(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise JMSException(f"{name} {value!r} is not allowed: milliseconds of 0 or more are")
    return int(value)
