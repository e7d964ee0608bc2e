"""Producers of a Java JMS client, of both APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from jms_clients.java.destinations import DESTINATION
from jms_clients.java.foreign import java_message
from jms_clients.java.listeners import Given, java_completion_listener
from jms_clients.java.objects import (
    BOOLEAN,
    BYTE,
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    MILLISECONDS,
    NUMBER,
    OBJECT,
    SHORT,
    TEXT,
    JavaConversion,
    JavaObject,
    JavaResource,
    Jms,
    attribute,
    call,
    fact,
)
from jmsapi import Byte, CompletionListener, Destination, Double, Float, Int, Long, Message, Short

_WITH_A_SETTER = (bool, Byte, Short, Int, Long, Float, Double, str)
"""Types of values for which a producer has a setProperty of its own."""


_NULLS = {
    "String": "java.lang.String",
    "Map": "java.util.Map",
    "byte[]": "byte[]",
    "Serializable": "java.io.Serializable",
}
"""The classes of bodies for which a JMSProducer has a send() of its own."""


class JavaMessageProducer(JavaResource):
    """A producer; one `send` for Java's eight."""

    declared = "MessageProducer"
    sends: ClassVar[str] = "send"
    """The method that sends and waits."""

    disable_message_id = attribute("DisableMessageID", BOOLEAN)
    disable_message_timestamp = attribute("DisableMessageTimestamp", BOOLEAN)
    delivery_mode = attribute("DeliveryMode", NUMBER)
    priority = attribute("Priority", NUMBER)
    time_to_live = attribute("TimeToLive", MILLISECONDS)
    delivery_delay = attribute("DeliveryDelay", MILLISECONDS)
    destination = fact("getDestination", DESTINATION)

    def send(
        self,
        message: Message,
        *,
        destination: Destination | None = None,
        delivery_mode: int | None = None,
        priority: int | None = None,
        time_to_live: int | None = None,
        completion_listener: CompletionListener | None = None,
    ) -> None:
        """Send `message`; with a completion listener asynchronously."""
        jms = self.jms
        sent = java_message(jms, message)
        args: list[Any] = []
        if destination is not None:
            args.append(DESTINATION.to_java(jms, destination))
        args.append(jms.declared(sent, "Message"))
        if (delivery_mode, priority, time_to_live) != (None, None, None):
            args += [
                NUMBER.to_java(jms, self.delivery_mode if delivery_mode is None else delivery_mode),
                NUMBER.to_java(jms, self.priority if priority is None else priority),
                MILLISECONDS.to_java(
                    jms, self.time_to_live if time_to_live is None else time_to_live
                ),
            ]
        if completion_listener is not None:
            args.append(java_completion_listener(jms, completion_listener, sent, message))
        self.call("send" if completion_listener else self.sends, *args)


class JavaQueueSender(JavaMessageProducer):
    """A producer for queues, by its older name."""

    declared = "QueueSender"


class JavaTopicPublisher(JavaMessageProducer):
    """A producer for topics, by its older name."""

    declared = "TopicPublisher"
    sends = "publish"


def _setting(name: str, kind: JavaConversion) -> Any:
    """A setter that gives the producer back."""

    def method(self: JavaJMSProducer, value: Any) -> JavaJMSProducer:
        self.call(f"set{name}", kind.to_java(self.jms, value))
        return self

    return method


class JavaJMSProducer(JavaObject):
    """The simplified API's producer."""

    declared = "JMSProducer"

    set_delivery_delay = _setting("DeliveryDelay", MILLISECONDS)
    set_delivery_mode = _setting("DeliveryMode", NUMBER)
    set_disable_message_id = _setting("DisableMessageID", BOOLEAN)
    set_disable_message_timestamp = _setting("DisableMessageTimestamp", BOOLEAN)
    set_priority = _setting("Priority", NUMBER)
    set_time_to_live = _setting("TimeToLive", MILLISECONDS)
    set_jms_correlation_id = _setting("JMSCorrelationID", TEXT)
    set_jms_correlation_id_as_bytes = _setting("JMSCorrelationIDAsBytes", BYTES)
    set_jms_reply_to = _setting("JMSReplyTo", DESTINATION)
    set_jms_type = _setting("JMSType", TEXT)

    delivery_delay = fact("getDeliveryDelay", MILLISECONDS)
    delivery_mode = fact("getDeliveryMode", NUMBER)
    disable_message_id = fact("getDisableMessageID", BOOLEAN)
    disable_message_timestamp = fact("getDisableMessageTimestamp", BOOLEAN)
    priority = fact("getPriority", NUMBER)
    time_to_live = fact("getTimeToLive", MILLISECONDS)
    jms_correlation_id = fact("getJMSCorrelationID", TEXT)
    jms_correlation_id_as_bytes = fact("getJMSCorrelationIDAsBytes", BYTES)
    jms_reply_to = fact("getJMSReplyTo", DESTINATION)
    jms_type = fact("getJMSType", TEXT)

    property_exists = call("propertyExists", TEXT, gives=BOOLEAN)
    get_boolean_property = call("getBooleanProperty", TEXT, gives=BOOLEAN)
    get_byte_property = call("getByteProperty", TEXT, gives=BYTE)
    get_short_property = call("getShortProperty", TEXT, gives=SHORT)
    get_int_property = call("getIntProperty", TEXT, gives=INT)
    get_long_property = call("getLongProperty", TEXT, gives=LONG)
    get_float_property = call("getFloatProperty", TEXT, gives=FLOAT)
    get_double_property = call("getDoubleProperty", TEXT, gives=DOUBLE)
    get_string_property = call("getStringProperty", TEXT, gives=TEXT)
    get_object_property = call("getObjectProperty", TEXT, gives=OBJECT)

    def __init__(self, jms: Jms, java: Any) -> None:
        super().__init__(jms, java)
        self._listener: CompletionListener | None = None
        self._listeners = Given()

    def send(self, destination: Destination, body: object) -> Self:
        """Send a message, or a body: str, bytes, a mapping, another serialisable, or None."""
        original = body if isinstance(body, Message) else None
        sent = java_message(self.jms, original)
        if self._listener is not None:
            told = java_completion_listener(self.jms, self._listener, sent, original)
            self.call("setAsync", told)
            self._listeners.note(told, self._listener)
        java = self._java_body(body) if sent is None else self.jms.declared(sent, "Message")
        self.call("send", DESTINATION.to_java(self.jms, destination), java)
        return self

    def send_null(self, destination: Destination, of: str) -> Self:
        """Send null by the send() whose parameter is of this class: `Map`, `Message`."""
        jms = self.jms
        null = jms.declared(None, of) if of == "Message" else jms.cast(None, _NULLS[of])
        self.call("send", DESTINATION.to_java(jms, destination), null)
        return self

    def _java_body(self, body: object) -> Any:
        values = self.jms.values
        if isinstance(body, str):
            return TEXT.to_java(self.jms, body)
        if isinstance(body, (bytes, bytearray, memoryview)):
            return values.bytes(bytes(body))
        if isinstance(body, Mapping):
            return self.jms.cast(values.to_java(body), "java.util.Map")
        return self.jms.cast(values.serializable(body), "java.io.Serializable")

    def set_async(self, listener: CompletionListener | None) -> Self:
        """Send asynchronously and tell `listener`; None to wait for each send."""
        told = None
        if listener is not None:
            told = java_completion_listener(self.jms, listener, None, None)
        self.call("setAsync", told)
        self._listener = listener
        self._listeners.note(told, listener)
        return self

    @property
    def completion_listener(self) -> CompletionListener | None:
        """Who is told the outcome of sends, None while each send waits."""
        return self._listeners.of(self.call("getAsync"))  # type: ignore[no-any-return]

    def set_property(self, name: str, value: object) -> Self:
        """A property of each message, in the type of `value`."""
        values = self.jms.values
        if type(value) in _WITH_A_SETTER:
            java = values.primitive(value)
        else:
            java = self.jms.cast(values.to_java(value), "java.lang.Object")
        named = self.jms.cast(TEXT.to_java(self.jms, name), "java.lang.String")
        self.call("setProperty", named, java)
        return self

    def clear_properties(self) -> Self:
        """Forget the properties."""
        self.call("clearProperties")
        return self

    def property_names(self) -> set[str]:
        """The names of the properties."""
        return {str(name) for name in self.call("getPropertyNames")}
