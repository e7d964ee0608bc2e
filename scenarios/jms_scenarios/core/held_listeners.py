"""Listeners that are held at a gate while others stop or close what calls them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from jmsapi import Destination, Message, Session

AT_MOST = 20.0
"""Seconds after which a listener that is held goes on, whatever happens."""


class Working:
    """A listener that waits for a gate, and then makes a producer, sends, and settles.

    `results` has `done`, or the exception that any of it raised.
    """

    def __init__(
        self,
        session: Session,
        destination: Destination,
        gate: Event,
        settle: Callable[[Message], object],
    ) -> None:
        self.results: list[str] = []
        self._session, self._destination = session, destination
        self._gate, self._settle = gate, settle

    def __call__(self, message: Message) -> None:
        self._gate.wait(AT_MOST)
        try:
            with self._session.create_producer(self._destination) as producer:
                producer.send(self._session.create_text_message("from the listener"))
            self._settle(message)
        except Exception as error:
            self.results.append(f"{type(error).__name__}: {error}")
            raise
        self.results.append("done")
