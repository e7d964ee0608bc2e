"""Messages of AMQP 1.0 (part 3, messaging, 3.2): the payload of a transfer as sections; no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from touchstone.amqp.composites import Composite, composed, composite, plain
from touchstone.amqp.values import AmqpError, Described, ULong, Value, decode, encode


def _nothing() -> Mapping[Value, Value]:
    return MappingProxyType({})


_MAPS = {0x71: "delivery_annotations", 0x72: "annotations", 0x74: "application", 0x78: "footer"}
_MAP_NAMES = {
    "amqp:delivery-annotations:map": 0x71,
    "amqp:message-annotations:map": 0x72,
    "amqp:application-properties:map": 0x74,
    "amqp:footer:map": 0x78,
    "amqp:data:binary": 0x75,
    "amqp:amqp-sequence:list": 0x76,
    "amqp:amqp-value:*": 0x77,
}


@dataclass(frozen=True)
class AmqpMessage:
    """A message: header and properties, maps by their keys, and the body.

    `value` is the body of an amqp-value section, `data` the joined data sections.
    """

    value: Value = None
    data: bytes | None = None
    header: Composite = field(default_factory=lambda: composite("header"))
    properties: Composite = field(default_factory=lambda: composite("properties"))
    annotations: Mapping[Value, Value] = field(default_factory=_nothing)
    application: Mapping[Value, Value] = field(default_factory=_nothing)
    """Application properties."""

    @property
    def text(self) -> str | None:
        """The body where it is a text."""
        return self.value if isinstance(self.value, str) else None

    @property
    def control(self) -> Composite | None:
        """The body where it tells a coordinator of transactions what to do."""
        control = isinstance(self.value, Composite) and self.value.type in ("declare", "discharge")
        return self.value if control else None


def read(payload: bytes) -> AmqpMessage:
    """The message in `payload`, whole; `AmqpError` for anything else."""
    found: dict[str, Value] = {}
    offset = 0
    while offset < len(payload):
        section, offset = decode(payload, offset)
        value = composed(section)
        if isinstance(value, Composite) and value.type in ("header", "properties"):
            found[value.type] = value
            continue
        if not isinstance(value, Described):
            raise AmqpError(f"no section of a message: {section!r}")
        _add(found, _MAP_NAMES.get(value.descriptor, value.descriptor), value.value)
    found.pop("delivery_annotations", None)
    found.pop("footer", None)
    return AmqpMessage(**found)


def _add(found: dict[str, Value], code: Value, value: Value) -> None:
    match code, value:
        case ((0x71 | 0x72 | 0x74 | 0x78), dict()):
            found[_MAPS[code]] = MappingProxyType(value)
        case 0x75, bytes():
            found["data"] = found.get("data", b"") + value
        case 0x76, list():
            found["value"] = [*found.get("value", []), *value]
        case 0x77, _:
            found["value"] = value
        case _:
            raise AmqpError(f"no section of a message: {code!r}")


def write(message: AmqpMessage) -> bytes:
    """The payload of `message`."""
    sections: list[Value] = [part for part in (message.header,) if part.fields]
    if message.annotations:
        sections.append(Described(ULong(0x72), dict(message.annotations)))
    if message.properties.fields:
        sections.append(message.properties)
    if message.application:
        sections.append(Described(ULong(0x74), dict(message.application)))
    if message.data is not None:
        sections.append(Described(ULong(0x75), message.data))
    else:
        sections.append(Described(ULong(0x77), message.value))
    return b"".join(encode(plain(section)) for section in sections)
