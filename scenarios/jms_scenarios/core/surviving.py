"""Sending and receiving through a failure of the broker, by new connections where need be."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TypeVar

from jms_scenarios.traffic import send
from jmsapi import Connection, Destination, MessageConsumer, Session
from touchstone.api import UnderTest, body_of, eventually

T = TypeVar("T")
BACK = 60.0
"""Seconds within which a client works again after its broker was killed and started."""
SILENCE, PATIENCE = 300, 10.0
"""Milliseconds without a message after which no other is on its way; seconds for which those that
are missed may still come, after the last one that came."""
MARKER = "marker"
Delivery = tuple[str, bool]
"""The text of a message, and whether it was flagged as redelivered."""


class Sender:
    """Sends what is planned on a thread of its own; a new connection follows each that fails.

    `confirmed` are the texts whose send() returned; one whose send() failed may or may not have
    been stored, and is not sent again.
    """

    def __init__(self, jms: UnderTest, plan: Iterable[tuple[Destination, str, int]]) -> None:
        """`plan` says where each text goes, and in which delivery mode."""
        self._jms = jms
        self._plan = list(plan)
        self.confirmed: list[str] = []
        self._spans: dict[str, tuple[float, float]] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sender", daemon=True)
        self._thread.start()

    def done(self) -> bool:
        """Whether the plan has come to its end."""
        return not self._thread.is_alive()

    def underway(self, since: float, until: float) -> set[str]:
        """The texts whose send() had begun by `until` and not ended before `since`, monotonic s."""
        return {
            text
            for text, (begun, ended) in list(self._spans.items())
            if begun <= until and ended >= since
        }

    def stop(self) -> None:
        """Send nothing any more."""
        self._stopped.set()

    def _run(self) -> None:
        session: Session | None = None
        for destination, text, mode in self._plan:
            while session is None and not self._stopped.wait(0.02):
                session = tried(lambda: self._jms.connection().create_session())
            if session is None:
                return
            begun = time.monotonic()
            self._spans[text] = begun, math.inf
            sent = tried(partial(_send, session, destination, text, mode))
            self._spans[text] = begun, time.monotonic()
            if sent:
                self.confirmed.append(text)
            else:
                session = None


def _send(session: Session, destination: Destination, text: str, mode: int) -> bool:
    with session.create_producer(destination) as producer:
        producer.send(session.create_text_message(text), delivery_mode=mode)
    return True


def tried(call: Callable[[], T]) -> T | None:
    """What `call` gives; None when it fails, in whatever way a client without a broker does."""
    try:
        return call()
    except Exception:
        return None


def again(call: Callable[[], T], within: float = BACK) -> T:
    """What `call` gives as soon as it does not fail any more."""
    results: list[T] = []

    def succeeded() -> bool:
        result = tried(call)
        if result is not None:
            results.append(result)
        return bool(results)

    eventually(succeeded, within)
    return results[0]


def take_all(
    jms: UnderTest,
    connection: Connection,
    make: Callable[[Session], MessageConsumer],
    destination: Destination,
    expected: Collection[str] = (),
) -> list[Delivery]:
    """What a new consumer gets: until a marker that is sent now has come, and all `expected`.

    Of what is missing in the end the caller's checks tell.
    """
    consumer = again(lambda: make(connection.create_session()))
    again(lambda: _mark(jms, destination))
    rows: list[Delivery] = []
    missing = {*expected, MARKER}
    came = time.monotonic()
    while missing and time.monotonic() < came + (BACK if MARKER in missing else PATIENCE):
        while (message := consumer.receive(SILENCE)) is not None:
            rows.append((str(body_of(message, str)), message.jms_redelivered))
            missing.discard(rows[-1][0])
            came = time.monotonic()
    consumer.close()
    assert MARKER not in missing, f"{destination!r} gives nothing any more"
    return [row for row in rows if row[0] != MARKER]


def _mark(jms: UnderTest, destination: Destination) -> bool:
    with jms.connection() as connection:
        send(connection, destination, [MARKER])
    return True
