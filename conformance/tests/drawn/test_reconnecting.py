"""A connection that one program has broken is not the next one's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from drawn.reference_alone import driver
from jmsapi import JMSException
from sample_messages import received
from touchstone.drawn import driving
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.message_judging import MessageDriver, Trips
from touchstone.drawn.program import SEND, Program, Step


def sent(text: str) -> Program:
    """A program that sends it, and reads it where it arrives."""
    return Program("text", [Step(0, "set_text", (text,)), Step(0, SEND), Step(1, "get_text")])


class Linked:
    """A session, its producer and its consumer; a deadly text closes its connection.

    A poisonous one arrives, and closes it later.
    """

    closed = False

    def __init__(self) -> None:
        self._sent: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        """What makes messages."""
        if self.closed:
            raise JMSException("the connection is closed")
        return getattr(driver().session, name)

    def create_producer(self, _: object) -> Linked:
        if self.closed:
            raise JMSException("the connection is closed")
        return self

    create_consumer = create_producer

    def send(self, message: Any) -> None:
        self.closed = self.closed or message.text == "deadly"
        if self.closed:
            raise JMSException("the connection is closed")
        self._sent.append(message)

    def received(self) -> Any:
        message: Any = received(self._sent.pop(0))
        self.closed = message.text == "poisonous"
        return message


def test_what_breaks_the_connection_breaks_no_later_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        driving, "is_raised_by_client", lambda error: isinstance(error, JMSException)
    )
    monkeypatch.setattr(Arrivals, "next", lambda _, consumer: consumer.received())
    sessions: list[Linked] = []

    def create_session() -> Linked:
        sessions.append(Linked())
        return sessions[-1]

    connection = SimpleNamespace(create_session=create_session)
    at_hand: Any = SimpleNamespace(
        queue=lambda: "q", jms=SimpleNamespace(connection=lambda: connection)
    )
    first: Any = create_session()
    runs = MessageDriver(first, Trips(at_hand, first, recorded=False))
    for _ in range(2):
        assert [*runs.disagreements(sent("harmless"))] == []
        [broken] = runs.disagreements(sent("deadly"))
        assert broken.signature == "send raised JMSException"
        assert [*runs.disagreements(sent("poisonous"))] == []
    assert [*runs.disagreements(sent("harmless"))] == []
    assert len(sessions) == 1 + 2 * (2 + 1)
