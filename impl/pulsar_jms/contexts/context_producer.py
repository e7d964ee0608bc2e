"""The producer of the simplified API (JMS 2.0, section 7.2)."""

from __future__ import annotations

from typing import Any, Self

from jmsapi import CompletionListener, Destination, InvalidDestinationException, Message
from pulsar_jms.contexts.unchecked import unchecked
from pulsar_jms.implements import implements
from pulsar_jms.messages import PulsarMessage, message_for
from pulsar_jms.producing.producer import PulsarMessageProducer


@implements("JMS-CTX-009", "API-JPROD-001..039")
class PulsarJMSProducer:
    """Sends messages and bare bodies; its settings, headers and properties go with each.

    What is set here overrides what a message says itself (JMS 2.0, JMSProducer).
    """

    def __init__(self, producer: PulsarMessageProducer) -> None:
        self._producer = producer
        self._properties = PulsarMessage()
        self._headers: dict[str, Any] = {}
        self._listener: CompletionListener | None = None

    # -- sending -------------------------------------------------------------------------------

    @unchecked
    @implements("JMS-CTX-006..008")
    def send(self, destination: Destination, body: object) -> Self:
        """Send a message, or a body: str, bytes, a mapping, another serialisable, or None."""
        if destination is None:
            raise InvalidDestinationException("send() needs a destination, this one is null")
        message = body if isinstance(body, Message) else message_for(body)
        for name in self._properties.property_names():
            message.set_object_property(name, self._properties.get_object_property(name))
        for name, value in self._headers.items():
            setattr(message, name, value)
        self._producer.send(message, destination=destination, completion_listener=self._listener)
        return self

    @unchecked
    def set_async(self, listener: CompletionListener | None) -> Self:
        """Send asynchronously and report to `listener`; None to wait for each send."""
        self._listener = listener
        return self

    @property
    def completion_listener(self) -> CompletionListener | None:
        """Who gets the outcome of sends, None while each send waits."""
        return self._listener

    # -- settings ------------------------------------------------------------------------------

    @unchecked
    def set_delivery_delay(self, milliseconds: int) -> Self:
        """Deliver no sooner than this after the send."""
        self._producer.delivery_delay = milliseconds
        return self

    @unchecked
    def set_delivery_mode(self, mode: int) -> Self:
        """PERSISTENT or NON_PERSISTENT."""
        self._producer.delivery_mode = mode
        return self

    @unchecked
    def set_disable_message_id(self, value: bool) -> Self:
        """A hint without effect."""
        self._producer.disable_message_id = value
        return self

    @unchecked
    def set_disable_message_timestamp(self, value: bool) -> Self:
        """Send without the time of sending."""
        self._producer.disable_message_timestamp = value
        return self

    @unchecked
    def set_priority(self, priority: int) -> Self:
        """0 to 9."""
        self._producer.priority = priority
        return self

    @unchecked
    def set_time_to_live(self, milliseconds: int) -> Self:
        """Expire after this; 0 means never."""
        self._producer.time_to_live = milliseconds
        return self

    @property
    @unchecked
    def delivery_delay(self) -> int:
        """Milliseconds before a message may be delivered."""
        return self._producer.delivery_delay

    @property
    @unchecked
    def delivery_mode(self) -> int:
        """PERSISTENT or NON_PERSISTENT."""
        return self._producer.delivery_mode

    @property
    @unchecked
    def disable_message_id(self) -> bool:
        """A hint without effect."""
        return self._producer.disable_message_id

    @property
    @unchecked
    def disable_message_timestamp(self) -> bool:
        """Whether messages travel without the time of sending."""
        return self._producer.disable_message_timestamp

    @property
    @unchecked
    def priority(self) -> int:
        """0 to 9."""
        return self._producer.priority

    @property
    @unchecked
    def time_to_live(self) -> int:
        """Milliseconds until a message expires; 0 means never."""
        return self._producer.time_to_live

    # -- headers -------------------------------------------------------------------------------

    def set_jms_correlation_id(self, value: str | None) -> Self:
        """The correlation id of each message; None leaves the message's own."""
        self._headers.pop("jms_correlation_id_as_bytes", None)
        return self._header("jms_correlation_id", value)

    def set_jms_correlation_id_as_bytes(self, value: bytes | None) -> Self:
        """The correlation id of each message in bytes; None leaves the message's own."""
        self._headers.pop("jms_correlation_id", None)
        return self._header("jms_correlation_id_as_bytes", value)

    def set_jms_reply_to(self, destination: Destination | None) -> Self:
        """The reply destination of each message; None leaves the message's own."""
        return self._header("jms_reply_to", destination)

    def set_jms_type(self, value: str | None) -> Self:
        """The type of each message; None leaves the message's own."""
        return self._header("jms_type", value)

    def _header(self, name: str, value: object) -> Self:
        if value is None:
            self._headers.pop(name, None)
        else:
            self._headers[name] = value
        return self

    @property
    def jms_correlation_id(self) -> str | None:
        """The correlation id that is set, as text."""
        return self._correlation().jms_correlation_id

    @property
    def jms_correlation_id_as_bytes(self) -> bytes | None:
        """The correlation id that is set, in bytes."""
        return self._correlation().jms_correlation_id_as_bytes

    def _correlation(self) -> PulsarMessage:
        message = PulsarMessage()
        for name in ("jms_correlation_id", "jms_correlation_id_as_bytes"):
            if name in self._headers:
                setattr(message, name, self._headers[name])
        return message

    @property
    def jms_reply_to(self) -> Destination | None:
        """The reply destination that is set."""
        return self._headers.get("jms_reply_to")

    @property
    def jms_type(self) -> str | None:
        """The type that is set."""
        return self._headers.get("jms_type")

    # -- properties ----------------------------------------------------------------------------

    @unchecked
    def set_property(self, name: str, value: object) -> Self:
        """A property of each message, in the type of `value`."""
        self._properties.set_object_property(name, value)
        return self

    def clear_properties(self) -> Self:
        """Forget the properties."""
        self._properties.clear_properties()
        return self

    def property_exists(self, name: str) -> bool:
        """Whether a property is set."""
        return self._properties.property_exists(name)

    def property_names(self) -> set[str]:
        """The names of the properties."""
        return set(self._properties.property_names())

    @unchecked
    def get_boolean_property(self, name: str) -> bool:
        """The property as boolean."""
        return self._properties.get_boolean_property(name)

    @unchecked
    def get_byte_property(self, name: str) -> int:
        """The property as byte."""
        return self._properties.get_byte_property(name)

    @unchecked
    def get_short_property(self, name: str) -> int:
        """The property as short."""
        return self._properties.get_short_property(name)

    @unchecked
    def get_int_property(self, name: str) -> int:
        """The property as int."""
        return self._properties.get_int_property(name)

    @unchecked
    def get_long_property(self, name: str) -> int:
        """The property as long."""
        return self._properties.get_long_property(name)

    @unchecked
    def get_float_property(self, name: str) -> float:
        """The property as float."""
        return self._properties.get_float_property(name)

    @unchecked
    def get_double_property(self, name: str) -> float:
        """The property as double."""
        return self._properties.get_double_property(name)

    @unchecked
    def get_string_property(self, name: str) -> str | None:
        """The property as String."""
        return self._properties.get_string_property(name)

    @unchecked
    def get_object_property(self, name: str) -> object:
        """The property in its own type."""
        return self._properties.get_object_property(name)
