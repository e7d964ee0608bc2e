"""Messages that no Java client made, as objects of Java that implement the interfaces of JMS.

Every method is answered by the message of jmsapi itself, by the same tables that read messages of
Java, so a client that reads only the interface sees all of it, and what it sets is set on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, runtime_checkable

from jms_clients.calls import Thrown, unheard_calls
from jms_clients.java.errors import checked_java_error
from jms_clients.java.messages import (
    JavaBytesMessage,
    JavaMapMessage,
    JavaMessage,
    JavaObjectMessage,
    JavaStreamMessage,
    JavaTextMessage,
)
from jms_clients.java.objects import (
    BYTES,
    OBJECT,
    SERIALIZABLE,
    TEXT,
    JavaAttribute,
    JavaConversion,
    JavaMethod,
    Jms,
)
from jmsapi import (
    BytesMessage,
    Destination,
    MapMessage,
    Message,
    ObjectMessage,
    StreamMessage,
    TextMessage,
)


@runtime_checkable
class TellsContent(Protocol):
    """A message that tells all that it has, of which it takes no note, to be implemented again."""

    def content(self) -> tuple[Mapping[str, object], object]:
        """Its properties by name, and its body: a text, bytes, an object, entries or items."""
        ...


@runtime_checkable
class Unreadable(Protocol):
    """A value that nobody can read."""

    def fail(self, what: str) -> NoReturn:
        """Raise what reading it raises."""
        ...


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
    proxy = jms.implemented(like.declared, **methods)
    if isinstance(message, TellsContent):
        jms.note_foreign(proxy, like.declared, lambda: _content(jms, message, message.content()))
    return proxy


def _content(
    jms: Jms, message: Message, content: tuple[Mapping[str, object], object]
) -> Sequence[Any]:
    """Its headers, properties and body in values of Java."""
    properties, body = content
    headers = {
        member.reads.name.removeprefix("get"): _told(jms, member.reads.gives, value)
        for name in dir(JavaMessage)
        if isinstance(member := getattr(JavaMessage, name), JavaAttribute)
        and (value := getattr(message, name)) is not None
    }
    return headers, _all_told(jms, properties), _body_told(jms, message, body)


def _body_told(jms: Jms, message: Message, body: Any) -> Any:
    match message:
        case MapMessage():
            return _all_told(jms, body)
        case StreamMessage():
            return [_told(jms, OBJECT, item) for item in body]
        case BytesMessage():
            return _told(jms, BYTES, body)
        case TextMessage():
            return _told(jms, TEXT, body)
    return _told(jms, SERIALIZABLE, body)


def _all_told(jms: Jms, values: Mapping[str, object]) -> dict[str, Any]:
    return {name: _told(jms, OBJECT, value) for name, value in values.items()}


def _told(jms: Jms, kind: JavaConversion, value: Any) -> Any:
    """A value for Java, or what reading it throws; nobody hears of it, but of destinations."""
    try:
        if isinstance(value, Destination):
            return kind.to_java(jms, value)
        with unheard_calls():
            if isinstance(value, Unreadable):
                value.fail("it")
            return kind.to_java(jms, value)
    except Exception as error:
        return Thrown(str(checked_java_error(error, jms.namespace).getClass().getName()))


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
