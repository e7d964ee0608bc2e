"""How the messages of one lane are received, and when each was there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast

from jms_brokers.machine.patience import patience
from jms_model.answers import Answer, Gave
from jms_model.times.sent import DURABLE, SHARED, SHARED_DURABLE, ReceivedMessage
from jmsapi import Destination, Topic
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import answer_of
from touchstone.drawn.times.clock import Clock
from touchstone.drawn.times.outbox import CHOSEN, END
from touchstone.drawn.times.program import (
    BROWSER,
    HELD_LISTENER,
    LAST,
    LISTENER,
    NO_WAIT,
    SELECTED,
)
from touchstone.scenario.either_version import body_of, durable_consumer, if_there_is

_MOMENT: Final = 15
"""Milliseconds for which one lane of many waits for a message."""
_SELECTOR: Final = f"{CHOSEN} = TRUE"


def open_consumer(
    session: Any, outlet: str, destination: Destination, name: str, way: str = ""
) -> Any:
    """A consumer of such an outlet; a subscription has this name."""
    selector = [_SELECTOR] if way == SELECTED else []
    if outlet == DURABLE:
        topic = cast(Topic, destination)
        return durable_consumer(session, topic, name, next(iter(selector), None))
    if outlet == SHARED:
        return session.create_shared_consumer(destination, name, *selector)
    if outlet == SHARED_DURABLE:
        return session.create_shared_durable_consumer(destination, name, *selector)
    return session.create_consumer(destination, *selector)


@dataclass
class Inbox:
    """The consumer of a lane: what it has got."""

    way: str
    session: Any
    open: Callable[[], Any]
    """Makes its consumer."""
    destination: Destination
    clock: Clock
    arrivals: Arrivals
    seen: list[ReceivedMessage] = field(default_factory=list)
    began: int = 0
    """When it began to read; 0: it does not, yet."""
    ended: int = 0
    """When the last message came; 0: it did not."""
    gave_up: int = 0
    """When nobody waited for it any more, though the broker delivers."""
    is_again: bool = False
    consumer: Any = None

    def __post_init__(self) -> None:
        self._missed = 0
        if self.way not in (LAST, BROWSER):
            self.consumer = self.open()

    @property
    def is_listening(self) -> bool:
        """Whether a listener is told."""
        return self.way in (LISTENER, HELD_LISTENER)

    def begin(self) -> None:
        """Read from now on."""
        if self.consumer is None:
            self.consumer = self.open()
        self.began = self.clock.now()
        if self.is_listening:
            self.consumer.message_listener = self._heard

    def poll(self, *, waits: bool) -> None:
        """Take a message, if there is one."""
        if not self.began or self.is_listening:
            return
        asked = self.clock.now()
        ask = partial(self.consumer.receive, _MOMENT) if waits else self.consumer.receive_no_wait
        if self.way == NO_WAIT:
            ask = self.consumer.receive_no_wait
        answer = answer_of(ask)
        if isinstance(answer, Gave) and answer.value is not None:
            self._note(answer.value, asked)
        elif isinstance(answer, Gave):
            self._missed = asked

    def finish(self) -> None:
        """Take all messages up to the last."""
        if self.is_listening:
            any(self._ends_within(seconds) for seconds in patience(self.arrivals.within))
            return
        self.ended = 0
        while not self.ended:
            asked = self.clock.now()
            answer = answer_of(partial(self.arrivals.next, self.consumer))
            if not isinstance(answer, Gave):
                return
            if answer.value is None:
                self.gave_up = self.clock.now()
                return
            self._note(answer.value, asked)

    def _ends_within(self, seconds: float) -> bool:
        until = self.clock.now() + 1000 * seconds
        while not self.ended and self.clock.now() < until:
            self.clock.pause(_MOMENT)
        return bool(self.ended)

    def browse(self) -> tuple[int, int, frozenset[int]] | None:
        """What a browser shows, and when it was asked and had shown all; None: it failed."""
        asked = self.clock.now()
        answer = answer_of(self._browsed)
        if not isinstance(answer, Gave) or not isinstance(answer.value, frozenset):
            return None
        return asked, self.clock.now(), answer.value

    def _browsed(self) -> frozenset[int]:
        browser = self.session.create_browser(self.destination)
        try:
            texts = [str(body_of(each, str)) for each in browser.enumeration]
        finally:
            browser.close()
        return frozenset(int(text) for text in texts if text.isdecimal())

    def _heard(self, message: Any) -> None:
        self._note(message, self.clock.now())

    def _note(self, message: Any, asked: int) -> None:
        at = self.clock.now()
        text = str(body_of(message, str))
        if text == END:
            self.ended = at
        elif text.isdecimal():
            due = if_there_is(partial(_read, message, "jms_delivery_time"))
            times = (next(iter(due), None), _read(message, "jms_expiration"))
            missed = at if self.is_listening else self._missed
            self.seen.append(ReceivedMessage(int(text), asked, at, *times, missed, self.is_again))


def _read(message: Any, name: str) -> Answer:
    return answer_of(lambda: getattr(message, name))
