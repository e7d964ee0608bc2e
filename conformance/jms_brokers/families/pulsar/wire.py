"""Messages as they lie on the broker: read over admin REST, sent by a plain Pulsar client.

The client under test takes no part in either. The plain client reads only where an HTTP header
cannot carry what REST answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace

import httpx
import pulsar

from jms_brokers.errors import BrokerError, NotAsExpected
from jms_brokers.families.pulsar.admin import topic_of
from jms_brokers.families.pulsar.client import IndependentClient
from jms_brokers.families.pulsar.entry import RawMessage, decode_entry, may_be_lossy, positions
from jms_brokers.families.pulsar.rest import PulsarRest, TopicName
from jms_brokers.families.pulsar.schema import Schema, send_with_schema
from jms_brokers.machine.polling import until
from jmsapi import Destination

_IMPATIENT = 2
"""Seconds for an operation that is expected to be refused."""


_TOO_LARGE = 500
"""What the broker answers when the headers, which carry the properties, pass Jetty's limit."""


class PulsarWire:
    """The independent client's view of one broker."""

    def __init__(self, rest: PulsarRest, client: IndependentClient, namespace: str) -> None:
        self._rest = rest
        self._client = client
        self._namespace = namespace

    def topic(self, destination: Destination | str) -> str:
        """The full name of the topic behind a destination or a name."""
        return str(topic_of(destination, self._namespace))

    def messages(self, destination: Destination | str) -> list[RawMessage]:
        """Every message that the broker keeps, in order, partition after partition."""
        topic = topic_of(destination, self._namespace)
        return [m for number, part in self._parts(topic) for m in self._of(part, number)]

    def only_message(self, destination: Destination | str, within: float = 10.0) -> RawMessage:
        """The only message, once there is one; NotAsExpected when there are none or several."""
        __tracebackhide__ = True
        topic = self.topic(destination)
        messages = until(lambda: self.messages(topic), within)
        if len(messages) != 1:
            raise NotAsExpected(f"{len(messages)} messages on {topic}, where one was expected")
        return messages[0]

    def send(
        self,
        destination: Destination | str,
        payload: bytes | None,
        properties: Mapping[str, str] | None = None,
        key: str | bytes | None = None,
        event_time: int | None = None,
        schema: Schema | None = None,
    ) -> RawMessage:
        """Send by the plain client and read the message back from the broker.

        With a `schema` the payload is what that makes of a value; the schema is registered. A key
        of bytes needs one, and travels in Base64.
        """
        topic = self.topic(destination)
        if schema is not None:
            number, part = self._parts(topic_of(topic, self._namespace))[0]
            ledger, entry = send_with_schema(
                self._rest.address,
                str(part),
                schema,
                payload,
                dict(properties or {}),
                key,
                event_time,
            )
            (message,) = self._entry(part, ledger, entry, number)
            return message
        if isinstance(key, bytes):
            raise ValueError("a key of bytes is for messages with a schema: give it as a text")
        sent = self._client.send(topic, payload, dict(properties or {}), key, event_time)
        name = TopicName(topic, self._namespace)
        part = name.partition(sent.partition()) if sent.partition() >= 0 else name
        (message,) = self._entry(part, sent.ledger_id(), sent.entry_id(), sent.partition())
        return message

    def received(
        self, destination: Destination | str, subscription: str, count: int = 1
    ) -> list[RawMessage]:
        """The next `count` messages of a subscription, consumed by the plain client.

        A subscription that does not exist yet begins at the first message. Fewer than `count`
        when no further one comes within ten seconds; `BrokerError` when the broker refuses.
        """
        return [
            _raw(message)
            for message in self._client.received(self.topic(destination), subscription, count)
        ]

    def received_until(
        self, destination: Destination | str, subscription: str, last: bytes
    ) -> list[RawMessage]:
        """The messages of a subscription up to the first with the payload `last`, without it.

        A subscription that does not exist yet begins at the first message. All that there are when
        the last one does not come within ten seconds; `BrokerError` when the broker refuses.
        """
        messages = self._client.received(
            self.topic(destination),
            subscription,
            math.inf,
            is_last=lambda message: message.data() == last,
        )
        return [_raw(message) for message in messages if message.data() != last]

    def send_all(
        self,
        destination: Destination | str,
        messages: Sequence[tuple[bytes | None, Mapping[str, str], str | None]],
    ) -> None:
        """Send payloads with properties and keys, in order, by the plain client."""
        given = [(payload, dict(told), key) for payload, told, key in messages]
        self._client.send_all(self.topic(destination), given)

    def send_batch(
        self, destination: Destination | str, *messages: tuple[bytes, Mapping[str, str]]
    ) -> list[RawMessage]:
        """Send payloads with properties as one batch by the plain client, to a topic of its own.

        Gives the messages that the topic then holds; `BrokerError` when they are no batch.
        """
        topic = self.topic(destination)
        self._client.send_batch(topic, [(payload, dict(told)) for payload, told in messages])
        held = self.messages(topic)
        if len({message.message_id.rpartition(":")[0] for message in held}) != 1:
            raise BrokerError(
                f"{topic} does not hold one batch: {[message.message_id for message in held]}",
                hint="Was something sent there before?",
            )
        return held

    def subscribe(self, destination: Destination | str, subscription: str) -> None:
        """Open and close a consumer of the plain client; `BrokerError` when the broker refuses.

        The plain client asks again while it has patience, so an impatient one does this.
        """
        with closing(self._client.with_patience(_IMPATIENT)) as client:
            client.subscribe(self.topic(destination), subscription)

    def _parts(self, topic: TopicName) -> list[tuple[int, TopicName]]:
        count = self._rest.partitions(topic)
        return [(n, topic.partition(n)) for n in range(count)] or [(-1, topic)]

    def _of(self, topic: TopicName, partition: int) -> list[RawMessage]:
        answer = self._rest.request("GET", f"{topic.path}/internalStats", accept=(404,))
        if not answer.is_success:
            return []
        return [
            message
            for ledger, entry in positions(answer.json())
            for message in self._entry(topic, ledger, entry, partition)
        ]

    def _entry(
        self, topic: TopicName, ledger: int, entry: int, partition: int
    ) -> tuple[RawMessage, ...]:
        answer = self._answer(f"{topic.path}/ledger/{ledger}/entry/{entry}")
        if answer is None:
            return (_raw(self._client.read(str(topic), ledger, entry, partition)),)
        messages = decode_entry(answer, ledger, entry, partition)
        if not may_be_lossy(answer):
            return messages
        read = _raw(self._client.read(str(topic), ledger, entry, partition))
        return tuple(
            replace(message, properties=read.properties, key=read.key) for message in messages
        )

    def _answer(self, path: str) -> httpx.Response | None:
        """The broker's answer with an entry; None where its headers cannot carry the properties."""
        try:
            answer = self._rest.request("GET", path, accept=(_TOO_LARGE,))
        except BrokerError as error:
            # Pulsar 3.0 makes headers of their names, whatever these are.
            if isinstance(error.__cause__, httpx.RemoteProtocolError):
                return None
            raise
        return None if answer.status_code == _TOO_LARGE else answer


def _raw(message: pulsar.Message) -> RawMessage:
    """A message as the plain client reads it; it does not give the sequence id."""
    where = message.message_id()
    return RawMessage(
        message_id=f"{where.ledger_id()}:{where.entry_id()}:{where.partition()}",
        properties=dict(message.properties()),
        payload=message.data(),
        null_value=message.has_null_value(),
        key=message.partition_key() or None,
        event_time=message.event_timestamp(),
        sequence_id=-1,
        publish_time=message.publish_timestamp(),
        partition=where.partition(),
    )
