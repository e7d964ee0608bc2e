"""The composite types of AMQP 1.0: performatives, states, sections of a message, by their names.

Source: OASIS AMQP 1.0, parts 2 (transport), 3 (messaging), 4 (transactions) and 5 (security).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from jms_brokers.amqp.values import (
    AmqpError,
    Described,
    Symbol,
    Timestamp,
    UByte,
    UInt,
    ULong,
    UShort,
    Value,
)

_TABLE = """
10 open container-id hostname max-frame-size:uint channel-max:ushort idle-time-out:uint \
outgoing-locales incoming-locales offered-capabilities desired-capabilities properties
11 begin remote-channel:ushort next-outgoing-id:uint incoming-window:uint outgoing-window:uint \
handle-max:uint offered-capabilities desired-capabilities properties
12 attach name handle:uint role snd-settle-mode:ubyte rcv-settle-mode:ubyte source target \
unsettled incomplete-unsettled initial-delivery-count:uint max-message-size:ulong \
offered-capabilities desired-capabilities properties
13 flow next-incoming-id:uint incoming-window:uint next-outgoing-id:uint outgoing-window:uint \
handle:uint delivery-count:uint link-credit:uint available:uint drain echo properties
14 transfer handle:uint delivery-id:uint delivery-tag message-format:uint settled more \
rcv-settle-mode:ubyte state resume aborted batchable
15 disposition role first:uint last:uint settled state batchable
16 detach handle:uint closed error
17 end error
18 close error
1d error condition:symbol description info
23 received section-number:uint section-offset:ulong
24 accepted
25 rejected error
26 released
27 modified delivery-failed undeliverable-here message-annotations
28 source address durable:uint expiry-policy:symbol timeout:uint dynamic dynamic-node-properties \
distribution-mode:symbol filter default-outcome outcomes capabilities
29 target address durable:uint expiry-policy:symbol timeout:uint dynamic dynamic-node-properties \
capabilities
30 coordinator capabilities
31 declare global-id
32 discharge txn-id fail
33 declared txn-id
34 transactional-state txn-id outcome
40 sasl-mechanisms sasl-server-mechanisms
41 sasl-init mechanism:symbol initial-response hostname
42 sasl-challenge challenge
43 sasl-response response
44 sasl-outcome code:ubyte additional-data
70 header durable priority:ubyte ttl:uint first-acquirer delivery-count:uint
73 properties message-id user-id to subject reply-to correlation-id content-type:symbol \
content-encoding:symbol absolute-expiry-time:timestamp creation-time:timestamp group-id \
group-sequence:uint reply-to-group-id
"""

_KINDS: Mapping[str, type] = {
    "ubyte": UByte,
    "ushort": UShort,
    "uint": UInt,
    "ulong": ULong,
    "symbol": Symbol,
    "timestamp": Timestamp,
}


@dataclass(frozen=True)
class CompositeType:
    """A type: its number, its name, and its fields in order, each with its class or None."""

    number: int
    name: str
    fields: tuple[tuple[str, type | None], ...]


def _parse(line: str) -> CompositeType:
    number, name, *fields = line.split()
    split = (each.partition(":") for each in fields)
    return CompositeType(
        int(number, 16), name, tuple((field, _KINDS.get(kind)) for field, _, kind in split)
    )


_TYPES = tuple(_parse(line) for line in _TABLE.strip().splitlines())
TYPES: Mapping[str, CompositeType] = MappingProxyType({each.name: each for each in _TYPES})
"""All composite types by name."""
_BY_DESCRIPTOR: Mapping[Value, CompositeType] = MappingProxyType(
    {each.number: each for each in _TYPES} | {f"amqp:{each.name}:list": each for each in _TYPES}
)


@dataclass(frozen=True)
class Composite:
    """A value of a composite type: those of its fields that are present, by AMQP's own names."""

    type: str
    fields: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    def get(self, name: str, default: Value = None) -> Value:
        """The field `name`, or `default` where it is absent."""
        return self.fields.get(name, default)


def composite(kind: str, /, **fields: Value) -> Composite:
    """A composite with these fields, in which `_` stands for `-`; None means absent."""
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    return Composite(
        kind,
        MappingProxyType({name: value for name, value in named.items() if value is not None}),
    )


def compose(value: Value) -> Value:
    """`value` with every described list of a known type in it turned into a `Composite`."""
    match value:
        case Described():
            type_ = _BY_DESCRIPTOR.get(value.descriptor)
            if type_ is not None and isinstance(value.value, list):
                return _composite_of(type_, value.value)
            return Described(value.descriptor, compose(value.value))
        case list():
            return type(value)(compose(item) for item in value)
        case dict():
            return {key: compose(item) for key, item in value.items()}
    return value


def _composite_of(type_: CompositeType, values: list[Value]) -> Composite:
    if len(values) > len(type_.fields):
        raise AmqpError(f"{type_.name} with {len(values)} fields, it has {len(type_.fields)}")
    fields = {
        name: _field(f"{type_.name}.{name}", kind, value)
        for (name, kind), value in zip(type_.fields, values, strict=False)
        if value is not None
    }
    return Composite(type_.name, MappingProxyType(fields))


def _field(name: str, kind: type | None, value: Value) -> Value:
    """The value of a field; another width of a number, or a text for a symbol, is as good."""
    if kind is None:
        return compose(value)
    if isinstance(value, bool) or not isinstance(value, str if kind is Symbol else int):
        raise AmqpError(f"{name} is a {type(value).__name__}, not a {kind.__name__}")
    return kind(value)


def plain(value: Value) -> Value:
    """`value` with each `Composite` in it as the described list that stands for it."""
    match value:
        case Composite():
            return _describe(value)
        case Described():
            return Described(value.descriptor, plain(value.value))
        case list():
            return type(value)(plain(item) for item in value)
        case dict():
            return {key: plain(item) for key, item in value.items()}
    return value


def _describe(value: Composite) -> Described:
    type_ = TYPES.get(value.type)
    if type_ is None:
        raise AmqpError(f"no composite type {value.type}")
    unknown = value.fields.keys() - {name for name, _ in type_.fields}
    if unknown:
        raise AmqpError(f"{value.type} has no field {', '.join(sorted(unknown))}")
    values: list[Value] = []
    for name, kind in type_.fields:
        item = plain(value.fields.get(name))
        values.append(item if kind is None or item is None else kind(item))
    while values and values[-1] is None:
        values.pop()
    return Described(ULong(type_.number), values)
