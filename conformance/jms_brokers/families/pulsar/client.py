"""A plain Pulsar client of the harness's own: sends, and proves that a broker works."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import _pulsar
import pulsar

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError


class IndependentClient:
    """A plain Pulsar client of the harness's own, opened when first needed."""

    def __init__(self, address: BrokerAddress, patience: int = 10) -> None:
        """A client for `address`; an operation may take `patience` seconds."""
        self._address = address
        self._patience = patience
        self._opened: pulsar.Client | None = None

    @property
    def client(self) -> pulsar.Client:
        """The plain client."""
        if self._opened is None:
            options: dict[str, Any] = {
                "logger": pulsar.ConsoleLogger(_pulsar.LoggerLevel.Error),
                "operation_timeout_seconds": self._patience,
            }
            if self._address.token:
                options["authentication"] = pulsar.AuthenticationToken(self._address.token)
            if self._address.trust_certificate:
                options["tls_trust_certs_file_path"] = self._address.trust_certificate
            self._opened = pulsar.Client(self._address.service_url, **options)
        return self._opened

    def send(
        self,
        topic: str,
        payload: bytes | None,
        properties: dict[str, str],
        key: str | None = None,
        event_time: int | None = None,
    ) -> pulsar.MessageId:
        """Send one message, not in a batch; `BrokerError` when the broker does not take it."""
        options: dict[str, Any] = {"properties": properties}
        if key is not None:
            options["partition_key"] = key
        if event_time is not None:
            options["event_timestamp"] = event_time
        try:
            producer = self.client.create_producer(topic, batching_enabled=False)
            try:
                sent: pulsar.MessageId = producer.send(payload, **options)
                return sent
            finally:
                producer.close()
        except _pulsar.PulsarException as error:
            raise BrokerError(
                f"The independent client could not send to {topic}: {error!r}",
                hint="See the broker's log.",
            ) from error

    def send_batch(self, topic: str, messages: Sequence[tuple[bytes, dict[str, str]]]) -> None:
        """Send payloads and their properties as one batch; `BrokerError` when it is not taken."""
        try:
            producer = self.client.create_producer(
                topic,
                batching_enabled=True,
                batching_max_messages=len(messages),
                batching_max_publish_delay_ms=10_000,
            )
            try:
                for payload, properties in messages:
                    producer.send_async(payload, lambda result, where: None, properties=properties)
                producer.flush()
            finally:
                producer.close()
        except _pulsar.PulsarException as error:
            raise BrokerError(
                f"The independent client could not send a batch to {topic}: {error!r}",
                hint="See the broker's log.",
            ) from error

    def send_all(
        self, topic: str, messages: Sequence[tuple[bytes | None, dict[str, str], str | None]]
    ) -> None:
        """Send payloads with properties and keys, in order; `BrokerError` when one is not taken."""
        refused: list[object] = []

        def told(result: object, _: object) -> None:
            if result != _pulsar.Result.Ok:
                refused.append(result)

        try:
            producer = self.client.create_producer(topic, batching_enabled=False)
            try:
                for payload, properties, key in messages:
                    keyed = {} if key is None else {"partition_key": key}
                    producer.send_async(payload, told, properties=properties, **keyed)
                producer.flush()
            finally:
                producer.close()
        except _pulsar.PulsarException as error:
            refused.append(error)
        if refused:
            raise BrokerError(
                f"The independent client could not send to {topic}: {refused[0]!r}",
                hint="See the broker's log.",
            )

    def with_patience(self, seconds: int) -> IndependentClient:
        """Another client for the same broker, whose operations may take `seconds`."""
        return IndependentClient(self._address, seconds)

    def subscribe(self, topic: str, subscription: str) -> None:
        """Open a durable consumer and close it; `BrokerError` when the broker refuses."""
        try:
            self.client.subscribe(topic, subscription).close()
        except _pulsar.PulsarException as error:
            raise BrokerError(
                f"The independent client may not consume {topic} by {subscription!r}: {error!r}",
                hint="See the broker's log.",
            ) from error

    def received(
        self,
        topic: str,
        subscription: str,
        count: float,
        within: float = 10.0,
        *,
        shared: bool = False,
        is_last: Callable[[pulsar.Message], bool] = lambda _: False,
    ) -> list[pulsar.Message]:
        """The next `count` messages of a durable subscription, which acknowledges them.

        Fewer when no further one came in time, or behind the last one; `BrokerError` when the
        broker refuses. With `shared` the subscription may have other consumers.
        """
        type_ = _pulsar.ConsumerType.Shared if shared else _pulsar.ConsumerType.Exclusive
        messages: list[pulsar.Message] = []
        try:
            consumer = self.client.subscribe(
                topic, subscription, type_, initial_position=_pulsar.InitialPosition.Earliest
            )
            try:
                while len(messages) < count:
                    messages.append(consumer.receive(round(within * 1000)))
                    consumer.acknowledge(messages[-1])
                    if is_last(messages[-1]):
                        break
            except _pulsar.Timeout:
                pass
            finally:
                consumer.close()
        except _pulsar.PulsarException as error:
            raise BrokerError(
                f"The independent client cannot consume {topic} by {subscription!r}: {error!r}",
                hint="See the broker's log.",
            ) from error
        return messages

    def read(self, topic: str, ledger: int, entry: int, partition: int) -> pulsar.Message:
        """The message at a position; `BrokerError` when it cannot be read."""
        where = pulsar.MessageId(partition, ledger, entry, -1)
        try:
            reader = self.client.create_reader(topic, where, start_message_id_inclusive=True)
            try:
                message: pulsar.Message = reader.read_next(timeout_millis=10_000)
                return message
            finally:
                reader.close()
        except _pulsar.PulsarException as error:
            raise BrokerError(
                f"The message {ledger}:{entry} of {topic} cannot be read: {error!r}",
                hint="See the broker's log.",
            ) from error

    def round_trip(self, topic: str, within: float = 10.0) -> float:
        """Seconds from sending a message to a fresh topic to having it; `BrokerError` if lost.

        By a reader, which works also where the broker makes no subscriptions.
        """
        try:
            reader = self.client.create_reader(topic, pulsar.MessageId.earliest)
            try:
                began = time.perf_counter()
                self.send(topic, b"control", {})
                reader.read_next(timeout_millis=round(within * 1000))
                return time.perf_counter() - began
            finally:
                reader.close()
        except _pulsar.PulsarException as error:
            raise BrokerError(
                f"A message by the independent client did not arrive: {error!r}",
                hint="The broker is at fault, or overloaded; see its log.",
            ) from error

    def close(self) -> None:
        """Give the connection back."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
