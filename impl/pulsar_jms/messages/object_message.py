"""ObjectMessage, without loading code: what Java serialised is plain data or stays opaque."""

from __future__ import annotations

import builtins

from jmsapi.errors import MessageFormatException
from jmsapi.messages import ObjectMessage
from pulsar_jms.formats.java_serialization import OpaqueObject
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind, decode_object, encode_object
from pulsar_jms.messages.message import PulsarMessage


@implements("JMS-BODY-036", "JMS-BODY-037", "JMS-BODY-039", "API-OBJ-001..003")
class PulsarObjectMessage(PulsarMessage, ObjectMessage):
    """An object in serialised form, so that setting and getting copy it."""

    KIND = MessageKind.OBJECT

    def __init__(self, value: builtins.object = None) -> None:
        super().__init__()
        self._stream = encode_object(value)

    @property
    def object(self) -> builtins.object:
        """A copy of the object; `MessageFormatException` names a class that is not loaded."""
        value = decode_object(self._stream, self.limits)
        if isinstance(value, OpaqueObject):
            raise MessageFormatException(
                f"the object is {value.class_name}, which is not loaded here: "
                "null, boxed primitives, String, byte[], ArrayList and HashMap of these are read"
            )
        return value

    @object.setter  # noqa: A003 (JMS names the attribute)
    def object(self, value: builtins.object) -> None:
        self.require_writable_body()
        self._stream = encode_object(value)

    def clear_body(self) -> None:
        super().clear_body()
        self._stream = None

    def encoded_body(self) -> bytes | None:
        return self._stream

    def load_body(self, payload: bytes | None) -> None:
        # Read once to find a broken stream now, before the message counts as delivered.
        decode_object(payload, self.limits)
        self._stream = payload

    def load_value(self, value: builtins.object) -> None:
        self._stream = encode_object(value, self.limits.depth)

    def body_value(self) -> builtins.object:
        return self.object

    def is_body_assignable_to(self, kind: type) -> bool:
        try:
            return super().is_body_assignable_to(kind)
        except MessageFormatException:
            return False
