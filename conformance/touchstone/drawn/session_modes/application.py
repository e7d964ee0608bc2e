"""Sessions in drawn modes, of the client under test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.polling import until
from jms_model.delivery.choosing import NUMBER
from jms_model.delivery.vendors import INDIVIDUAL
from jms_model.session_modes import LISTENER, PROGRAM
from jmsapi import ConnectionFactory, Message, Queue, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.session_modes.program import Step

_SOON: Final = 10.0
"""Seconds in which all messages come to a listener, and in which a broker has done with them."""
_MARKER: Final = 0
"""The number of the message that comes behind all that is left."""


class Application:
    """Makes the calls of one program."""

    def __init__(
        self,
        factory: ConnectionFactory,
        individual: int,
        queues: Callable[[], Queue],
        pending: Callable[[Queue], int],
        arrivals: Arrivals,
        own: Any,
    ) -> None:
        self.objects: dict[str, Any] = {}
        self._individual = individual
        self._queues = queues
        self._pending = pending
        self._arrivals = arrivals
        self._own = own.create_session(False, SessionMode.AUTO_ACKNOWLEDGE)
        self._factory = factory
        self._connection = factory.create_connection()
        self._connection.start()
        self._context: Any = None
        self._of: dict[str, Queue] = {}
        self._consumers: dict[str, Any] = {}
        self._sent: dict[str, int] = {}
        self._others: list[Any] = []

    def call(self, step: Step, count: int) -> object:
        """Make a call, or several of a kind; `count`: how many messages have to be left."""
        if step.on == PROGRAM:
            self._create(step.makes, *step.args)
            return None
        target, name = self.objects[step.on], step.on
        match step.method:
            case "acknowledge_mode":
                own = "session_mode" if hasattr(target, "session_mode") else "acknowledge_mode"
                return int(getattr(target, own))
            case "transacted":
                return target.transacted
            case "emptied":
                return self._is_empty(self._of[name])
            case "take":
                return self._take(name, *step.args)
            case "left":
                return self._left(self._of[name], count)
        return getattr(target, step.method)()

    def close(self) -> None:
        """Close what is open; what that raises is no matter."""
        for each in (*self._others, self._connection, self._context, self._own):
            if each is not None:
                with suppress(Exception):
                    each.close()

    def _create(self, makes: str, mode: int, form: str, sent: int) -> None:
        number = self._individual if mode == INDIVIDUAL else mode
        made = self._made(number, form)
        queue = self._of[makes] = self._queues()
        with self._own.create_producer(queue) as producer:
            for each in range(1, sent + 1):
                producer.send(self._numbered(each))
        self.objects[makes], self._sent[makes] = made, sent
        self._consumers[makes] = made.create_consumer(queue)

    def _made(self, number: int, form: str) -> Any:
        match form:
            case "session":
                return self._connection.create_session(number == 0, number)
            case "context":
                made = self._factory.create_context(mode=number)
                self._others.append(made)
                return made
        if self._context is None:
            self._context = self._factory.create_context()
        made = self._context.create_context(number)
        self._others.append(made)
        return made

    def _numbered(self, number: int) -> Message:
        message: Message = self._own.create_text_message(f"foo{number}")
        message.set_int_property(NUMBER, number)
        return message

    def _is_empty(self, queue: Queue) -> bool:
        try:
            until(lambda: self._pending(queue) == 0, _SOON)
        except NotAsExpected:
            return False
        return True

    def _take(self, name: str, how: str, acknowledged: Sequence[int]) -> list[int]:
        consumer, sent = self._consumers[name], self._sent[name]
        came: list[int] = []
        done = threading.Event()

        def gets(message: Message) -> None:
            came.append(_number(message))
            if came[-1] in acknowledged:
                message.acknowledge()
            if len(came) >= sent:
                done.set()

        if how == LISTENER:
            consumer.message_listener = gets
            done.wait(_SOON)
            return [*came]
        for _ in range(sent):
            message = self._arrivals.next(consumer)
            if message is None:
                break
            gets(message)
        return came

    def _left(self, queue: Queue, count: int) -> list[int]:
        """What there is in a queue: what must not come shows before a marker, or stays."""
        with self._own.create_consumer(queue) as consumer:
            came = [*self._next(consumer, count)]
            with self._own.create_producer(queue) as producer:
                producer.send(self._numbered(_MARKER))
            came += self._next(consumer, 1)
            if _MARKER in came and not self._is_empty(queue):
                came += self._next(consumer, 1)
        return [number for number in came if number != _MARKER]

    def _next(self, consumer: Any, count: int) -> Iterator[int]:
        for _ in range(count):
            message = self._arrivals.next(consumer)
            if message is None:
                return
            yield _number(message)


def _number(message: Message) -> int:
    return int(message.get_int_property(NUMBER))
