"""The six kinds of messages of a Java JMS client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jms_clients.errors import ClientError
from jms_clients.java.destinations import DESTINATION
from jms_clients.java.objects import (
    BOOLEAN,
    BYTE,
    BYTES,
    CHAR,
    CLASS,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    MILLISECONDS,
    NUMBER,
    OBJECT,
    SERIALIZABLE,
    SHORT,
    TEXT,
    JavaConversion,
    JavaObject,
    Jms,
    attribute,
    call,
    fact,
    texts,
)
from jmsapi import (
    BytesMessage,
    MapMessage,
    Message,
    ObjectMessage,
    StreamMessage,
    TextMessage,
)


class JavaMessage(JavaObject, Message):
    """A message without a body, and the root of the other five."""

    declared = "Message"

    jms_message_id = attribute("JMSMessageID", TEXT)
    jms_timestamp = attribute("JMSTimestamp", MILLISECONDS)
    jms_correlation_id = attribute("JMSCorrelationID", TEXT)
    jms_correlation_id_as_bytes = attribute("JMSCorrelationIDAsBytes", BYTES)
    jms_reply_to = attribute("JMSReplyTo", DESTINATION)
    jms_destination = attribute("JMSDestination", DESTINATION)
    jms_delivery_mode = attribute("JMSDeliveryMode", NUMBER)
    jms_redelivered = attribute("JMSRedelivered", BOOLEAN)
    jms_type = attribute("JMSType", TEXT)
    jms_expiration = attribute("JMSExpiration", MILLISECONDS)
    jms_delivery_time = attribute("JMSDeliveryTime", MILLISECONDS)
    jms_priority = attribute("JMSPriority", NUMBER)

    clear_properties = call("clearProperties")
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
    set_boolean_property = call("setBooleanProperty", TEXT, BOOLEAN)
    set_byte_property = call("setByteProperty", TEXT, BYTE)
    set_short_property = call("setShortProperty", TEXT, SHORT)
    set_int_property = call("setIntProperty", TEXT, INT)
    set_long_property = call("setLongProperty", TEXT, LONG)
    set_float_property = call("setFloatProperty", TEXT, FLOAT)
    set_double_property = call("setDoubleProperty", TEXT, DOUBLE)
    set_string_property = call("setStringProperty", TEXT, TEXT)
    set_object_property = call("setObjectProperty", TEXT, OBJECT)
    acknowledge = call("acknowledge")
    clear_body = call("clearBody")
    get_body = call("getBody", CLASS, gives=OBJECT)
    is_body_assignable_to = call("isBodyAssignableTo", CLASS, gives=BOOLEAN)

    def property_names(self) -> Iterator[str]:
        """The names of the properties."""
        return iter(texts(self.jms, self.call("getPropertyNames")))


class JavaTextMessage(JavaMessage, TextMessage):
    """A message with a text."""

    declared = "TextMessage"

    text = attribute("Text", TEXT)


class JavaObjectMessage(JavaMessage, ObjectMessage):
    """A message with a serialisable object."""

    declared = "ObjectMessage"

    object = attribute("Object", SERIALIZABLE)


class _ReadBytes(JavaObject):
    """Reads raw bytes, of a bytes body or of an item of a stream."""

    def read_bytes(self, length: int) -> bytes | None:
        """Up to `length` bytes; None at the end (Java's -1)."""
        buffer = self.jms.values.buffer(length)
        count = int(self.call("readBytes", buffer))
        return None if count < 0 else bytes(buffer)[:count]


class _BothBodies(_ReadBytes):
    """What bytes and stream messages have alike."""

    reset = call("reset")
    read_boolean = call("readBoolean", gives=BOOLEAN)
    read_byte = call("readByte", gives=BYTE)
    read_short = call("readShort", gives=SHORT)
    read_char = call("readChar", gives=CHAR)
    read_int = call("readInt", gives=INT)
    read_long = call("readLong", gives=LONG)
    read_float = call("readFloat", gives=FLOAT)
    read_double = call("readDouble", gives=DOUBLE)
    write_boolean = call("writeBoolean", BOOLEAN)
    write_byte = call("writeByte", BYTE)
    write_short = call("writeShort", SHORT)
    write_char = call("writeChar", CHAR)
    write_int = call("writeInt", INT)
    write_long = call("writeLong", LONG)
    write_float = call("writeFloat", FLOAT)
    write_double = call("writeDouble", DOUBLE)
    write_bytes = call("writeBytes", BYTES)
    write_object = call("writeObject", OBJECT)


class JavaBytesMessage(_BothBodies, JavaMessage, BytesMessage):
    """A message with uninterpreted bytes."""

    declared = "BytesMessage"

    body_length = fact("getBodyLength", MILLISECONDS)

    def read_bytes(self, length: int, room: int | None = None) -> bytes | None:
        """Up to `length` bytes; None at the end (Java's -1)."""
        if room is None:
            return super().read_bytes(length)
        buffer = self.jms.values.buffer(room)
        count = int(self.call("readBytes", buffer, INT.to_java(self.jms, length)))
        return None if count < 0 else bytes(buffer)[:count]

    read_unsigned_byte = call("readUnsignedByte", gives=NUMBER)
    read_unsigned_short = call("readUnsignedShort", gives=NUMBER)
    read_utf = call("readUTF", gives=TEXT)
    write_utf = call("writeUTF", TEXT)


class JavaStreamMessage(_BothBodies, JavaMessage, StreamMessage):
    """A message with a sequence of typed items."""

    declared = "StreamMessage"

    read_string = call("readString", gives=TEXT)
    read_object = call("readObject", gives=OBJECT)
    write_string = call("writeString", TEXT)


class JavaMapMessage(JavaMessage, MapMessage):
    """A message with named, typed values."""

    declared = "MapMessage"

    item_exists = call("itemExists", TEXT, gives=BOOLEAN)
    get_boolean = call("getBoolean", TEXT, gives=BOOLEAN)
    get_byte = call("getByte", TEXT, gives=BYTE)
    get_short = call("getShort", TEXT, gives=SHORT)
    get_char = call("getChar", TEXT, gives=CHAR)
    get_int = call("getInt", TEXT, gives=INT)
    get_long = call("getLong", TEXT, gives=LONG)
    get_float = call("getFloat", TEXT, gives=FLOAT)
    get_double = call("getDouble", TEXT, gives=DOUBLE)
    get_string = call("getString", TEXT, gives=TEXT)
    get_bytes = call("getBytes", TEXT, gives=BYTES)
    get_object = call("getObject", TEXT, gives=OBJECT)
    set_boolean = call("setBoolean", TEXT, BOOLEAN)
    set_byte = call("setByte", TEXT, BYTE)
    set_short = call("setShort", TEXT, SHORT)
    set_char = call("setChar", TEXT, CHAR)
    set_int = call("setInt", TEXT, INT)
    set_long = call("setLong", TEXT, LONG)
    set_float = call("setFloat", TEXT, FLOAT)
    set_double = call("setDouble", TEXT, DOUBLE)
    set_string = call("setString", TEXT, TEXT)
    set_bytes = call("setBytes", TEXT, BYTES)
    set_object = call("setObject", TEXT, OBJECT)

    def map_names(self) -> list[str]:
        """The names of the items."""
        return texts(self.jms, self.call("getMapNames"))


_KINDS: tuple[type[JavaMessage], ...] = (
    JavaTextMessage,
    JavaBytesMessage,
    JavaMapMessage,
    JavaStreamMessage,
    JavaObjectMessage,
)


def message_of(jms: Jms, java: Any) -> Any:
    """The message of Java as one of jmsapi; None for null.

    `ClientError` for one that is of several kinds at once, which nobody could tell apart.
    """
    if java is None:
        return None
    fitting = [kind for kind in _KINDS if isinstance(java, jms.interface(kind.declared))]
    if len(fitting) > 1:
        names = " and ".join(kind.declared for kind in fitting)
        raise ClientError(f"{java.getClass().getName()} is {names} at once")
    return (fitting[0] if fitting else JavaMessage)(jms, java)


MESSAGE = JavaConversion(lambda _, message: None if message is None else message.java, message_of)
