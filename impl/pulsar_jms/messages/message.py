"""What all messages have: header fields, properties, acknowledgement; and the body-less message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, cast

from jmsapi.constants import DEFAULT_DELIVERY_MODE, DEFAULT_PRIORITY
from jmsapi.conversions import (
    T,
    is_a,
    typed_boolean,
    typed_floating,
    typed_integral,
    typed_property,
    typed_string,
)
from jmsapi.destinations import Destination
from jmsapi.errors import (
    IllegalStateException,
    MessageFormatException,
    MessageNotReadableException,
    MessageNotWriteableException,
)
from jmsapi.messages import Body, Message
from jmsapi.values import Byte, Double, Float, Int, Long, PropertyValue, Short
from pulsar_jms.formats.limits import UNLIMITED, BodyLimits
from pulsar_jms.formats.modified_utf8 import as_utf8_allows
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.headers import read_delivery_time, read_expiration
from pulsar_jms.mapping.properties import (
    DELIVERY_COUNT,
    Properties,
    ReadableProperties,
    Unreadable,
    check_name,
    read_property,
    visible_names,
)
from pulsar_jms.mapping.redelivery_counts import delivery_count, is_redelivered
from pulsar_jms.messages.received_properties import ReceivedProperties
from pulsar_jms.transport.wire_messages import Incoming

Acknowledger = Callable[["PulsarMessage"], None]
"""What acknowledge() of a message calls; the session that delivered it supplies it."""

_DELIVERY_MODE, _PRIORITY = int(DEFAULT_DELIVERY_MODE), DEFAULT_PRIORITY


@implements("JMS-HDR-024", "JMS-CONN-018", "JMS-SESS-005", "API-MSG-001..042")
class PulsarMessage(Message):
    """A message without a body, and the root of the other five.

    `incoming` is the raw message of a received one. What is seldom asked for is read from it at
    first use.
    """

    KIND: ClassVar[MessageKind] = MessageKind.HEADER

    jms_destination: Destination | None = None
    jms_delivery_mode: int = _DELIVERY_MODE
    jms_priority: int = _PRIORITY
    jms_reply_to: Destination | None = None
    jms_type: str | None = None
    correlation: bytes | None = None
    """The correlation id in bytes, from which both of its forms are read."""
    incoming: Incoming | None = None
    acknowledger: Acknowledger | None = None
    limits: BodyLimits = UNLIMITED
    """How much a body may hold that is read from bytes."""
    body_read_only = False
    _wire: Mapping[str, str] = MappingProxyType({})
    """The raw properties of a received message."""
    _message_id: str | None = None
    _identify: Callable[[], str] | None = None
    _chose_message_id = False
    # None stands for a field that was neither set nor read yet.
    _timestamp: int | None = None
    _delivery_time: int | None = None
    _redelivered: bool | None = None
    _expiration: int | None = None
    _chose_expiration = False
    _properties_read_only = False

    def __init__(self) -> None:
        self._properties: ReadableProperties = {}

    def __repr__(self) -> str:
        return f"<{self.KIND.value} message {self.jms_message_id or 'not sent yet'}>"

    # -- header fields -------------------------------------------------------------------------

    @property
    def jms_timestamp(self) -> int:
        """Milliseconds since the epoch, the time of sending; 0 where it is not known."""
        if self._timestamp is None:
            self._timestamp = self._sent_at()
        return self._timestamp

    @jms_timestamp.setter
    def jms_timestamp(self, value: int) -> None:
        self._timestamp = value

    @property
    def jms_delivery_time(self) -> int:
        """Milliseconds since the epoch; 0 before the first send."""
        if self._delivery_time is None:
            self._delivery_time = read_delivery_time(self._wire, self._sent_at())
        return self._delivery_time

    @jms_delivery_time.setter
    def jms_delivery_time(self, value: int) -> None:
        self._delivery_time = value

    @property
    @implements("JMS-HDR-019", "JMS-REDL-001")
    def jms_redelivered(self) -> bool:
        """Whether the message was delivered before."""
        if self._redelivered is None:
            incoming = self.incoming
            self._redelivered = incoming is not None and is_redelivered(incoming.redelivery_count)
        return self._redelivered

    @jms_redelivered.setter
    def jms_redelivered(self, value: bool) -> None:
        self._redelivered = value

    def _sent_at(self) -> int:
        return 0 if self.incoming is None else self.incoming.event_time or 0

    @property
    def jms_message_id(self) -> str | None:
        """The id; one set by the application before the send travels with the message."""
        identify = self._identify
        if identify is not None:
            self._message_id, self._identify = identify(), None
        return self._message_id

    @jms_message_id.setter
    def jms_message_id(self, value: str | None) -> None:
        self._message_id, self._identify = value, None
        self._chose_message_id = value is not None

    @property
    def chosen_message_id(self) -> str | None:
        """The id that the application set, None where the broker's is to apply."""
        return self._message_id if self._chose_message_id else None

    @property
    def jms_expiration(self) -> int:
        """Milliseconds since the epoch; 0 means never."""
        if self._expiration is None:
            self._expiration = read_expiration(self._wire)
        return self._expiration

    @jms_expiration.setter
    def jms_expiration(self, value: int) -> None:
        self._expiration = value
        self._chose_expiration = True

    @property
    def chosen_expiration(self) -> int | None:
        """The expiration to write: one other than never, or whatever the application set."""
        expiration = self.jms_expiration
        return expiration if self._chose_expiration or expiration else None

    @property
    @implements("JMS-HDR-013", "JMS-HDR-027")
    def jms_correlation_id(self) -> str | None:
        """The correlation id as text; bytes that are not UTF-8 show as U+FFFD."""
        return None if self.correlation is None else self.correlation.decode("utf-8", "replace")

    @jms_correlation_id.setter
    def jms_correlation_id(self, value: str | None) -> None:
        self.correlation = None if value is None else as_utf8_allows(value).encode()

    @property
    @implements("JMS-HDR-014")
    def jms_correlation_id_as_bytes(self) -> bytes | None:
        """The correlation id as bytes."""
        return self.correlation

    @jms_correlation_id_as_bytes.setter
    def jms_correlation_id_as_bytes(self, value: bytes | None) -> None:
        self.correlation = None if value is None else bytes(value)

    # -- what the client says of a message -----------------------------------------------------

    def become_received(
        self, incoming: Incoming, wire: Mapping[str, str], identify: Callable[[], str]
    ) -> None:
        """Become the received form of `incoming`, whose raw properties are `wire`.

        Body and properties are closed; `identify` gives the id, at its first use.
        """
        self.incoming = incoming
        self._wire = wire
        self._identify = identify
        self._properties = ReceivedProperties(incoming, wire)
        self._properties_read_only = True
        self.body_read_only = True

    def take_expiration(self, expiration: int) -> None:
        """Take the expiration of a send; 0 leaves one that the application set itself."""
        if expiration or not self._chose_expiration:
            self._expiration = expiration
            self._chose_expiration = False

    def take_message_id(self, identify: Callable[[], str]) -> None:
        """Take the id that the broker gave, at its first use, unless the application set one."""
        if not self._chose_message_id:
            self._identify = identify

    @property
    @implements("JMS-PROP-047")
    def outgoing_properties(self) -> Properties:
        """The properties as values, for sending; `MessageFormatException` if one is unreadable.

        The delivery count of a received message is not sent on.
        """
        if type(self._properties) is dict:
            return self._properties
        kept: Properties = {}
        for name, value in self._properties.items():
            if isinstance(value, Unreadable):
                raise value.refusal(name)
            if name != DELIVERY_COUNT:
                kept[name] = value
        return kept

    @property
    def delivery_count(self) -> int:
        """How often the message was delivered, this time included; 0 if it was not received."""
        return 0 if self.incoming is None else delivery_count(self.incoming.redelivery_count)

    # -- properties ----------------------------------------------------------------------------

    @implements("JMS-PROP-038..040")
    def clear_properties(self) -> None:
        """Drop the properties, which can be set again then; the body stays."""
        self._properties = {}
        self._properties_read_only = False

    def property_exists(self, name: str) -> bool:
        return self._properties.get(name) is not None

    @implements("JMS-PROP-036")
    def property_names(self) -> Iterator[str]:
        """The name of every property that the application sees, once each."""
        return iter(list(visible_names(self._properties)))

    def _property(self, name: str, kind: type[T]) -> T:
        return cast(T, read_property(self._properties, name, kind))

    def get_boolean_property(self, name: str) -> bool:
        return self._property(name, bool)

    def get_byte_property(self, name: str) -> Byte:
        return self._property(name, Byte)

    def get_short_property(self, name: str) -> Short:
        return self._property(name, Short)

    def get_int_property(self, name: str) -> Int:
        return self._property(name, Int)

    def get_long_property(self, name: str) -> Long:
        return self._property(name, Long)

    def get_float_property(self, name: str) -> Float:
        return self._property(name, Float)

    def get_double_property(self, name: str) -> Double:
        return self._property(name, Double)

    def get_string_property(self, name: str) -> str | None:
        return read_property(self._properties, name, str)

    @implements("JMS-PROP-034", "JMS-PROP-035")
    def get_object_property(self, name: str) -> PropertyValue | None:
        """The property in the type that was set; None where there is none."""
        value = self._properties.get(name)
        if isinstance(value, Unreadable):
            raise value.refusal(name)
        return value

    @implements("JMS-PROP-012", "JMS-ERR-007")
    def _set_property(self, name: str, value: PropertyValue | None) -> None:
        """Set a property; `MessageNotWriteableException` on a received message."""
        if self._properties_read_only:
            raise MessageNotWriteableException(
                f"property {name!r}: the properties of a received message are read-only, "
                "clear_properties() makes them writable"
            )
        check_name(name)
        cast(Properties, self._properties)[name] = value

    def set_boolean_property(self, name: str, value: bool) -> None:
        self._set_property(name, typed_boolean(value))

    def set_byte_property(self, name: str, value: int) -> None:
        self._set_property(name, typed_integral(value, Byte))

    def set_short_property(self, name: str, value: int) -> None:
        self._set_property(name, typed_integral(value, Short))

    def set_int_property(self, name: str, value: int) -> None:
        self._set_property(name, typed_integral(value, Int))

    def set_long_property(self, name: str, value: int) -> None:
        self._set_property(name, typed_integral(value, Long))

    def set_float_property(self, name: str, value: float) -> None:
        self._set_property(name, typed_floating(value, Float))

    def set_double_property(self, name: str, value: float) -> None:
        self._set_property(name, typed_floating(value, Double))

    def set_string_property(self, name: str, value: str | None) -> None:
        self._set_property(name, typed_string(value))

    def set_object_property(self, name: str, value: object) -> None:
        self._set_property(name, typed_property(value))

    # -- body ----------------------------------------------------------------------------------

    def acknowledge(self) -> None:
        if self.acknowledger is None:
            raise IllegalStateException(
                "this message was not received by a consumer, so there is nothing to acknowledge"
            )
        self.acknowledger(self)

    @implements("JMS-BODY-003", "JMS-BODY-004", "JMS-BODY-006")
    def clear_body(self) -> None:
        """Make the body that of a new message; the properties stay."""
        self.body_read_only = False

    def encoded_body(self) -> bytes | None:
        """The payload; None for Pulsar's null value."""
        return None

    def load_body(self, payload: bytes | None) -> None:
        """Take the body from a payload; `MessageFormatException` if it cannot be read."""

    def load_value(self, value: Any) -> None:
        """Take the body from a value that was read by a schema, of the type that belongs here."""
        raise NotImplementedError

    def body_value(self) -> object:
        """The body as one value, None where there is none."""
        return None

    def get_body(self, kind: type[Body]) -> Body | None:
        body = self.body_value()
        if is_a(body, kind):
            return cast("Body | None", body)
        raise MessageFormatException(
            f"the body is a {type(body).__name__} and cannot be given as {kind.__name__}"
        )

    def is_body_assignable_to(self, kind: type) -> bool:
        return is_a(self.body_value(), kind)

    @implements("JMS-BODY-005", "JMS-ERR-007")
    def require_writable_body(self) -> None:
        """Raise `MessageNotWriteableException` unless the body may be written."""
        if self.body_read_only:
            raise MessageNotWriteableException(
                "the body is read-only, clear_body() makes it writable"
            )

    @implements("JMS-ERR-006")
    def require_readable_body(self) -> None:
        """Raise `MessageNotReadableException` while the body is being written."""
        if not self.body_read_only:
            raise MessageNotReadableException(
                "the body is being written, reset() makes it readable"
            )
