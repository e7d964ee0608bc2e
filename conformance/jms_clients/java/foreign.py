"""Messages that no Java client made, as objects of Java that implement the interfaces of JMS.

Every method is answered by the message of jmsapi itself, by the same tables that read messages of
Java, so a client that reads only the interface sees all of it, and what it sets is set on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jms_clients.java.errors import checked_java_error
from jms_clients.java.messages import (
    JavaBytesMessage,
    JavaMapMessage,
    JavaMessage,
    JavaObjectMessage,
    JavaStreamMessage,
    JavaTextMessage,
)
from jms_clients.java.objects import JavaAttribute, JavaMethod, Jms
from jmsapi import (
    BytesMessage,
    MapMessage,
    Message,
    ObjectMessage,
    StreamMessage,
    TextMessage,
)

_KINDS: tuple[tuple[type[Message], type[JavaMessage]], ...] = (
    (TextMessage, JavaTextMessage),
    (ObjectMessage, JavaObjectMessage),
    (MapMessage, JavaMapMessage),
    (StreamMessage, JavaStreamMessage),
    (BytesMessage, JavaBytesMessage),
)


def java_message(jms: Jms, message: Message | None) -> Any:
    """`message` for Java: its own object where a client in Java made it, else one that answers."""
    if message is None:
        return None
    return message.java if isinstance(message, JavaMessage) else implemented(jms, message)


def implemented(jms: Jms, message: Message) -> Any:
    """`message` as a Java object of the interface that fits its kind."""
    like = next((java for kind, java in _KINDS if isinstance(message, kind)), JavaMessage)
    methods = {
        name: _with_java_exceptions(jms, method)
        for name, method in _methods(jms, message, like).items()
    }
    return jms.implemented(like.declared, **methods)


def _methods(jms: Jms, message: Any, like: type[JavaMessage]) -> dict[str, Callable[..., Any]]:
    """By the names of Java, what answers them."""
    methods: dict[str, Callable[..., Any]] = {
        "getPropertyNames": lambda: _enumeration(jms, message.property_names()),
        "toString": lambda: jms.values.text(f"foreign {type(message).__name__}"),
    }
    for name in dir(like):
        member = getattr(like, name)
        if isinstance(member, JavaAttribute):
            getter, setter = member.reads, member.sets
            methods[getter.name] = _reader(jms, message, name, getter)
            if setter is not None:
                methods[setter.name] = _writer(jms, message, name, setter)
        elif isinstance(java := getattr(member, "java", None), JavaMethod):
            methods[java.name] = _caller(jms, message, name, java)
    if isinstance(message, MapMessage):
        methods["getMapNames"] = lambda: _enumeration(jms, message.map_names())
    if isinstance(message, (BytesMessage, StreamMessage)):
        methods["readBytes"] = lambda buffer, *length: _read_bytes(message, buffer, *length)
    return methods


def _reader(jms: Jms, message: Any, name: str, java: JavaMethod) -> Callable[[], Any]:
    return lambda: java.gives.to_java(jms, getattr(message, name))


def _writer(jms: Jms, message: Any, name: str, java: JavaMethod) -> Callable[[Any], None]:
    (kind,) = java.takes
    return lambda value: setattr(message, name, kind.from_java(jms, value))


def _caller(jms: Jms, message: Any, name: str, java: JavaMethod) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        given = (kind.from_java(jms, arg) for kind, arg in zip(java.takes, args, strict=True))
        return java.gives.to_java(jms, getattr(message, name)(*given))

    return call


def _read_bytes(message: BytesMessage | StreamMessage, buffer: Any, *length: int) -> int:
    """Java's readBytes: fills the array and tells how much of it, -1 at the end."""
    content = message.read_bytes(int(length[0]) if length else len(buffer))
    if content is None:
        return -1
    buffer[: len(content)] = content
    return len(content)


def _enumeration(jms: Jms, names: Iterable[str]) -> Any:
    texts = jms.values.to_java(list(names))
    return jms.run(jms.static("java.util.Collections").enumeration, texts)


def _with_java_exceptions(jms: Jms, method: Callable[..., Any]) -> Callable[..., Any]:
    """`method`, whose exceptions of jmsapi Java sees as its own."""

    def call(*args: Any) -> Any:
        try:
            return method(*args)
        except Exception as error:
            thrown = checked_java_error(error, jms.namespace)
            raise thrown from error

    return call
