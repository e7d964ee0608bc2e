"""Message listeners: set, called, and what their end settles (JMS 2.0, 6.2.9, 8.7 and 8.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, Gave, gives, kind_of_answer, succeeds
from jms_model.delivery import consumer_rules
from jms_model.delivery.backlog import Copy, MessageState
from jms_model.delivery.next_message import NextMessage, one_of
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.session import (
    CLIENT,
    UNSETTLED,
    Connection,
    Consumer,
    Received,
    Session,
    received_copy,
)
from jms_model.delivery.vendors import INDIVIDUAL

OVERLAPS: Final = "another call of a listener"
"""What the end of a listener gives where another call of one had begun before."""
_BY_LISTENERS: Final = {
    Session: ("send", "commit", "rollback", "recover", "acknowledge"),
    Consumer: ("close",),
    Received: ("acknowledge", "delivery", "text", "content", "change", "returns", "throws"),
}
"""What a listener may do with its session and what belongs to that."""
_FROM_OUTSIDE: Final = {
    Session: ("hear", "close"),
    Consumer: (),
    Received: ("delivery", "text", "content", "change"),
}
"""What may be done from outside while a session belongs to its listeners (JMS 2.0, 6.2.6)."""


def makes_sense(provider: ModelProvider, target: Any, method: str) -> bool:
    """Whether a call is made by the one thread that may make it, and does not race a delivery."""
    if isinstance(target, Connection):
        return method == "create_session" or _is_quiet(provider, target, method)
    session: Session = target if isinstance(target, Session) else target.session
    if session.closed_by or not (session.handled or session.listeners):
        return method not in ("hear", "returns", "throws")
    kind = type(target)
    if session.handled:
        return method in _BY_LISTENERS.get(kind, ())
    if method == "close" and isinstance(target, Session):
        return not _comes(provider, session)
    if _is_set_up(provider, session) and method in ("create_consumer", "listen"):
        return True
    return method in _FROM_OUTSIDE.get(kind, ())


def _is_quiet(provider: ModelProvider, connection: Connection, method: str) -> bool:
    """Whether no listener of a connection is called now, nor will be."""
    sessions = provider.sessions_of(connection)
    if method != "close" and provider.simplified:
        return not any(each.listeners for each in sessions)  # each has its own thread
    return not any(each.handled or _comes(provider, each) for each in sessions)


def _is_set_up(provider: ModelProvider, session: Session) -> bool:
    """Whether more listeners can be set: JMS-THR-004, JMS-CTX-005."""
    return not _comes(provider, session) and (provider.simplified or not session.connection.started)


def _comes(provider: ModelProvider, session: Session) -> bool:
    """Whether a listener of a session will be called, if it is not already."""
    return session.connection.started and any(
        NextMessage(provider, each).possible for each in session.listeners.values()
    )


def listen(provider: ModelProvider, consumer: Consumer) -> Expectation | None:
    """setMessageListener: from now on its session belongs to its listeners."""
    session = consumer.session
    if consumer.closed_by or session.held or consumer in session.listening.values():
        return None
    ids = ["JMS-LSN-001"]
    if session.listeners:
        ids = ["JMS-CTX-005" if provider.simplified else "JMS-THR-004"]
    [name] = (name for name, each in provider.of_kind(Consumer).items() if each is consumer)
    return Expectation([succeeds(partial(session.listening.__setitem__, name, consumer))], ids)


def hear(provider: ModelProvider, session: Session, makes: str) -> Expectation | None:
    """The consumer and the number of the message with which one of its listeners is called."""
    if session.closed_by or not session.connection.started:
        return None
    every = {name: NextMessage(provider, each) for name, each in session.listeners.items()}

    def begin(consumer: Consumer, copy: Copy) -> None:
        message = received_copy(copy, consumer)
        copy.deliveries += 1
        session.holds(consumer.backlog, copy)
        session.handled = provider.objects[makes] = message

    return one_of(
        every, lambda each, copy: partial(begin, each, copy), "was not called", "JMS-LSN-001"
    )


def returns(provider: ModelProvider, message: Received) -> Expectation | None:
    """The listener comes to its end: what settles itself is settled now."""
    session = message.session
    if session.handled is not message:
        return None

    def end() -> None:
        session.handled = None
        if session.settles_itself:
            session.settles([UNSETTLED, "JMS-REDL-007"], "that its listener had returned from")
        if message.consumer.closed_by:
            consumer_rules.leave(provider, message.consumer)

    ids = ["JMS-LSN-002", *(["JMS-CONS-005"] if message.consumer.closed_by else [])]
    return Expectation([gives(None, end)], ids)


def throws(provider: ModelProvider, message: Received) -> Expectation | None:
    """The listener throws: the message comes again, or stays its session's (JMS 2.0, 8.7).

    How often it comes again is the provider's choice: a throw at one that did is not judged.
    """
    session = message.session
    if session.handled is not message or message.consumer.closed_by:
        return None
    if session.settles_itself and message.copy.deliveries > 1:
        return None
    if session.mode == INDIVIDUAL:
        return None
    id_ = "JMS-LSN-005" if session.mode == CLIENT else "JMS-LSN-006"

    def end() -> None:
        session.handled = None
        if session.settles_itself:
            session.starts_again(["JMS-LSN-004", UNSETTLED], "that its listener threw at")
            return
        if message.copy.state is MessageState.HELD:
            message.copy.becomes(MessageState.HELD, [id_], "that its listener threw at")
        for copy in NextMessage(provider, message.consumer).possible[:1]:
            copy.ids = [*copy.ids, id_]

    return Expectation([gives(None, end)], ["JMS-LSN-002"])


def is_called_besides(provider: ModelProvider, expectation: Expectation) -> Expectation:
    """The call gives the consumer and the message of a listener that is called when none may be."""

    def wrong(value: object) -> tuple[Sequence[str], str]:
        name, number = value if isinstance(value, tuple) else ("", None)
        consumer = provider.objects.get(name)
        if not isinstance(consumer, Consumer):
            return [], kind_of_answer(Gave(value))
        copy = consumer.backlog.copies.get(number)
        if copy is not None and copy.state is MessageState.WAITING:
            return expectation.ids, "had a listener called"
        return NextMessage(provider, consumer).wrong(number)

    [end] = expectation.permitted
    return replace(
        expectation,
        permitted=[gives(None, end.effect)],
        accuse=lambda value: wrong(value)[0],
        name=lambda value: wrong(value)[1],
    )
