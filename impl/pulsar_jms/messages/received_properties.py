"""The properties of a received message: those that it carries, and those that the client adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jmsapi.values import Int, PropertyValue
from pulsar_jms.implements import implements
from pulsar_jms.mapping.properties import (
    DELIVERY_COUNT,
    GROUP_ID,
    GROUP_SEQUENCE,
    Unreadable,
    group_id,
    group_sequence,
    received_names,
    received_property,
)
from pulsar_jms.mapping.redelivery_counts import delivery_count
from pulsar_jms.transport.wire_messages import Incoming


@implements("JMS-PROP-041", "JMS-PROP-043..045", "JMS-REDL-002")
class ReceivedProperties(Mapping[str, "PropertyValue | Unreadable | None"]):
    """The properties by name; each gets its type when it is asked for."""

    __slots__ = ("_incoming", "_wire")

    def __init__(self, incoming: Incoming, wire: Mapping[str, str]) -> None:
        """Read `wire`, the raw properties of `incoming`."""
        self._incoming = incoming
        self._wire = wire

    def get(self, name: str, default: object = None) -> PropertyValue | Unreadable | None:
        """The property `name`, None where there is none."""
        if name == GROUP_ID:
            return group_id(self._incoming.partition_key, self._wire)
        if name == DELIVERY_COUNT:
            return Int(delivery_count(self._incoming.redelivery_count))
        value = received_property(self._wire, name)
        if value is None and name == GROUP_SEQUENCE:
            return group_sequence(self._incoming.sequence_id)
        return value

    def __getitem__(self, name: str) -> PropertyValue | Unreadable:
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        names = dict.fromkeys(received_names(self._wire))
        for name in (GROUP_ID, DELIVERY_COUNT, GROUP_SEQUENCE):
            names.pop(name, None)
            if self.get(name) is not None:
                names[name] = None
        return iter(names)

    def __len__(self) -> int:
        return sum(1 for _ in self)
