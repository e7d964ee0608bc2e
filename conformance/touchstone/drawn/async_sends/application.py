"""The application that a program is: its objects of the client under test, by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from jms_model.async_sends.callback_rules import ANOTHER_BODY
from jms_model.async_sends.end_rules import LATE, NEVER, WAITED
from jms_model.async_sends.queue_rules import Arrived
from jms_model.async_sends.rules import ALWAYS
from jms_model.async_sends.state import (
    AGAIN,
    BARE,
    CLOSES_CONNECTION,
    CLOSES_PRODUCER,
    CLOSES_SESSION,
    COMMITS,
    CONNECTION,
    NESTED,
    ROLLS_BACK,
    SENDS,
)
from jmsapi import ConnectionFactory, Message, Queue, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.async_sends.calling import Caller, Returns
from touchstone.drawn.async_sends.listeners import Callbacks, Listener, ListenerCall
from touchstone.drawn.async_sends.making import ApplicationSend, made_of, touch
from touchstone.drawn.async_sends.outside import NUMBER, Outside, body_of, headers_of, number_of
from touchstone.drawn.async_sends.program import Step
from touchstone.drawn.driving import DidNotCome
from touchstone.drawn.sessions.interfaces import creator

_GIVES_UP: Final = 3.0
"""Seconds in which what is still open is closed."""


@dataclass
class Application:
    """Makes the calls of one program."""

    factory: ConnectionFactory
    simplified: bool
    domain: str
    fresh: Callable[[str], str]
    """A name that nobody else has."""
    arrivals: Arrivals
    outside: Outside
    returns: Returns = field(default_factory=Returns)
    objects: dict[str, Any] = field(default_factory=dict)
    _sends: dict[int, ApplicationSend] = field(default_factory=dict)
    """By number, those that were accepted or refused, and those of callbacks."""
    _queues: dict[str, Queue] = field(default_factory=dict)
    _lost: set[int] = field(default_factory=set)
    """The sends of which nobody will be told any more."""
    _sessions: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By producer, its session and its queue."""

    def __post_init__(self) -> None:
        self._caller = Caller(self.returns)
        self._callbacks = Callbacks(number_of, self._read, self._session_of, self._act)
        self.objects.update(dict.fromkeys(ALWAYS))

    def call(self, step: Step) -> object:
        """Make a call, or look at what was told."""
        name = "outcome" if step.method == "does" else step.method
        made: object = getattr(self, f"_{name}")(step, *step.args)
        if step.makes:
            self.objects[step.makes] = made
            return None
        return made

    def close(self) -> None:
        """Close what is still open, if it lets itself be closed."""
        self._callbacks.let_go()
        closing = threading.Thread(target=self._close_all, daemon=True)
        closing.start()
        closing.join(_GIVES_UP)
        self._caller.end()

    def _close_all(self) -> None:
        opened = self.objects.get(CONNECTION)
        contexts = self.objects.items() if self.simplified else ()
        for each in [opened, *(made for name, made in contexts if name.startswith("s"))]:
            if each is not None:
                with suppress(Exception):
                    each.close()

    def _does(self, act: Callable[[], Any]) -> Any:
        return self._caller.call(act)

    # What is made

    def _opened(self) -> Any:
        if self.objects[CONNECTION] is None:
            connection = self._does(creator(self.domain, self.factory, "connection"))
            self.objects[CONNECTION] = connection
            self._does(connection.start)
        return self.objects[CONNECTION]

    def _create_session(self, step: Step, mode: int) -> Any:
        if not self.simplified:
            create = creator(self.domain, self._opened(), "session")
            transacted = mode == SessionMode.SESSION_TRANSACTED
            return self._does(lambda: create(transacted, mode))
        others = [made for name, made in self.objects.items() if name.startswith("s")]
        create = others[0].create_context if others else partial(_context, self.factory)
        return self._does(lambda: create(mode))

    def _create_producer(self, step: Step, queue: str) -> Any:
        session = self.objects[step.on]
        own = "" if self.simplified else queue
        self._sessions[step.makes] = (step.on, own)
        if self.simplified:
            return self._does(session.create_producer)
        create = creator(self.domain, session, "producer")
        return self._does(lambda: create(self._queue(own) if own else None))

    def _listener(self, step: Step, act: str) -> Listener:
        return self._callbacks.listener(step.makes, act)

    def _queue(self, name: str) -> Queue:
        if name not in self._queues:
            self._queues[name] = self.outside.queue(self.fresh(name))
        return self._queues[name]

    def _set(self, step: Step, name: str, value: int) -> None:
        producer = self.objects[step.on]
        if self.simplified:
            self._does(lambda: getattr(producer, f"set_{name}")(value))
        else:
            self._does(lambda: setattr(producer, name, value))

    # Sends

    def _send(
        self, step: Step, what: tuple[Any, ...], to: str, options: Sequence[int] | None, by: str
    ) -> object:
        number = int(step.makes[1:])
        session, own = self._sessions[step.on]
        sent = ApplicationSend(number, step.on, session, to or own, by, what)
        self._sends[number] = sent
        listener = self.objects[by] if by else None
        if listener is not None:
            self._callbacks.hold(number)
        try:
            self._does(lambda: self._sends_it(sent, to, options, listener))
        except Exception:
            sent.refused = True
            self.objects[step.makes] = sent
            raise
        return sent

    def _sends_it(
        self,
        sent: ApplicationSend,
        to: str,
        options: Sequence[int] | None,
        listener: Listener | None,
    ) -> None:
        producer, session = self.objects[sent.producer], self.objects[sent.session]
        before = self.objects[sent.what[1]] if sent.what[0] == AGAIN else None
        made = made_of(session, sent, before)
        if self.simplified:
            for name, value in zip(
                ("delivery_mode", "priority", "time_to_live"), options or (), strict=bool(options)
            ):
                getattr(producer, f"set_{name}")(value)
            producer.set_property(NUMBER, sent.number).set_async(listener)
            producer.send(self._queue(to) if to else None, made)
            return
        given: dict[str, Any] = {"destination": self._queue(to)} if to else {}
        if options is not None:
            given.update(zip(("delivery_mode", "priority", "time_to_live"), options, strict=True))
        producer.send(made, completion_listener=listener, **given)

    def _use(self, step: Step) -> None:
        name = f"u{len(self._queues)}"
        self.outside.send(self._queue(name), 0)
        session = self.objects[step.on]
        consumer = self._does(lambda: creator(self.domain, session, "consumer")(self._queue(name)))
        try:
            self._does(lambda: session.create_text_message("unused"))
            if self.arrivals.next(consumer) is None:
                raise DidNotCome
        finally:
            self._does(consumer.close)

    # Ends

    def _commit(self, step: Step) -> str:
        return self._ends(step.on, self.objects[step.on].commit)

    def _rollback(self, step: Step) -> str:
        return self._ends(step.on, self.objects[step.on].rollback)

    def _close(self, step: Step) -> str:
        target = self._opened() if step.on == CONNECTION else self.objects[step.on]
        return self._ends(step.on, target.close)

    def _ends(self, name: str, end: Callable[[], object]) -> str:
        """Whether a call returns behind the last callback that it has to wait for."""
        concerned = [
            each.number
            for each in self._sends.values()
            if each.listener
            and not each.refused
            and name in (each.session, each.producer, CONNECTION)
        ]
        self._callbacks.let_go()

        def ends() -> list[int]:
            end()
            return [each for each in concerned if not self._callbacks.has_ended(each)]

        left = self._does(ends)
        if not left:
            return WAITED
        if self._come(left):
            return LATE
        self._lost.update(left)
        return NEVER

    # What was told

    def _come(self, numbers: Sequence[int]) -> bool:
        return self.arrivals.next(_Waiting(self._callbacks, numbers)) is not None

    def _told(self, step: Step) -> str:
        return self._wait_for(step).method

    def _wait_for(self, step: Step) -> ListenerCall:
        """The callback of a send, once it has ended."""
        sent: ApplicationSend = self.objects[step.on]
        self._callbacks.let_go()
        is_lost = sent.number in self._lost
        if (is_lost or not self._come([sent.number])) and not self._callbacks.of(sent.number):
            raise DidNotCome
        return self._callbacks.of(sent.number)[0]

    def _message(self, step: Step) -> str:
        sent: ApplicationSend = self.objects[step.on]
        told = self._callbacks.of(sent.number)[0]
        if told.listener != sent.listener:
            return "told another listener"
        if isinstance(told.read, Exception):
            return f"raised {type(told.read).__name__} in the callback"
        if sent.message is not None and told.message != sent.message:
            return "told of another object"
        what = sent.what
        if what[0] in ("text", BARE) and isinstance(what[1], str) and told.read[1] != what[1]:
            return ANOTHER_BODY
        return "its own"

    def _failure(self, step: Step) -> tuple[bool, bool]:
        sent: ApplicationSend = self.objects[step.on]
        told = self._callbacks.of(sent.number)[0]
        return isinstance(told.error, Exception), told.message == sent.message

    def _times(self, step: Step) -> int:
        sent: ApplicationSend = self.objects[step.on]
        return len(self._callbacks.of(sent.number))

    def _outcome(self, step: Step) -> str:
        told = self._wait_for(step)
        if not told.ended:
            return "did not come back"
        return told.outcome or "raised another error"

    def _touch(self, step: Step, what: str) -> object:
        sent: ApplicationSend = self.objects[step.on]
        return self._does(lambda: touch(sent.message, what))

    def _headers(self, step: Step) -> object:
        sent: ApplicationSend = self.objects[step.on]
        called = self._callbacks.of(sent.number)[0].read[0]
        later = called if sent.message is None else headers_of(sent.message, self._name_of)
        assert sent.arrived is not None
        received = headers_of(sent.arrived, self._name_of)
        return tuple(zip(called, later, received, strict=True))

    def _turns(self, step: Step) -> list[int]:
        mine = {each.number for each in self._sends.values() if each.producer == step.on}
        numbers = [each.number for each in self._callbacks.told if each.number in mine]
        return [number for number in dict.fromkeys(numbers) if number is not None]

    def _overlaps(self, step: Step) -> bool:
        return any(each.overlaps for each in self._of_session(step.on))

    def _by_the_sender(self, step: Step) -> bool:
        return any(each.thread == self._caller.thread for each in self._of_session(step.on))

    def _of_session(self, name: str) -> list[ListenerCall]:
        return [each for each in self._callbacks.told if self._session_of(each.number) == name]

    # Queues

    def _browse(self, step: Step, queue: str) -> list[Arrived]:
        return self.outside.browse(self._queue(queue))

    def _left(self, step: Step, queue: str) -> list[Arrived]:
        return self.outside.left(self._queue(queue), self._keep)

    def _keep(self, number: int, message: Message) -> None:
        if number in self._sends:
            self._sends[number].arrived = message

    # In callbacks

    def _read(self, message: Message) -> object:
        return headers_of(message, self._name_of), body_of(message)

    def _name_of(self, destination: Any) -> str:
        name = getattr(destination, "queue_name", None)
        names = (short for short, each in self._queues.items() if each.queue_name == name)
        return next(names, str(name))

    def _session_of(self, number: int | None) -> str:
        return self._sends[number].session if number in self._sends else ""

    def _act(self, act: str, number: int | None) -> str:
        if number not in self._sends:
            return "of no send"
        sent = self._sends[number]
        try:
            self._acts(act, sent)
        except Exception as error:
            return type(error).__name__
        return "sent" if act == SENDS else "came back"

    def _acts(self, act: str, sent: ApplicationSend) -> None:
        session, producer = self.objects[sent.session], self.objects[sent.producer]
        acts: dict[str, Callable[[], object]] = {
            SENDS: lambda: self._send_another(sent),
            CLOSES_PRODUCER: lambda: producer.close(),
            CLOSES_SESSION: session.close,
            CLOSES_CONNECTION: lambda: self.objects[CONNECTION].close(),
            COMMITS: session.commit,
            ROLLS_BACK: session.rollback,
        }
        acts[act]()

    def _send_another(self, sent: ApplicationSend) -> None:
        number = NESTED + sent.number
        reads = self._callbacks.listener("of a callback", "reads")
        other = ApplicationSend(
            number, sent.producer, sent.session, sent.to, reads.name, ("text", "a")
        )
        self._sends[number] = self.objects[f"a{number}"] = other
        own = self._sessions[sent.producer][1]
        self._sends_it(other, "" if own else sent.to, None, reads)


class _Waiting:
    """Waits for callbacks as a consumer waits for messages."""

    def __init__(self, callbacks: Callbacks, numbers: Sequence[int]) -> None:
        self._callbacks = callbacks
        self._numbers = numbers

    def receive(self, timeout: int | None = None) -> Any:
        """Something, when a callback about each has ended; None after so many milliseconds."""
        has_come = self._callbacks.wait(self._numbers, (timeout or 0) / 1000)
        return self if has_come else None


def _context(factory: ConnectionFactory, mode: int) -> Any:
    return factory.create_context(mode=mode)
