"""Messages with a schema, by Pulsar's binary protocol itself.

pulsar-client sends with few of the schema types, and never a KeyValue; this sends with all of them,
as the Java client does: the schema goes to the broker's registry when the producer is made, and the
version that the broker answers goes with each message. Source: PulsarApi.proto of Pulsar 4.0.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar.protocol.protobuf import write_field
from jms_brokers.families.pulsar.protocol.raw_producer import raw_producer

_TYPES = (
    "NONE", "STRING", "JSON", "PROTOBUF", "AVRO", "BOOLEAN", "INT8", "INT16", "INT32", "INT64",
    "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP", "KEY_VALUE", "INSTANT", "LOCAL_DATE",
    "LOCAL_TIME", "LOCAL_DATE_TIME", "PROTOBUF_NATIVE",
)  # fmt: skip
"""By their numbers in the protocol."""


@dataclass(frozen=True)
class Schema:
    """A schema as a producer brings it: the name of Pulsar's schema type, and its definition."""

    type: str
    definition: str = ""
    """JSON for AVRO and JSON."""
    data: bytes = b""
    """What is registered, where that is not the definition."""
    properties: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def key_value(cls, key: Schema, value: Schema, *, separated: bool) -> Self:
        """A KeyValue; separated, the key travels as the message's key, else in the payload."""
        parts_ = [part.definition.encode() for part in (key, value)]
        properties = {
            f"{name}.schema.{what}": text
            for name, part in (("key", key), ("value", value))
            for what, text in (("name", part.type), ("type", part.type), ("properties", "{}"))
        }
        return cls(
            "KEY_VALUE",
            data=b"".join(struct.pack(">i", len(part)) + part for part in parts_),
            properties=properties | {"kv.encoding.type": "SEPARATED" if separated else "INLINE"},
        )

    def encoded(self) -> bytes:
        """The schema as the protocol has it."""
        return (
            write_field(1, self.type.encode())
            + write_field(3, self.data or self.definition.encode())
            + write_field(4, _TYPES.index(self.type))
            + b"".join(write_field(5, _pair(*pair)) for pair in self.properties.items())
        )


def send_with_schema(
    address: BrokerAddress,
    topic: str,
    schema: Schema,
    payload: bytes | None,
    properties: Mapping[str, str],
    key: str | bytes | None,
    event_time: int | None,
) -> tuple[int, int]:
    """Send one message to a topic without partitions; its ledger and entry.

    A key of bytes goes in Base64 and is marked so. `BrokerError` when the broker does not take it.
    """
    metadata = (
        b"".join(write_field(4, _pair(*pair)) for pair in properties.items())
        + _key(key)
        + (write_field(12, event_time) if event_time is not None else b"")
        + (write_field(25, 1) if payload is None else b"")
    )
    with raw_producer(address, topic, schema.encoded()) as producer:
        return producer.send(metadata, payload or b"")


def _pair(name: str, value: str) -> bytes:
    return write_field(1, name.encode()) + write_field(2, value.encode())


def _key(key: str | bytes | None) -> bytes:
    if key is None:
        return b""
    if isinstance(key, str):
        return write_field(6, key.encode())
    return write_field(6, base64.b64encode(key)) + write_field(17, 1)
