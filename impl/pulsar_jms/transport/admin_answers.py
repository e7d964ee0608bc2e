"""What the broker's administration answers (Pulsar admin API v2), as far as a client needs it.

Each raises `NotUnderstoodError` where something else answered, such as the log-in page of a proxy.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote_plus

from pulsar_jms.mapping.schema import TopicSchema
from pulsar_jms.mapping.topic_extent import Extent, acknowledged_ranges, entry_of

_MOST_PARTITIONS = 100_000
"""More would only be made up: a name is made for each."""

T = TypeVar("T")


class NotUnderstoodError(Exception):
    """An answer that Pulsar does not give; the text says what is wrong with it."""


def partitions(answer: bytes) -> int:
    """How many partitions a topic has, 0 for none."""

    def read(stats: Any) -> int:
        count = stats["partitions"]
        if type(count) is not int or not 0 <= count <= _MOST_PARTITIONS:
            raise ValueError(f"{count!r:.40} partitions")
        return count

    return _read(answer, read)


def extent(subscription: str, answer: bytes) -> Extent:
    """The newest entry of a topic, and what `subscription` has acknowledged of it."""

    def read(stats: Any) -> Extent:
        cursor = stats["cursors"].get(_cursor_name(subscription))
        return Extent(
            entry_of(_text(stats["lastConfirmedEntry"])) or (-1, -1),
            cursor is not None,
            acknowledged_ranges(_text(cursor["individuallyDeletedMessages"])) if cursor else (),
        )

    return _read(answer, read)


def _cursor_name(subscription: str) -> str:
    """The name of a subscription's cursor: encoded as by Java's URLEncoder."""
    return quote_plus(subscription, safe="*").replace("~", "%7E")


def has_consumers(answer: bytes) -> bool:
    """Whether the statistics of a topic show a consumer."""
    return _read(
        answer, lambda stats: any(each["consumers"] for each in stats["subscriptions"].values())
    )


def is_all_sent_again(subscription: str, answer: bytes) -> bool:
    """Whether `subscription` has several consumers, and nothing that is to be sent again."""

    def read(stats: Any) -> bool:
        state = stats["subscriptions"].get(subscription, {"consumers": ()})
        return len(state["consumers"]) > 1 and bool(state.get("msgInReplay") == 0)

    return _read(answer, read)


def schema(answer: bytes) -> TopicSchema:
    """A schema in the registry."""

    def read(registered: Any) -> TopicSchema:
        properties = registered.get("properties") or {}
        return TopicSchema(
            _text(registered["type"]),
            _text(registered.get("data", "")),
            {name: _text(value) for name, value in properties.items()},
        )

    return _read(answer, read)


def topics(answer: bytes) -> list[str]:
    """Full names of topics."""

    def read(names: Any) -> list[str]:
        if not isinstance(names, list):
            raise TypeError("no list")
        return [_text(name) for name in names]

    return _read(answer, read)


def _read(answer: bytes, read: Callable[[Any], T]) -> T:
    try:
        return read(json.loads(answer))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotUnderstoodError(f"{error!r:.100}") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value
