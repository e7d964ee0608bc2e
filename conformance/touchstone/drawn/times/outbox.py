"""What an application sends with: producers of each kind, in transactions or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from jms_clients.errors import NotInThisVersion
from jms_model.answers import Answer, Gave, Raised
from jms_model.times.sent import TimedMessage
from jmsapi import Destination, SessionMode
from touchstone.drawn.completion import Completion
from touchstone.drawn.driving import DidNotCome, answer_of
from touchstone.drawn.times.clock import Clock
from touchstone.drawn.times.program import (
    ASYNCHRONOUS,
    ASYNCHRONOUS_ARGUMENTS,
    BODY,
    MESSAGE_ASYNC,
    SIMPLIFIED,
    UNIDENTIFIED,
    WITH_ARGUMENTS,
    Maker,
    SendOptions,
)
from touchstone.scenario.either_version import if_there_is

CHOSEN: Final = "chosen"
"""The property that selectors look at."""
END: Final = "end"
"""The text of the last message of a lane."""
PERSISTENT: Final = 2
LONG: Final = 1000
"""Milliseconds of delay that make a message come much later than those behind it."""


@dataclass
class _Producer:
    """A producer, and what was set of it."""

    maker: Maker
    real: Any
    session: Any
    delay: int = 0
    lives: int = 0
    earlier: list[int] = field(default_factory=lambda: [0])
    is_known: bool = True
    """Whether it took what was set."""


@dataclass
class Outbox:
    """Sends the messages of a program, and notes when."""

    factory: Any
    destinations: Mapping[str, Destination]
    outlets: Mapping[str, str]
    """By lane."""
    clock: Clock
    delays: bool = True
    """Whether the client has delays at all."""
    lacked: set[str] = field(default_factory=set)
    """What steps were left out for: the client's version of JMS has not got it."""
    sent: dict[int, TimedMessage] = field(default_factory=dict)
    lanes: dict[int, str] = field(default_factory=dict)
    """By number, where a message was sent to."""
    chosen: dict[int, bool] = field(default_factory=dict)
    _producers: dict[str, _Producer] = field(default_factory=dict)
    _pending: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _sessions: dict[tuple[str, bool], Any] = field(default_factory=dict)
    _opened: list[Any] = field(default_factory=list)
    _connection: Any = None
    _first: Any = None

    def _answer_of(self, call: Callable[[], object]) -> Answer:
        """How a call ends, which may be too new for the client."""
        answer = answer_of(call, DidNotCome, NotInThisVersion)
        if isinstance(answer, Raised) and isinstance(answer.error, NotInThisVersion):
            self.lacked.add(answer.error.what)
        return answer

    def open(self, maker: Maker) -> None:
        """Make a producer; what cannot be made sends nothing."""
        answer = self._answer_of(partial(self._made, maker))
        if isinstance(answer, Gave):
            self._producers[maker.name] = answer.value  # type: ignore[assignment]

    def _made(self, maker: Maker) -> _Producer:
        if maker.kind == SIMPLIFIED:
            context = self._context(transacted=maker.transacted)
            return _Producer(maker, context.create_producer(), context)
        key = (maker.lane if maker.transacted else "", maker.transacted)
        if key not in self._sessions:
            mode = _mode(transacted=maker.transacted)
            self._sessions[key] = self._connected().create_session(maker.transacted, mode)
        given = None if maker.kind == UNIDENTIFIED else self.destinations[maker.lane]
        session = self._sessions[key]
        return _Producer(maker, session.create_producer(given), session)

    def _context(self, *, transacted: bool) -> Any:
        """One of its own for each JMSProducer: others of it may have settings in common."""
        mode = _mode(transacted=transacted)
        if self._first is None:
            made = self._first = self.factory.create_context(mode=mode)
        else:
            made = self._first.create_context(mode)
        self._opened.append(made)
        return made

    def _connected(self) -> Any:
        if self._connection is None:
            self._connection = self.factory.create_connection()
            self._opened.append(self._connection)
        return self._connection

    def set(self, name: str, option: str, value: int) -> None:
        """Set an option of a producer."""
        producer = self._producers.get(name)
        if producer is None or (option == "delivery_delay" and not self.delays):
            return
        setter = partial(setattr, producer.real, option)
        if producer.maker.kind == SIMPLIFIED:
            setter = getattr(producer.real, f"set_{option}")
        answer = self._answer_of(partial(setter, value))
        if isinstance(answer, Raised):
            producer.is_known &= isinstance(answer.error, NotInThisVersion)
        elif option == "time_to_live":
            producer.lives = value
        else:
            producer.earlier.append(producer.delay)
            producer.delay = value

    def send(self, name: str, options: SendOptions) -> None:
        """Send a message; what is refused is a matter of others."""
        producer = self._producers.get(name)
        if producer is None:
            return
        lane = producer.maker.lane
        message = None if options.form == BODY else _message(producer.session, options)
        before = self.clock.now()
        answer = self._answer_of(partial(self._send, producer, message, options))
        after = self.clock.now()
        if isinstance(answer, Raised) or not producer.is_known:
            return
        due = [] if message is None else if_there_is(lambda: message.jms_delivery_time)
        others = [self.sent[number] for number in self.lanes if self.lanes[number] == lane]
        is_given = options.form in WITH_ARGUMENTS
        sent = TimedMessage(
            options.number,
            self.outlets[lane],
            options.form,
            producer.delay,
            options.lives if is_given else producer.lives,
            before,
            after,
            earlier=[*producer.earlier],
            delivery_time=next(iter(due), None),
            expiration=None if message is None else message.jms_expiration,
            is_behind=any(
                each.before + each.delay > before + producer.delay + LONG for each in others
            ),
        )
        self.sent[options.number] = sent
        self.lanes[options.number] = lane
        self.chosen[options.number] = options.chosen
        if producer.maker.transacted:
            self._pending[name].append(options.number)

    def commit(self, names: Sequence[str]) -> None:
        """Commit what some producers of one lane have sent: it is there behind the last commit."""
        committed: dict[int, tuple[int, int]] = {}
        for name in names:
            numbers = self._pending.pop(name, [])
            if not numbers:
                continue
            before = self.clock.now()
            answer = answer_of(self._producers[name].session.commit)
            after = self.clock.now()
            for number in numbers:
                if isinstance(answer, Raised):
                    del self.sent[number], self.lanes[number]
                else:
                    committed[number] = (before, after)
        end = max((after for _, after in committed.values()), default=0)
        for number, instants in committed.items():
            self.sent[number] = replace(self.sent[number], committed=instants, ready=end)

    def end(self, lane: str) -> None:
        """Send the last message of a lane."""
        session = self._connected().create_session()
        message = session.create_text_message(END)
        message.set_boolean_property(CHOSEN, True)
        session.create_producer(self.destinations[lane]).send(message)
        session.close()

    def close(self) -> None:
        """Close what was opened."""
        for each in self._opened:
            answer_of(each.close)

    def _send(self, producer: _Producer, message: Any, options: SendOptions) -> None:
        completion = Completion()
        destination = self.destinations[producer.maker.lane]
        if producer.maker.kind == SIMPLIFIED:
            is_async = options.form == MESSAGE_ASYNC
            if is_async:
                producer.real.set_async(completion)
            producer.real.set_property(CHOSEN, options.chosen)
            body = str(options.number)
            producer.real.send(destination, body if message is None else message)
            if is_async:
                producer.real.set_async(None)
                completion.wait()
            return
        given: dict[str, Any] = {}
        if producer.maker.kind == UNIDENTIFIED:
            given["destination"] = destination
        if options.form in WITH_ARGUMENTS:
            given.update(
                delivery_mode=PERSISTENT, priority=options.priority, time_to_live=options.lives
            )
        is_async = options.form in (ASYNCHRONOUS, ASYNCHRONOUS_ARGUMENTS)
        if is_async:
            given["completion_listener"] = completion
        producer.real.send(message, **given)
        if is_async:
            completion.wait()


def _mode(*, transacted: bool) -> SessionMode:
    return SessionMode.SESSION_TRANSACTED if transacted else SessionMode.AUTO_ACKNOWLEDGE


def _message(session: Any, options: SendOptions) -> Any:
    message = session.create_text_message(str(options.number))
    message.set_boolean_property(CHOSEN, options.chosen)
    return message
