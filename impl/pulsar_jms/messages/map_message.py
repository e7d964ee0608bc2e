"""MapMessage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from jmsapi.conversions import (
    BODY_READS,
    T,
    read_as,
    typed_boolean,
    typed_bytes,
    typed_char,
    typed_floating,
    typed_integral,
    typed_item,
    typed_string,
)
from jmsapi.messages import MapMessage
from jmsapi.values import Byte, Char, Double, Float, Int, Long, Short, Value
from pulsar_jms.formats.modified_utf8 import encode_with_length
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind, decode_map, encode_map
from pulsar_jms.mapping.properties import check_name
from pulsar_jms.messages.message import PulsarMessage


@implements("API-MAP-001..028")
class PulsarMapMessage(PulsarMessage, MapMessage):
    """Named, typed values; readable at any time, writable unless received."""

    KIND = MessageKind.MAP

    def __init__(self) -> None:
        super().__init__()
        self._entries: dict[str, Value | None] = {}

    def map_names(self) -> Iterable[str]:
        return list(self._entries)

    def item_exists(self, name: str) -> bool:
        return name in self._entries

    @implements("JMS-BODY-008..033")
    def _get(self, name: str, kind: type[T]) -> T:
        """The entry `name` as `kind` by JMS's table of conversions; a missing one reads as null."""
        return cast(T, read_as(self._entries.get(name), kind, BODY_READS, f"map entry {name!r}"))

    def get_boolean(self, name: str) -> bool:
        return self._get(name, bool)

    def get_byte(self, name: str) -> Byte:
        return self._get(name, Byte)

    def get_short(self, name: str) -> Short:
        return self._get(name, Short)

    def get_char(self, name: str) -> Char:
        return self._get(name, Char)

    def get_int(self, name: str) -> Int:
        return self._get(name, Int)

    def get_long(self, name: str) -> Long:
        return self._get(name, Long)

    def get_float(self, name: str) -> Float:
        return self._get(name, Float)

    def get_double(self, name: str) -> Double:
        return self._get(name, Double)

    def get_string(self, name: str) -> str | None:
        return self._get(name, str)

    def get_bytes(self, name: str) -> bytes | None:
        return self._get(name, bytes)

    def get_object(self, name: str) -> object:
        return self._entries.get(name)

    def _set(self, name: str, value: Value | None) -> None:
        self.require_writable_body()
        # The real client puts the rules of property names on map entries too.
        check_name(name)
        encode_with_length(name, "a map key")
        self._entries[name] = value

    def set_boolean(self, name: str, value: bool) -> None:
        self._set(name, typed_boolean(value))

    def set_byte(self, name: str, value: int) -> None:
        self._set(name, typed_integral(value, Byte))

    def set_short(self, name: str, value: int) -> None:
        self._set(name, typed_integral(value, Short))

    def set_char(self, name: str, value: str) -> None:
        self._set(name, typed_char(value))

    def set_int(self, name: str, value: int) -> None:
        self._set(name, typed_integral(value, Int))

    def set_long(self, name: str, value: int) -> None:
        self._set(name, typed_integral(value, Long))

    def set_float(self, name: str, value: float) -> None:
        self._set(name, typed_floating(value, Float))

    def set_double(self, name: str, value: float) -> None:
        self._set(name, typed_floating(value, Double))

    def set_string(self, name: str, value: str | None) -> None:
        self._set(name, typed_string(value))

    def set_bytes(self, name: str, value: bytes | None) -> None:
        self._set(name, typed_bytes(value))

    def set_object(self, name: str, value: object) -> None:
        self._set(name, typed_item(value))

    def clear_body(self) -> None:
        super().clear_body()
        self._entries = {}

    def encoded_body(self) -> bytes | None:
        return encode_map(self._entries)

    def load_body(self, payload: bytes | None) -> None:
        self._entries = decode_map(payload, self.limits)

    def load_value(self, value: dict[str, Value | None]) -> None:
        self._entries = value

    def body_value(self) -> dict[str, Value | None]:
        return dict(self._entries)
