"""One entry of a topic, as Pulsar's admin API shows it: a message, or a batch of them.

The answer carries the payload, uncompressed, and the metadata in headers `X-Pulsar-*`. Jetty writes
headers in ISO 8859-1 and puts a blank for every other character; Pulsar 3.0 has a header for each
property, with its name in the header's. `may_be_lossy` says when that may have cost something. A
batch comes as its frames: a 4-byte size, the metadata of one message as protobuf (Pulsar's
SingleMessageMetadata), its payload.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from jms_brokers.families.pulsar.protocol.protobuf import fields

_HEADER = "x-pulsar-"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROPERTY, _KEY, _SIZE, _EVENT_TIME, _KEY_BASE64, _SEQUENCE, _NULL = 1, 2, 3, 5, 6, 8, 9
"""Fields of SingleMessageMetadata."""


@dataclass(frozen=True)
class RawMessage:
    """A message as the broker keeps it; times in ms since the epoch, 0 where not set."""

    message_id: str
    """ledger:entry:partition, with :index behind it in a batch."""
    properties: Mapping[str, str]
    payload: bytes
    null_value: bool
    key: str | None
    event_time: int
    sequence_id: int
    """-1 where the properties are too large for an HTTP header, as it is not known then."""
    publish_time: int
    partition: int


def positions(stats: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Ledger and entry of every message of a topic, from its internal statistics, in order."""
    *closed, current = [row for row in stats["ledgers"] if row["ledgerId"] >= 0] or [None]
    for row in closed:
        yield from ((row["ledgerId"], entry) for entry in range(row["entries"]))
    if current is not None:
        count = max(current["entries"], stats["currentLedgerEntries"])
        yield from ((current["ledgerId"], entry) for entry in range(count))


def may_be_lossy(response: httpx.Response) -> bool:
    """Whether the headers of this answer may not give properties and key as they are."""
    headers = _headers(response)
    return "num-batch-message" not in headers and (
        any(name.startswith("property-") for name in headers)
        or any(" " in headers.get(name, "") for name in ("property", "partition-key"))
    )


def decode_entry(
    response: httpx.Response, ledger: int, entry: int, partition: int
) -> tuple[RawMessage, ...]:
    """The messages of an entry: none where a transaction's end is marked, or was no commit."""
    headers = _headers(response)
    if "marker-type" in headers or headers.get("txn-aborted") == "true":
        return ()
    id_ = f"{ledger}:{entry}:{partition}"
    published = _milliseconds(headers.get("publish-time"))
    if "num-batch-message" in headers:
        return tuple(_batch(response.content, id_, published, partition))
    return (
        RawMessage(
            message_id=id_,
            properties=json.loads(headers.get("property", "{}")),
            payload=response.content,
            null_value=headers.get("null-value") == "true",
            key=_key(headers.get("partition-key"), headers.get("partition-key-b64-encoded")),
            event_time=_milliseconds(headers.get("event-time")),
            sequence_id=int(headers.get("sequence-id", "0")),
            publish_time=published,
            partition=partition,
        ),
    )


def _batch(content: bytes, id_: str, published: int, partition: int) -> Iterator[RawMessage]:
    at = index = 0
    while at < len(content):
        size = int.from_bytes(content[at : at + 4], "big")
        metadata = content[at + 4 : at + 4 + size]
        values: dict[int, Any] = {}
        properties: dict[str, str] = {}
        for field in fields(metadata):
            if field.number == _PROPERTY and isinstance(field.value, bytes):
                pair = {part.number: part.value for part in fields(field.value)}
                properties[_text(pair[1])] = _text(pair[2])
            else:
                values[field.number] = field.value
        at += 4 + size
        length = values[_SIZE]
        key = _text(values[_KEY]) if _KEY in values else None
        yield RawMessage(
            message_id=f"{id_}:{index}",
            properties=properties,
            payload=content[at : at + length],
            null_value=bool(values.get(_NULL)),
            key=_key(key, "true" if values.get(_KEY_BASE64) else None),
            event_time=values.get(_EVENT_TIME, 0),
            sequence_id=values.get(_SEQUENCE, 0),
            publish_time=published,
            partition=partition,
        )
        at += length
        index += 1


def _headers(response: httpx.Response) -> dict[str, str]:
    return {
        name.decode("ascii").lower().removeprefix(_HEADER): value.decode("latin-1")
        for name, value in response.headers.raw
        if name.lower().startswith(_HEADER.encode())
    }


def _text(value: int | bytes) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _key(key: str | None, in_base64: str | None) -> str | None:
    if key is None or in_base64 != "true":
        return key
    return base64.b64decode(key).decode("utf-8", "surrogateescape")


def _milliseconds(time: str | None) -> int:
    if time is None:
        return 0
    return (datetime.fromisoformat(time) - _EPOCH) // timedelta(milliseconds=1)
