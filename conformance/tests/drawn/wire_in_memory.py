"""The messages of the reference as raw messages, without a broker; they can be changed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

from jms_model.answers import Answer, Raised
from jms_model.pulsar_wire.looks import NUMBER
from jms_model.pulsar_wire.sent import Known, MessageToSend
from jmsapi import Destination, Message, Queue, Topic
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from pulsar_jms.mapping.destinations import create_queue, create_topic
from pulsar_jms.messages import convert, decode
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.message_factory import MessageFactory
from pulsar_jms.temporary.temporary_destinations import PulsarTemporaryQueue, PulsarTemporaryTopic
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition, OutgoingMessage
from touchstone.drawn.driving import answer_of
from touchstone.drawn.pulsar_wire.exchange import Form
from touchstone.drawn.pulsar_wire.sending import WireSender

NAMESPACE = "public/default"


@dataclass(frozen=True)
class RawMessage:
    """A message as a broker keeps it."""

    properties: Mapping[str, str]
    payload: bytes
    null_value: bool
    key: str | None
    sequence_id: int = -1
    partition: int = -1


Change = Callable[[RawMessage], Sequence[RawMessage]]
"""What a wrong client makes of a raw message, when it writes it or before it reads it."""


def unchanged(raw: RawMessage) -> Sequence[RawMessage]:
    return [raw]


class _Producer(PulsarMessageProducer):
    """Sends at once, and tells its listener before it comes back."""

    def send(self, message: Message, *, completion_listener: Any = None, **given: Any) -> None:
        super().send(message, **given)
        if completion_listener is not None:
            completion_listener.on_completion(message)


class _Session(MessageFactory):
    """A session or a context whose producers write into a list."""

    closed = False
    failure = transaction = None
    settings = SimpleNamespace(namespace=NAMESPACE)

    def __init__(self, topic: InMemory, sender: str, *, is_context: bool) -> None:
        self._topic = topic
        self.connection_id = sender
        self._is_context = is_context
        self.completions = SimpleNamespace(wait=lambda: None)
        self.client = SimpleNamespace(hold=lambda *_: None, release=lambda *_: None)

    def create_queue(self, name: str) -> Queue:
        """The queue of this name."""
        return create_queue(name)

    def create_topic(self, name: str) -> Topic:
        """The topic of this name."""
        return create_topic(name)

    def create_temporary_queue(self) -> Queue:
        """A queue as a connection makes it."""
        owner: Any = None
        return PulsarTemporaryQueue(f"persistent://{NAMESPACE}/temporary-q", owner)

    def create_temporary_topic(self) -> Topic:
        """The same of topics."""
        owner: Any = None
        return PulsarTemporaryTopic(f"persistent://{NAMESPACE}/temporary-t", owner)

    def check_open(self) -> None:
        """It is."""

    def check_no_completion(self, what: str) -> None:
        """No completion listener is the caller."""

    def convert_message(self, message: Message) -> Any:
        """All are its own."""
        return convert(message)

    def create_producer(self, destination: Any = None) -> Any:
        """A producer of the API."""
        session: Any = self
        made = _Producer(session, destination)
        return PulsarJMSProducer(made) if self._is_context else made

    def transport_producer(self, destination: object) -> _Session:
        """All destinations are one."""
        return self

    def commit(self) -> None:
        """What was sent is there already."""

    def send(self, message: OutgoingMessage) -> MessagePosition:
        """It is kept."""
        return self._topic.keep(message)


def topic_of(destination: Any) -> str:
    if isinstance(destination, str):
        return full_name(destination)
    name: str = getattr(destination, "queue_name", None) or destination.topic_name
    begin, mark, rest = name.rpartition("://")
    return full_name(f"{begin}{mark}{rest.partition(':')[0]}")


def full_name(name: str) -> str:
    return name if "://" in name else f"persistent://{NAMESPACE}/{name}"


@dataclass
class InMemory:
    """A destination of one program."""

    writes: Change = unchanged
    reads: Change = unchanged
    reads_again: Change = unchanged
    """Before it reads what comes again, besides."""
    writes_onward: Change = unchanged
    """When it writes what was received, besides."""
    kept: list[RawMessage] = field(default_factory=list)
    counts: tuple[int, int] = (0, 1)
    """The redelivery counts of the first and of the second delivery."""

    def __post_init__(self) -> None:
        self._sender = WireSender(self._opened, topic_of)
        self._sender.goes_to(create_queue("own"))
        self._entries = itertools.count()

    def _opened(self, sender: str, is_context: bool, _: bool) -> Any:
        return _Session(self, sender, is_context=is_context)

    def keep(self, message: OutgoingMessage) -> MessagePosition:
        """What the client writes."""
        raw = RawMessage(
            dict(message.properties),
            message.payload or b"",
            message.payload is None,
            message.partition_key,
        )
        self.kept += self.writes(raw)
        return MessagePosition(1, next(self._entries))

    def send(self, number: int, sent: MessageToSend) -> Known:
        return self._sender.send(number, sent)

    def send_on(self, message: Message, sent: MessageToSend, known: Known) -> Known:
        before = len(self.kept)
        known_after = self._sender.send_on(message, sent, known)
        self.kept[before:] = [
            each for raw in self.kept[before:] for each in self.writes_onward(raw)
        ]
        return known_after

    def examples(self, sent: Sequence[MessageToSend]) -> Mapping[int, RawMessage]:
        other = InMemory(self.writes)
        for number, each in enumerate(sent):
            answer_of(partial(other.send, number, each))
        return {int(each.properties[NUMBER]): each for each in other.kept}

    def send_raw(self, messages: Sequence[Form]) -> None:
        self.kept += [
            RawMessage(told, body or b"", body is None, key) for body, told, key in messages
        ]

    def full_name(self, name: str) -> str:
        return full_name(name)

    def end(self) -> None:
        """There is nothing to wait for."""

    def raw(self) -> Sequence[RawMessage]:
        return self.kept

    def topic_of(self, destination: Destination) -> str:
        return topic_of(destination)

    def received(self) -> Iterator[Answer]:
        return self._delivered(self.counts[0])

    def again(self, count: int) -> Iterator[Answer]:
        return self._delivered(self.counts[1], self.reads_again)

    def bodies(self, kinds: Sequence[type]) -> Iterator[Answer]:
        for answer, kind in zip(self.received(), kinds, strict=False):
            if isinstance(answer, Raised):
                yield answer
                return
            message: Any = answer.value
            yield answer_of(partial(message.get_body, kind))

    def close(self) -> None:
        """Nothing is open."""

    def _delivered(self, count: int, also: Change = unchanged) -> Iterator[Answer]:
        for number, kept in enumerate(self.kept):
            for raw in (each for read in self.reads(kept) for each in also(read)):
                incoming = IncomingMessage(
                    raw.payload,
                    raw.null_value,
                    raw.properties,
                    MessagePosition(1, number),
                    raw.key,
                    redelivery_count=count,
                )
                yield answer_of(partial(decode, incoming, create_queue("own")))
