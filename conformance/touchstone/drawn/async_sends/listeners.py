"""Completion listeners of an application: what each callback saw, and what it did."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from jms_model.async_sends.state import COMPLETED, FAILED, HELD, LASTS, SENDS, THROWS
from jmsapi import Message

_A_WHILE: Final = 0.02
"""Seconds that a callback lasts that somebody has to wait for."""
_AT_MOST: Final = 3.0
"""Seconds that one is held, even if nobody lets it go."""


class ListenerRefusal(Exception):
    """What a listener throws."""


@dataclass
class ListenerCall:
    """One call of a listener."""

    listener: str
    method: str
    message: Message
    error: Exception | None
    thread: int
    number: int | None = None
    """What the message says itself which send it is of."""
    read: Any = None
    """What it read of the message, or the exception that this raised."""
    overlaps: bool = False
    """Whether another call of the same session was at work when it began."""
    outcome: str | None = None
    """How its act ended."""
    ended: bool = False


@dataclass
class Callbacks:
    """All callbacks of a program, in their order."""

    numbered: Callable[[Message], int | None]
    read: Callable[[Message], object]
    session_of: Callable[[int | None], object]
    act: Callable[[str, int | None], str]
    """Does what a listener does, for the send of this number."""
    told: list[ListenerCall] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._gates: dict[int, threading.Event] = {}

    def listener(self, name: str, act: str) -> Listener:
        """A listener of this name, which does something."""
        return Listener(self, name, act)

    def hold(self, number: int) -> None:
        """The callback about this send may be held, until callbacks are let go."""
        self._gates[number] = threading.Event()

    def let_go(self) -> None:
        """Callbacks that are held go on, and those that have not begun are not held."""
        for gate in [*self._gates.values()]:
            gate.set()

    def of(self, number: int) -> Sequence[ListenerCall]:
        """The callbacks about a send."""
        with self._changed:
            return [each for each in self.told if each.number == number]

    def has_ended(self, number: int) -> bool:
        """Whether a callback about a send has come, and ended."""
        return any(each.ended for each in self.of(number))

    def wait(self, numbers: Sequence[int], seconds: float) -> bool:
        """Wait until a callback about each has ended; False: some did not."""
        with self._changed:
            return self._changed.wait_for(lambda: all(map(self._ended, numbers)), seconds)

    def _ended(self, number: int) -> bool:
        return any(each.number == number and each.ended for each in self.told)

    def called(self, listener: Listener, method: str, message: Any, error: Any) -> None:
        """A listener is called now."""
        call = ListenerCall(listener.name, method, message, error, threading.get_ident())
        try:
            call.number = self.numbered(message)
            call.read = self.read(message)
        except Exception as raised:
            call.read = raised
        session = self.session_of(call.number)
        with self._changed:
            at_work = (each for each in self.told if not each.ended)
            call.overlaps = any(self.session_of(each.number) is session for each in at_work)
            self.told.append(call)
        try:
            self._act(listener.act, call)
        finally:
            with self._changed:
                call.ended = True
                self._changed.notify_all()

    def _act(self, act: str, call: ListenerCall) -> None:
        if act == THROWS:
            raise ListenerRefusal
        if act == HELD and call.number in self._gates:
            self._gates[call.number].wait(_AT_MOST)
        if act in (HELD, LASTS):
            threading.Event().wait(_A_WHILE)
        elif act == SENDS or act.startswith(("closes", "commits", "rolls")):
            call.outcome = self.act(act, call.number)


@dataclass
class Listener:
    """One CompletionListener, which may be given to many sends."""

    callbacks: Callbacks = field(repr=False)
    name: str
    act: str

    def on_completion(self, message: Message) -> None:
        """The send was done."""
        self.callbacks.called(self, COMPLETED, message, None)

    def on_exception(self, message: Message, exception: Exception) -> None:
        """The send failed."""
        self.callbacks.called(self, FAILED, message, exception)
