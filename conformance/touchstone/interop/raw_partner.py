"""The plain Pulsar client as a partner: it writes and reads raw messages, and knows nothing of JMS.

What it sends has the raw form that the documents give a sample.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import _pulsar
import pulsar

from touchstone.brokers.interface import BrokerAddress
from touchstone.interop import raw_consuming, raw_producing
from touchstone.interop.parts import Reading, Sent, View, Waiting
from touchstone.interop.raw_forms import raw_properties
from touchstone.interop.raw_messages import message_id, view_of
from touchstone.interop.samples import LAST, NAME, Sample, samples
from touchstone.scenario.pulsar_client import IndependentClient

_PATIENCE = 15_000
_AFTER_THE_LAST = 2_000


class RawPartner:
    """A plain Pulsar client, with the namespace that all partners share."""

    def __init__(self, client: pulsar.Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self.samples = samples(namespace)
        self.asking: dict[str, pulsar.Consumer] = {}
        """Consumers of answers, by the name of the question's destination."""

    def full_name(self, name: str) -> str:
        """The topic of a simple name, or of its full name."""
        return name if "://" in name else f"persistent://{self.namespace}/{name}"

    def send(self, queue: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Send the samples of these names, and the last one."""
        with closing(self.client.create_producer(self.full_name(queue))) as producer:
            told = {name: self.send_sample(producer, self.samples[name]) for name in names}
            self.send_sample(producer, LAST)
        return told

    def send_sample(
        self, producer: pulsar.Producer, sample: Sample, delay: int = 0
    ) -> dict[str, Any]:
        """Send one sample in its raw form, to be delivered `delay` ms later."""
        now = _now()
        more: dict[str, Any] = {"partition_key": sample.key} if sample.key else {}
        properties = raw_properties(sample, now)
        if delay:
            more["deliver_at"] = now + delay
            properties["JMSDeliveryTime"] = str(now + delay)
        where = producer.send(sample.payload, properties=properties, event_timestamp=now, **more)
        id_ = sample.raw.get("JMSMessageId", message_id(where))
        return Sent(now, now, id_).as_dict()

    def send_text(
        self,
        name: str,
        text: str,
        *,
        delay: int = 0,
        lives: int = 0,
        chunked: bool = False,
        **more: Any,
    ) -> dict[str, Any]:
        """Send a text as a JMS client would, by its raw form; `more` is of a `Sample`."""
        options = {"time_to_live": lives} if lives else {}
        sample = Sample(text[:20], "text", text, text.encode(), options=options, **more)
        topic = self.full_name(name)
        with closing(self.client.create_producer(topic, chunking_enabled=chunked)) as producer:
            return self.send_sample(producer, sample, delay)

    def send_sequence(self, name: str, texts: Sequence[str], group: str) -> None:
        """Send texts of one group by one producer, whose sequence does not begin at 0."""
        producer = self.client.create_producer(self.full_name(name), initial_sequence_id=40)
        with closing(producer):
            for text in texts:
                self.send_sample(producer, Sample(text, "text", text, text.encode(), key=group))

    def send_batch(self, name: str, texts: Sequence[str]) -> list[str]:
        """Send texts as one batch; their ids."""
        ids: list[str] = []
        producer = self.client.create_producer(
            self.full_name(name),
            batching_enabled=True,
            batching_max_messages=len(texts),
            batching_max_publish_delay_ms=10_000,
        )
        with closing(producer):
            for text in texts:
                sample = Sample(text, "text", text, text.encode())
                producer.send_async(
                    sample.payload,
                    lambda result, where: ids.append(message_id(where)),
                    properties=raw_properties(sample, _now()),
                    event_timestamp=_now(),
                )
            producer.flush()
        return ids

    def read(self, queue: str, subscription: str, names: Sequence[str]) -> dict[str, Any]:
        """A `Reading` of the queue by a subscription of its own, up to the last sample."""
        views: dict[str, list[View]] = {}
        unknown: list[View] = []
        patience = _PATIENCE
        with closing(self.subscribe(queue, subscription)) as consumer:
            while patience == _PATIENCE or len(views) < len(names):
                try:
                    message = consumer.receive(patience)
                except _pulsar.Timeout:
                    break
                consumer.acknowledge(message)
                name, view = message.properties().get(NAME), view_of(message)
                if name == LAST.name:
                    patience = _AFTER_THE_LAST
                elif name in names:
                    views.setdefault(name, []).append(view)
                else:
                    unknown.append(view)
        return Reading(views, (), unknown).as_dict()

    def subscribe(self, queue: str, subscription: str, **options: Any) -> pulsar.Consumer:
        """A shared durable consumer from the first message on, unless `options` say otherwise."""
        chosen: dict[str, Any] = {
            "consumer_type": _pulsar.ConsumerType.Shared,
            "initial_position": _pulsar.InitialPosition.Earliest,
            **options,
        }
        consumer: pulsar.Consumer = self.client.subscribe(
            self.full_name(queue), subscription, **chosen
        )
        return consumer

    def prepare(self, behaviour: str, name: str) -> Waiting | None:
        """A consumer for a behaviour; None where it takes more than a Pulsar client."""
        make = raw_consuming.CONSUMERS.get(behaviour)
        return make(self, name) if make else None

    def act(self, behaviour: str, name: str) -> dict[str, Any] | None:
        """The producer's part of a behaviour; None where it takes more than a Pulsar client."""
        do = raw_producing.PRODUCERS.get(behaviour)
        return (do(self, name) or Sent().as_dict()) if do else None

    def after(self, behaviour: str, name: str) -> View:
        """What the producer sees when the consumer has done its part."""
        return raw_producing.after(self, behaviour, name)


def _now() -> int:
    return time.time_ns() // 1_000_000


class _Opened:
    def __init__(self, namespace: str) -> None:
        self._namespace = namespace

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[RawPartner]:
        independent = IndependentClient(broker)
        try:
            yield RawPartner(independent.client, self._namespace)
        finally:
            independent.close()


def partner(spec: str) -> _Opened:
    """What `OtherProcess` opens: `spec` is the namespace, a blank and a name of no account."""
    return _Opened(spec.partition(" ")[0])
