"""Received messages of the plain Pulsar client as plain fields."""

from __future__ import annotations

from typing import Any

from touchstone.interop.parts import View
from touchstone.interop.raw_forms import told
from touchstone.interop.shown import shown


def message_id(where: Any) -> str:
    """The JMSMessageID of a position."""
    parts = [where.ledger_id(), where.entry_id(), where.partition()]
    if where.batch_index() >= 0:
        parts.append(where.batch_index())
    return "ID:" + ":".join(map(str, parts))


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
