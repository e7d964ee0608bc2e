"""Sends messages of other classes by the client under test, and looks at what arrives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol

from jms_model.foreign_messages import MAKES, REPLY, ForeignMessage, Odd
from jmsapi import ConnectionFactory, Message, Queue
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.foreign_messages.program import Step
from touchstone.scenario.bodies import compose, content_of, kind_of

HEADER: Final = "header"
"""What a message without a body is called by `kind_of`."""


class Makes(Protocol):
    """Makes messages of a class that is not the client's own, which note what they are asked."""

    def __call__(
        self,
        kind: str,
        body: Any,
        properties: Mapping[str, Any],
        jms_type: str | None,
        correlation_id: str | None,
        reply_to: Queue | None,
    ) -> Message: ...


class Application:
    """Makes the calls of one program."""

    def __init__(
        self,
        factory: ConnectionFactory,
        queues: Callable[[], Any],
        arrivals: Arrivals,
        makes: Makes,
        unreadable: Callable[[], object],
    ) -> None:
        self.objects: dict[str, Any] = {}
        self._connection = factory.create_connection()
        self._connection.start()
        self._session: Any = self._connection.create_session()
        self._simplified: Any = None
        self._factory = factory
        self._arrivals = arrivals
        self._makes = makes
        self._odd = {Odd.UNREADABLE: unreadable, Odd.NO_TYPE: object}
        self._queue, self._replies = queues(), queues()
        self._consumer = self._session.create_consumer(self._queue)
        self._came: Any = None

    def call(self, step: Step) -> object:
        """Make a call, or look at something."""
        if step.on == MAKES:
            self.objects[step.makes] = self._made(*step.args)
            return None
        target = self.objects[step.on]
        match step.method:
            case "send":
                self._send(target, *step.args)
                return None
            case "arrives":
                self._came = self._arrivals.next(self._consumer)
                self.objects[step.makes] = self._came
                return self._came is not None
            case "asked":
                return frozenset(target.asked)
            case "header":
                came = self._came
                return target.jms_message_id is not None and all(
                    getattr(target, name) == getattr(came, name)
                    for name in ("jms_message_id", "jms_timestamp", "jms_priority")
                )
        return getattr(self, f"_{step.method}")(target)

    def close(self) -> None:
        """Close what is open; a refused send may have ended a connection."""
        for each in (self._connection, self._simplified):
            if each is not None:
                with suppress(Exception):
                    each.close()

    def _made(self, spec: ForeignMessage) -> Message:
        if not spec.is_own:
            return self._makes(
                spec.kind, self._given(spec.body),
                {name: self._given(value) for name, value in spec.properties.items()},
                spec.jms_type, spec.correlation_id, self._replies if spec.replies else None,
            )  # fmt: skip
        kind = HEADER if spec.kind == "message" else spec.kind
        message = compose(self._session, kind, spec.body)
        for name, value in spec.properties.items():
            message.set_object_property(name, value)
        message.jms_type, message.jms_correlation_id = spec.jms_type, spec.correlation_id
        return message

    def _given(self, value: Any) -> Any:
        return self._odd[value]() if isinstance(value, Odd) else value

    def _send(self, message: Message, form: str) -> None:
        match form:
            case "unidentified":
                self._session.create_producer(None).send(message, destination=self._queue)
            case "options":
                producer = self._session.create_producer(self._queue)
                producer.send(message, delivery_mode=1, priority=7, time_to_live=0)
            case "JMSProducer":
                if self._simplified is None:
                    self._simplified = self._factory.create_context()
                self._simplified.create_producer().set_priority(2).send(self._queue, message)
            case _:
                self._session.create_producer(self._queue).send(message)

    # Looks at what arrived

    def _kind(self, message: Message) -> str:
        kind = kind_of(message)
        return "message" if kind == HEADER else kind

    def _own_class(self, message: Message) -> bool:
        kind = self._kind(message)
        create = "create_message" if kind == "message" else f"create_{kind}_message"
        return type(message) is type(getattr(self._session, create)())

    def _properties(self, message: Message) -> dict[str, Any]:
        names = message.property_names()
        return {name: message.get_object_property(name) for name in names}

    def _type(self, message: Message) -> str | None:
        return message.jms_type

    def _correlation(self, message: Message) -> str | None:
        return message.jms_correlation_id

    def _reply(self, message: Message) -> str | None:
        reply_to: Any = message.jms_reply_to
        if reply_to is None:
            return None
        name = self._replies.queue_name
        is_same = isinstance(reply_to, Queue) and reply_to.queue_name.endswith(name)
        return REPLY if is_same else str(reply_to)

    def _body(self, message: Message) -> object:
        return content_of(message)
