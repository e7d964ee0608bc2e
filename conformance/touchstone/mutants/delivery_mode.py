"""Clients that are wrong about the delivery mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from unittest.mock import patch

from jmsapi import JMSException
from pulsar_jms.configuration import Settings
from pulsar_jms.mapping.headers import HeaderFields, read_headers
from pulsar_jms.messages import wire_decoding
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from pulsar_jms.transport.wire_messages import MessagePosition, OutgoingMessage, StoredMessage
from touchstone.mutants.headers import headers_rewritten
from touchstone.mutants.registry import Mutant


def _always_written(wire: dict[str, str], fields: HeaderFields) -> None:
    wire["JMSDeliveryMode"] = str(fields.jms_delivery_mode)


def _by_name(wire: dict[str, str], fields: HeaderFields) -> None:
    if fields.jms_delivery_mode == 1:
        wire["JMSDeliveryMode"] = "NON_PERSISTENT"


def _not_read(wire: Mapping[str, str]) -> dict[str, object]:
    return read_headers({name: text for name, text in wire.items() if name != "JMSDeliveryMode"})


_send = PulsarClientProducer.send


def _by_delivery_mode(
    transport_producer: PulsarClientProducer, message: OutgoingMessage
) -> StoredMessage:
    if message.properties.get("JMSDeliveryMode") == "1":
        topic = transport_producer._topic.replace("persistent://", "non-persistent://", 1)
        made = PulsarClientProducer(
            transport_producer._make,
            topic,
            transport_producer._failure,
            batches=transport_producer._batches,
        )
        return _send(made, message)
    return _send(transport_producer, message)


_number = Settings.number
_SOON = 300
"""Milliseconds after which a send is given up: the broker is away for longer when it is killed."""
Send = Callable[[PulsarClientProducer, OutgoingMessage], StoredMessage]


@contextmanager
def _sending(send: Send) -> Iterator[None]:
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


def _repeating() -> AbstractContextManager[None]:
    outboxes = _Outboxes()
    return _sending(lambda transport_producer, message: outboxes.send(transport_producer, message))


PERSISTENT_WRITTEN_OUT = Mutant(
    name="persistent-written-out",
    area="delivery-mode",
    violates=("SLJ-MODE-002",),
    doc="The default delivery mode is written to the wire.",
    apply=headers_rewritten(_always_written),
)
DELIVERY_MODE_BY_NAME = Mutant(
    name="delivery-mode-by-name",
    area="delivery-mode",
    violates=("SLJ-MODE-001", "SLJ-MODE-003", "JMS-MODE-005"),
    doc="The delivery mode is written by its name.",
    apply=headers_rewritten(_by_name),
)
DELIVERY_MODE_NOT_READ = Mutant(
    name="delivery-mode-not-read",
    area="delivery-mode",
    violates=("SLJ-MODE-003", "JMS-MODE-005"),
    doc="Every message is received as PERSISTENT.",
    apply=partial(patch.object, wire_decoding, "read_headers", _not_read),
)
NON_PERSISTENT_NOT_STORED = Mutant(
    name="non-persistent-not-stored",
    area="delivery-mode",
    violates=("SLJ-MODE-004",),
    doc="NON_PERSISTENT messages go to a non-persistent topic, which stores nothing.",
    apply=partial(patch.object, PulsarClientProducer, "send", _by_delivery_mode),
)
FAILED_SENDS_TAKEN_FOR_DONE = Mutant(
    name="failed-sends-taken-for-done",
    area="delivery-mode",
    violates=("JMS-MODE-002",),
    doc="send() of a message that the broker did not take returns as if it had.",
    apply=partial(_sending, _taken_for_done),
)
SENT_AGAIN_AFTER_A_FAILURE = Mutant(
    name="sent-again-after-a-failure",
    area="delivery-mode",
    violates=("JMS-MODE-001", "JMS-MODE-003"),
    doc="After a send that failed, all that was sent before is sent once more.",
    apply=_repeating,
)
