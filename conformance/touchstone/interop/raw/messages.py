"""Received messages of the plain Pulsar client as plain fields."""

from __future__ import annotations

import re
from typing import Any

from touchstone.interop.parts import View
from touchstone.interop.raw.forms import told
from touchstone.interop.shown import shown

_FIRST = re.compile(r"\((-?\d+),(-?\d+),-?\d+,(-?\d+)\);")
"""How the text of a position begins that has several parts: ledger, entry, batch, partition."""


def message_id(where: Any) -> str:
    """The JMSMessageID of a position; of several parts that of the first and that of the last."""
    last = _text(where)
    if (first := _FIRST.match(str(where))) is None:
        return f"ID:{last}"
    return f"ID:{first[1]}:{first[2]}:{first[3]};{last}"


def _text(where: Any) -> str:
    parts = [where.ledger_id(), where.entry_id(), where.partition()]
    if where.batch_index() >= 0:
        parts.append(where.batch_index())
    return ":".join(map(str, parts))


def view_of(message: Any) -> View:
    """The raw fields of a message as text."""
    properties = message.properties()
    return {
        "raw payload": "no value" if message.has_null_value() else shown(message.data()),
        "raw key": shown(message.partition_key() or None),
        "raw event time": str(message.event_timestamp()),
        "JMSMessageID": shown(message_id(message.message_id())),
        "raw names": " ".join(map(shown, sorted(properties))),
        **{f"raw {shown(name)}": shown(text) for name, text in told(properties).items()},
    }
