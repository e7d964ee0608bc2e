"""Messages of AMQP 1.0 (part 3, messaging, 3.2): the payload of a transfer as sections; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType

from jms_brokers.amqp.composites import Composite, compose, composite, plain
from jms_brokers.amqp.decoding import decode_all
from jms_brokers.amqp.values import AmqpError, Described, ULong, Value, encode


def _no_values() -> Mapping[Value, Value]:
    return MappingProxyType({})


_MAPS = {0x71: "delivery_annotations", 0x72: "annotations", 0x74: "application", 0x78: "footer"}
_NAMES = {
    "amqp:delivery-annotations:map": 0x71,
    "amqp:message-annotations:map": 0x72,
    "amqp:application-properties:map": 0x74,
    "amqp:footer:map": 0x78,
    "amqp:data:binary": 0x75,
    "amqp:amqp-sequence:list": 0x76,
    "amqp:amqp-value:*": 0x77,
}
_SECTIONS: Mapping[Value, int] = {**_NAMES, **{code: code for code in _NAMES.values()}}


@dataclass(frozen=True)
class AmqpMessage:
    """A message: header and properties, maps by their keys, and the body.

    `value` is the body of an amqp-value section, `data` the joined data sections.
    """

    value: Value = None
    data: bytes | None = None
    header: Composite = field(default_factory=lambda: composite("header"))
    properties: Composite = field(default_factory=lambda: composite("properties"))
    annotations: Mapping[Value, Value] = field(default_factory=_no_values)
    application: Mapping[Value, Value] = field(default_factory=_no_values)
    """Application properties."""

    @property
    def text(self) -> str | None:
        """The body where it is a text."""
        return self.value if isinstance(self.value, str) else None

    @property
    def control(self) -> Composite | None:
        """The body of a command to a coordinator of transactions."""
        control = isinstance(self.value, Composite) and self.value.type in ("declare", "discharge")
        return self.value if control else None


def read(payload: bytes) -> AmqpMessage:
    """The message in `payload`, whole; `AmqpError` for anything else."""
    sections: dict[str, Value] = {}
    body: list[tuple[int, Value]] = []
    for section in decode_all(payload):
        value = compose(section)
        if isinstance(value, Composite) and value.type in ("header", "properties"):
            sections[value.type] = value
            continue
        if not isinstance(value, Described):
            raise AmqpError(f"no section of a message: {type(section).__name__}")
        code = _SECTIONS.get(value.descriptor)
        match code, value.value:
            case ((0x71 | 0x72 | 0x74 | 0x78), dict()):
                sections[_MAPS[code]] = MappingProxyType(value.value)
            case (0x75 as kind, bytes()) | (0x76 as kind, list()) | (0x77 as kind, _):
                body.append((kind, value.value))
            case _:
                raise AmqpError(f"no section of a message: {value.descriptor!r:.100}")
    sections.pop("delivery_annotations", None)
    sections.pop("footer", None)
    return AmqpMessage(**sections, **_body(body))


def _body(sections: Sequence[tuple[int, Value]]) -> dict[str, Value]:
    """One value, or data, or sequences (3.2): the field of a message that holds it."""
    values = [value for _, value in sections]
    match sorted({code for code, _ in sections}):
        case []:
            return {}
        case [0x75]:
            return {"data": b"".join(values)}
        case [0x76]:
            return {"value": list(chain(*values))}
        case [0x77] if len(values) == 1:
            return {"value": values[0]}
    raise AmqpError(f"a body of {len(values)} sections that do not go together")


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
