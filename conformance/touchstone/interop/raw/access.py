"""What the plain Pulsar client as a partner works with: it sends in raw form, and subscribes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import _pulsar
import pulsar

from touchstone.interop.parts import SendRecord
from touchstone.interop.raw.forms import raw_properties
from touchstone.interop.raw.messages import message_id
from touchstone.interop.samples import SampleMessage, samples


class RawAccess:
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

    def send_sample(
        self, producer: pulsar.Producer, sample: SampleMessage, delay: int = 0
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
        return SendRecord(now, now, id_).as_dict()

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
        """Send a text as a JMS client would, by its raw form; `more` is of a `SampleMessage`."""
        options = {"time_to_live": lives} if lives else {}
        sample = SampleMessage(text[:20], "text", text, text.encode(), options=options, **more)
        topic = self.full_name(name)
        with closing(self.client.create_producer(topic, chunking_enabled=chunked)) as producer:
            return self.send_sample(producer, sample, delay)

    def send_sequence(self, name: str, texts: Sequence[str], group: str) -> None:
        """Send texts of one group by one producer, whose sequence does not begin at 0."""
        producer = self.client.create_producer(self.full_name(name), initial_sequence_id=40)
        with closing(producer):
            for text in texts:
                self.send_sample(
                    producer, SampleMessage(text, "text", text, text.encode(), key=group)
                )

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
                sample = SampleMessage(text, "text", text, text.encode())
                producer.send_async(
                    sample.payload,
                    lambda result, where: ids.append(message_id(where)),
                    properties=raw_properties(sample, _now()),
                    event_timestamp=_now(),
                )
            producer.flush()
        return ids

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


def _now() -> int:
    return time.time_ns() // 1_000_000
