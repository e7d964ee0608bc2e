"""An application of which one thread stops or closes what others work with."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.patience import patience
from jms_brokers.machine.polling import until
from jms_model.closing import FED, PROGRAM, RECEIVES, SEND, WAITS_STILL
from jms_model.delivery.choosing import NUMBER
from jms_model.delivery.session import TRANSACTED
from jmsapi import ConnectionFactory, Message, Queue
from touchstone.drawn.closing.program import Step
from touchstone.drawn.driving import DidNotEnd
from touchstone.drawn.sessions.listening import ListenerCall
from touchstone.scenario.deadline import begin

T = TypeVar("T")
_WITHIN: Final = 15.0
"""Seconds in which a call ends, a listener is called, and a broker has done with messages."""
_BEGUN: Final = 0.05
"""Seconds after which a thread that was about to make a call has made it."""
_LAST: Final = 5.0
"""Seconds that the last close() has."""


def _begin(call: Callable[[], T], what: str) -> Future[T]:
    """Make a call on a thread of its own; what will come of it."""
    _, result = begin(call, what)
    time.sleep(_BEGUN)
    return result


def _in_time(result: Future[T], seconds: float = _WITHIN) -> T:
    """What came of a call; DidNotEnd where it takes too long, on a busy machine, too."""
    for more in patience(seconds):
        with suppress(TooLate):
            return result.result(more)
    raise DidNotEnd


class Listener:
    """The listener of a consumer; the first call of one that is held waits to be told to return."""

    def __init__(self, *, is_held: bool) -> None:
        self.calls = 0
        self.message: Message | None = None
        """That of the first call."""
        self._held: ListenerCall | None = None
        self._is_called = threading.Event()
        self._lets_go = not is_held

    def __call__(self, message: Message) -> None:
        self.calls += 1
        if self._lets_go or self._held is not None:
            return
        self.message, self._held = message, ListenerCall("", message)
        self._is_called.set()
        self._held.serve()

    def is_called(self) -> bool:
        """Whether the first call comes before long."""
        return any(self._is_called.wait(more) for more in patience(_WITHIN))

    def does(self, act: Callable[[], object]) -> None:
        """Have the call do something."""
        assert self._held is not None
        _in_time(self._held.begins(act))

    def returns(self) -> None:
        """Have the call come to its end; none is held any more."""
        self._lets_go = True
        if self._held is not None:
            self._held.end(throws=False)


class Application:
    """Makes the calls of one program; `own` is a session of nobody's that the program ends."""

    def __init__(
        self,
        factory: ConnectionFactory,
        queues: Callable[[], Queue],
        pending: Callable[[Queue], int],
        own: Any,
    ) -> None:
        self.objects: dict[str, Any] = {}
        self._factory = factory
        self._queues, self._pending, self._own = queues, pending, own
        self._connection: Any = None
        self._contexts: list[Any] = []
        self._modes: dict[str, int] = {}
        self._session_of: dict[str, str] = {}
        self._queue_of: dict[str, Queue] = {}
        self._sends_to: dict[str, Queue] = {}
        self._listeners: dict[str, Listener] = {}
        self._received: dict[str, Future[Message | None]] = {}
        self._filled: Counter[str] = Counter()
        self._sends: Counter[str] = Counter()
        self._calls_by: dict[str, dict[str, int]] = {}
        """For each that ended, how often listeners had been called when it came back."""

    def call(self, step: Step) -> object:
        """Make a call, have it made, or look at something."""
        if step.on == PROGRAM:
            (by_context,) = step.args
            self._connection = None if by_context else self._factory.create_connection()
            self.objects[step.makes] = self._connection
            return None
        made = (step.makes,) if step.makes else ()
        answer: object = getattr(self, f"_{step.method}")(step.on, *step.args, *made)
        return answer

    def close(self) -> None:
        """Let all listeners return, and close what is open; what that raises is no matter."""
        for listener in self._listeners.values():
            listener.returns()
        last = [self._connection] if self._connection is not None else self._contexts
        for each in last:
            with suppress(Exception):
                _in_time(_begin(each.close, "the last close()"), _LAST)

    def _session(self, _: str, mode: int, makes: str) -> None:
        if self._connection is not None:
            session = self._connection.create_session(mode == TRANSACTED, mode)
        else:
            first = self._contexts[0] if self._contexts else None
            session = (first or self._factory).create_context(mode=mode)
            session.auto_start = False
            self._contexts.append(session)
        self.objects[makes], self._modes[makes] = session, mode

    def _consume(self, session: str, kind: str, sent: int, makes: str) -> None:
        self._queue_of[makes] = self._queues()
        self._session_of[makes] = session
        self._fill(makes, sent)
        consumer = self.objects[session].create_consumer(self._queue_of[makes])
        self.objects[makes] = consumer
        if kind in RECEIVES:
            receive = partial(consumer.receive, *RECEIVES[kind])
            self._received[makes] = _begin(receive, f"{makes}.{kind}")
        else:
            self._listeners[makes] = consumer.message_listener = Listener(is_held=sent > 0)

    def _start(self, _: str) -> None:
        for each in (self._connection, *self._contexts[:1]):
            if each is not None:
                each.start()

    def _is_called(self, consumer: str) -> bool:
        return self._listeners[consumer].is_called()

    def _fill(self, consumer: str, count: int, first: int = 1) -> None:
        with self._own.create_producer(self._queue_of[consumer]) as producer:
            for number in range(first, first + count):
                message = self._own.create_text_message(f"foo{number}")
                message.set_int_property(NUMBER, number)
                producer.send(message)
        self._filled[consumer] += count

    def _begin(self, on: str, what: str, makes: str) -> None:
        target = self.objects[on]

        def end() -> None:
            try:
                getattr(target, what)()
            finally:
                calls = {name: each.calls for name, each in self._listeners.items()}
                self._calls_by[makes] = calls

        self.objects[makes] = _begin(end, f"{on}.{what}()")

    def _has_ended(self, end: str, seconds: float) -> bool:
        time.sleep(seconds)
        ended: bool = self.objects[end].done()
        return ended

    def _comes_back(self, end: str) -> None:
        _in_time(self.objects[end])

    def _does(self, consumer: str, deed: str) -> None:
        listener, name = self._listeners[consumer], self._session_of[consumer]
        session, mode = self.objects[name], self._modes[name]
        if consumer not in self._sends_to:
            self._sends_to[consumer] = self._queues()
        queue = self._sends_to[consumer]

        def send() -> None:
            message = session.create_text_message("foo")
            if self._connection is None:
                session.create_producer().send(queue, message)
                return
            with session.create_producer(queue) as producer:
                producer.send(message)

        def settle() -> None:
            if mode == TRANSACTED:
                session.commit()
            else:
                assert listener.message is not None
                listener.message.acknowledge()

        listener.does(send if deed == SEND else settle)
        self._sends[consumer] += deed == SEND

    def _returns(self, consumer: str) -> None:
        self._listeners[consumer].returns()

    def _calls_later(self, end: str, seconds: float, consumers: tuple[str, ...]) -> int:
        time.sleep(seconds)
        before = self._calls_by[end]
        there = before.keys() & {*consumers}
        return sum(self._listeners[name].calls - before[name] for name in there)

    def _feed(self, consumer: str) -> None:
        self._fill(consumer, 1, FED)

    def _receive_gives(self, consumer: str, seconds: float) -> object:
        received = self._received[consumer]
        with suppress(TooLate):
            message = received.result(seconds)
            return None if message is None else message.get_int_property(NUMBER)
        return WAITS_STILL

    def _calls(self, session: str) -> int:
        own = [name for name, of in self._session_of.items() if of == session]
        wanted = sum(self._filled[name] for name in own)
        self._comes(lambda: sum(self._listeners[name].calls for name in own) >= wanted)
        return sum(self._listeners[name].calls for name in own)

    def _sent(self, consumer: str) -> int:
        queue = self._sends_to[consumer]
        self._comes(lambda: self._pending(queue) >= self._sends[consumer])
        return self._pending(queue)

    def _settled(self, consumer: str) -> bool:
        return self._comes(lambda: self._pending(self._queue_of[consumer]) == 0)

    def _comes(self, is_so: Callable[[], bool]) -> bool:
        try:
            until(is_so, _WITHIN)
        except NotAsExpected:
            return False
        return True
