"""What one call of JMS 2.0 does, by the calls of JMS 1.1 where the client has no other.

A client that has the newer call is asked by it. What a statement says of that call itself is never
judged so: a scenario then makes the call, and is NOT-APPLICABLE where there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from jms_clients.errors import NotInThisVersion
from jms_clients.origins import Origin, mark
from jmsapi import (
    BytesMessage,
    Message,
    MessageConsumer,
    MessageFormatException,
    Session,
    StreamMessage,
    Topic,
    UnsupportedOperationException,
)
from touchstone.scenario.bodies import content_of, kind_of

Body = TypeVar("Body")
T = TypeVar("T")
SENDS_ONLY_SYNCHRONOUSLY: Final = (UnsupportedOperationException, NotInThisVersion)
"""How a send that is given a completion listener fails where every send waits."""


def body_of(message: Message, kind: type[Body]) -> Body | None:
    """What getBody gives; a body of another kind is refused as getBody does, the client's doing."""
    try:
        return message.get_body(kind)
    except NotInThisVersion:
        pass
    if not isinstance(message, StreamMessage):
        body = _read(message)
        if body is None or isinstance(body, kind):
            return body
    refusal = MessageFormatException(f"a {kind_of(message)} message came, not a {kind.__name__}")
    mark(refusal, Origin.CLIENT)
    raise refusal


def _read(message: Message) -> Any:
    """The whole body of a message that can be read, which can be read again."""
    if not isinstance(message, BytesMessage):
        return content_of(message)
    length = message.body_length
    message.reset()
    body = message.read_bytes(length) if length else b""
    message.reset()
    return body


def durable_consumer(
    session: Session, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
) -> MessageConsumer:
    """The only consumer of a subscription that stays, by createDurableSubscriber if need be."""
    choice: tuple[Any, ...] = (selector, no_local) if no_local else (selector,)
    given = topic, name, *(() if choice == (None,) else choice)
    try:
        return session.create_durable_consumer(*given)
    except NotInThisVersion:
        pass
    return session.create_durable_subscriber(*given)


def if_there_is(call: Callable[[], T]) -> list[T]:
    """What a call gives, in a list, that is one of several alike; nothing where it is too new."""
    try:
        return [call()]
    except NotInThisVersion:
        return []
