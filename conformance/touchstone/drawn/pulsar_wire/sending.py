"""How an application sends such messages, by each form of sending."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, cast

from jms_model.answers import Gave, Raised
from jms_model.pulsar_wire.looks import NUMBER
from jms_model.pulsar_wire.sent import (
    ARGUMENTS,
    ASYNCHRONOUS,
    BODY,
    CONTEXT_ASYNC,
    DEFAULT_PRIORITY,
    DEFAULTS,
    PERSISTENT,
    SIMPLIFIED,
    SUBSCRIBED,
    TEMPORARY,
    TRANSACTIONS,
    UNIDENTIFIED,
    Known,
    MessageToSend,
)
from jmsapi import Byte, Destination, Double, Float, Int, Long, Message, Short
from touchstone.drawn.completion import Completion
from touchstone.drawn.driving import answer_of
from touchstone.scenario.bodies import compose

FULL: Final = "full:"
"""How a name begins that is given in full."""
_SETTERS: Final = {
    bool: "boolean",
    Byte: "byte",
    Short: "short",
    Int: "int",
    Long: "long",
    Float: "float",
    Double: "double",
    str: "string",
}


@dataclass
class WireSender:
    """Sends to one destination after another."""

    opened: Callable[[str, bool, bool], Any]
    """A session or a context: of which connection, whether a context, whether transacted."""
    topic_of: Callable[[Destination | str], str]
    """The full name of the topic of a simple name, or behind a destination."""
    destination: Destination | None = None
    _sessions: dict[str, Any] = field(default_factory=dict)
    _producers: dict[tuple[str, bool], Any] = field(default_factory=dict)
    _temporary: dict[tuple[str, str], Destination] = field(default_factory=dict)

    def goes_to(self, destination: Destination) -> None:
        """Send to another destination from now on."""
        for (sender, _), producer in self._producers.items():
            if "context" not in sender:
                answer_of(producer.close)
        self._producers.clear()
        self.destination = destination

    def send(self, number: int, sent: MessageToSend) -> Known:
        """Send a message of this number; gives what is known of it then."""
        session = self._session(sent)
        is_body = sent.form == BODY
        message = None if is_body else compose(session, sent.kind, sent.content)
        producer = self._producer(session, sent)
        if sent.refused:
            _be_refused(producer, message, sent)
        on_producer = sent.form in SIMPLIFIED and (sent.by_producer or is_body)
        not_set = self._fill(producer if on_producer else message, number, session, sent)
        self._configure(producer, sent)
        before = _now()
        for _ in range(1 if is_body else sent.times):
            self._send(producer, message, sent)
            if sent.form in TRANSACTIONS:
                session.commit()
        after = _now()
        if sent.options_by == DEFAULTS and sent.form not in SIMPLIFIED:
            producer.close()
        reply = None if sent.reply is None else self._full(session, sent)
        id_ = message.jms_message_id if message is not None and sent.times == 1 else None
        return Known(before, after, reply, id_, not_set)

    def send_on(self, message: Message, sent: MessageToSend, known: Known) -> Known:
        """Send a message that was received, of which so much was known before."""
        session = self._session(sent)
        producer = self._producer(session, sent)
        self._configure(producer, sent)
        before = _now()
        self._send(producer, message, sent)
        if sent.form in TRANSACTIONS:
            session.commit()
        id_ = message.jms_message_id if known.id is not None else None
        return replace(known, before=before, after=_now(), id=id_)

    def _session(self, sent: MessageToSend) -> Any:
        if sent.sender not in self._sessions:
            self._sessions[sent.sender] = self.opened(
                sent.sender, sent.form in SIMPLIFIED, sent.form in TRANSACTIONS
            )
        return self._sessions[sent.sender]

    def _producer(self, session: Any, sent: MessageToSend) -> Any:
        """A new one for defaults; otherwise one that others have used."""
        key = (sent.sender, sent.form == UNIDENTIFIED)
        if sent.options_by != DEFAULTS and key in self._producers:
            return _cleared(self._producers[key], sent)
        given = [] if sent.form in SIMPLIFIED else [self.destination]
        if sent.form == UNIDENTIFIED:
            given = [None]
        made = session.create_producer(*given)
        if sent.options_by != DEFAULTS:
            self._producers[key] = made
        return made

    def _fill(self, on: Any, number: int, session: Any, sent: MessageToSend) -> frozenset[str]:
        """Set properties and header fields; gives the names of what was refused."""
        is_message = isinstance(on, Message)
        refused = set()
        for name, value in {NUMBER: str(number), **sent.properties}.items():
            setter = "set_property"
            if is_message:
                setter = f"set_{_SETTERS[type(value)] if sent.typed else 'object'}_property"
            if isinstance(answer_of(partial(getattr(on, setter), name, value)), Raised):
                refused.add(name)
        reply = None if sent.reply is None else self._reply(session, sent)
        suffix = "_as_bytes" if isinstance(sent.correlation, bytes) else ""
        headers = {
            "jms_type": sent.jms_type,
            f"jms_correlation_id{suffix}": sent.correlation,
            "jms_reply_to": reply,
        }
        for name, value in headers.items():
            if value is not None:
                if is_message:
                    setattr(on, name, value)
                else:
                    getattr(on, f"set_{name}")(value)
        return frozenset(refused)

    def _configure(self, producer: Any, sent: MessageToSend) -> None:
        """Set the options; what a send is told by arguments others have set otherwise."""
        if sent.options_by == DEFAULTS:
            return
        options = {
            "delivery_mode": sent.mode,
            "priority": sent.priority,
            "time_to_live": sent.lives,
            "delivery_delay": sent.delay,
        }
        for name, value in options.items():
            if sent.form in SIMPLIFIED:
                getattr(producer, f"set_{name}")(value)
            elif sent.options_by != ARGUMENTS or name == "delivery_delay":
                setattr(producer, name, value)

    def _send(self, producer: Any, message: Any, sent: MessageToSend) -> None:
        completion = Completion()
        if sent.form in SIMPLIFIED:
            is_async = sent.form == CONTEXT_ASYNC
            producer.set_async(completion if is_async else None)
            producer.send(self.destination, sent.content if message is None else message)
            if is_async:
                completion.wait()
                producer.set_async(None)
            return
        given: dict[str, Any] = {}
        if sent.form == UNIDENTIFIED:
            given["destination"] = self.destination
        if sent.options_by == ARGUMENTS:
            given.update(delivery_mode=sent.mode, priority=sent.priority, time_to_live=sent.lives)
        if sent.form == ASYNCHRONOUS:
            given["completion_listener"] = completion
        producer.send(message, **given)
        if sent.form == ASYNCHRONOUS:
            completion.wait()

    def _reply(self, session: Any, sent: MessageToSend) -> Destination:
        """The destination; of temporary ones each sender has one of either kind."""
        assert sent.reply is not None
        kind, name = sent.reply.kind, sent.reply.name
        if name != TEMPORARY:
            if name.startswith(FULL):
                plain, *own = name.removeprefix(FULL).partition(SUBSCRIBED)
                name = "".join((self.topic_of(plain), *own))
            return cast(Destination, getattr(session, f"create_{kind}")(name))
        key = (sent.sender, kind)
        if key not in self._temporary:
            self._temporary[key] = getattr(session, f"create_temporary_{kind}")()
        return self._temporary[key]

    def _full(self, session: Any, sent: MessageToSend) -> str:
        """The full name of the topic of its reply destination."""
        assert sent.reply is not None
        if sent.reply.name == TEMPORARY:
            return self.topic_of(self._reply(session, sent))
        return self.topic_of(sent.reply.name.removeprefix(FULL).partition(SUBSCRIBED)[0])


def _cleared(producer: Any, sent: MessageToSend) -> Any:
    """A producer without the properties and header fields of earlier sends."""
    if sent.form in SIMPLIFIED:
        producer.clear_properties()
        producer.set_jms_type(None).set_jms_correlation_id(None).set_jms_reply_to(None)
    return producer


def _be_refused(producer: Any, message: Any, sent: MessageToSend) -> None:
    """Try what no client takes; what this one does take is set back."""
    for name, value, default in (
        ("priority", 10, DEFAULT_PRIORITY),
        ("delivery_mode", 7, PERSISTENT),
    ):
        setter = partial(setattr, producer, name)
        if sent.form in SIMPLIFIED:
            setter = getattr(producer, f"set_{name}")
        if isinstance(answer_of(partial(setter, value)), Gave):
            setter(default)
    if message is not None:
        answer_of(partial(message.set_object_property, "bad", [1]))


def _now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
