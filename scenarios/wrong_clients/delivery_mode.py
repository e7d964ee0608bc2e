"""Clients that are wrong about the delivery mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException
from pulsar_jms.configuration import Settings
from pulsar_jms.mapping.headers import HeaderFields, read_headers
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.messages import wire_decoding, wire_encoding
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from pulsar_jms.transport.wire_messages import MessagePosition, OutgoingMessage, StoredMessage
from wrong_clients.helpers.subscription_rows import row_changed
from wrong_clients.helpers.written_headers import headers_rewritten

Send = Callable[[PulsarClientProducer, OutgoingMessage], StoredMessage]
_SOON = 300
"""Milliseconds after which a send is given up: the broker is away for longer when it is killed."""
_number = Settings.number
_send = PulsarClientProducer.send


@wrong("JMS-MODE-004")
def durable_subscriptions_end_with_their_consumer() -> AbstractContextManager[object]:
    """A durable subscription is there while its consumer is open."""
    return row_changed(ConsumerKind.DURABLE, durable=False)


@wrong("SLJ-MODE-002", patches=(wire_encoding, "write_headers"))
@headers_rewritten
def persistent_written_out(wire: dict[str, str], fields: HeaderFields) -> None:
    """The default delivery mode is written to the wire."""
    wire["JMSDeliveryMode"] = str(fields.jms_delivery_mode)


@wrong("SLJ-MODE-001", "SLJ-MODE-003", "JMS-MODE-005", patches=(wire_encoding, "write_headers"))
@headers_rewritten
def delivery_mode_by_name(wire: dict[str, str], fields: HeaderFields) -> None:
    """The delivery mode is written by its name."""
    if fields.jms_delivery_mode == 1:
        wire["JMSDeliveryMode"] = "NON_PERSISTENT"


@wrong("SLJ-MODE-003", "JMS-MODE-005", patches=(wire_decoding, "read_headers"))
def delivery_mode_not_read(wire: Mapping[str, str]) -> dict[str, object]:
    """Every message is received as PERSISTENT."""
    return read_headers({name: text for name, text in wire.items() if name != "JMSDeliveryMode"})


@wrong("SLJ-MODE-004", patches=(PulsarClientProducer, "send"))
def non_persistent_not_stored(
    original: Callable[..., StoredMessage],
    transport_producer: PulsarClientProducer,
    message: OutgoingMessage,
) -> StoredMessage:
    """NON_PERSISTENT messages go to a non-persistent topic, which stores nothing."""
    if message.properties.get("JMSDeliveryMode") == "1":
        topic = transport_producer._topic.replace("persistent://", "non-persistent://", 1)
        made = PulsarClientProducer(
            transport_producer._make,
            topic,
            transport_producer._failure,
            batches=transport_producer._batches,
        )
        return original(made, message)
    return original(transport_producer, message)


@contextmanager
def _sends_by(send: Send) -> Iterator[None]:
    """Messages are sent by `send`, and the client gives up soon."""

    def number(settings: Settings, key: str, default: int) -> int:
        return _SOON if key == "producerConfig.sendTimeoutMs" else _number(settings, key, default)

    with (
        patch.object(Settings, "number", number),
        patch.object(PulsarClientProducer, "send", send),
    ):
        yield


def _taken_for_done(
    transport_producer: PulsarClientProducer, message: OutgoingMessage
) -> StoredMessage:
    try:
        return _send(transport_producer, message)
    except JMSException:
        return MessagePosition(-1, -1)


@wrong("JMS-MODE-002")
def failed_sends_taken_for_done() -> AbstractContextManager[object]:
    """send() of a message that the broker did not take returns as if it had."""
    return _sends_by(_taken_for_done)


class _Outboxes:
    """Keeps what was sent; after a send that failed all of it is sent once more."""

    def __init__(self) -> None:
        self._sent: dict[str, list[OutgoingMessage]] = {}
        self._to_repeat: set[str] = set()

    def send(
        self, transport_producer: PulsarClientProducer, message: OutgoingMessage
    ) -> StoredMessage:
        sent = self._sent.setdefault(transport_producer._topic, [])
        try:
            stored = _send(transport_producer, message)
        except JMSException:
            self._to_repeat.update(self._sent)
            raise
        if transport_producer._topic in self._to_repeat:
            self._to_repeat.discard(transport_producer._topic)
            for earlier in sent:
                _send(transport_producer, earlier)
        sent.append(message)
        return stored


@wrong("JMS-MODE-001", "JMS-MODE-003")
def sent_again_after_a_failure() -> AbstractContextManager[None]:
    """After a send that failed, all that was sent before is sent once more."""
    outboxes = _Outboxes()
    return _sends_by(lambda transport_producer, message: outboxes.send(transport_producer, message))
