"""What one call of JMS 2.0 does, done by the calls of JMS 1.1, and that this accuses nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jms_clients.errors import NotInThisVersion
from jms_clients.origins import Origin, origin_of
from jms_clients.recorded import RecordedObject
from jms_clients.trace import Trace
from jmsapi import (
    BytesMessage,
    MapMessage,
    Message,
    MessageFormatException,
    MessageNotReadableException,
    ObjectMessage,
    StreamMessage,
    TextMessage,
)
from touchstone.scenario.either_version import body_of, durable_consumer, if_there_is


def too_new(*_: object) -> Any:
    raise NotInThisVersion("the client lacks this")


def message(kind: Any, **members: object) -> Any:
    """A message of JMS 1.1 that has these members, and no getBody."""
    nothing = dict.fromkeys(kind.__abstractmethods__)
    return type("Old", (kind,), {**nothing, "get_body": too_new, **members})()


class Content:
    """The reads of a BytesMessage, which has been read up to its fourth byte."""

    def __init__(self) -> None:
        self.content, self.at = b"\x01\x02\x03\x04", 3

    def read(self, length: int) -> bytes | None:
        read = self.content[self.at : self.at + length]
        self.at += len(read)
        return read or None

    def reset(self) -> None:
        self.at = 0

    def message(self) -> Any:
        return message(
            BytesMessage, body_length=len(self.content), read_bytes=self.read, reset=self.reset
        )


def test_a_client_that_has_the_newer_call_is_asked_by_it_alone() -> None:
    """Nothing else of these messages can be read."""
    asked = type("New", (), {"get_body": lambda _, kind: f"as {kind.__name__}"})()
    assert body_of(asked, str) == "as str"


@pytest.mark.parametrize(
    ("made", "kind", "body"),
    [
        (message(TextMessage, text="a text"), str, "a text"),
        (message(TextMessage, text=None), str, None),
        (message(ObjectMessage, object=[1]), list, [1]),
        (
            message(MapMessage, map_names=lambda _: ["k"], get_object=lambda _, name: name + "v"),
            dict,
            {"k": "kv"},
        ),
        (message(Message), str, None),
    ],
    ids=["text", "null", "object", "map", "no body"],
)
def test_a_body_is_read_by_the_calls_of_its_kind(made: Message, kind: type, body: object) -> None:
    assert body_of(made, kind) == body


def test_bytes_are_read_whole_and_can_be_read_again() -> None:
    content = Content()
    made = content.message()
    assert [body_of(made, bytes) for _ in range(2)] == [content.content] * 2
    assert content.at == 0


def test_bytes_that_are_being_written_are_refused_and_left_as_they_are() -> None:
    def refuses(_: object) -> int:
        raise MessageNotReadableException("being written")

    writes = message(BytesMessage, body_length=property(refuses), reset=pytest.fail)
    with pytest.raises(MessageNotReadableException):
        body_of(writes, bytes)


@pytest.mark.parametrize(
    "made", [message(TextMessage, text="a text"), message(StreamMessage)], ids=["text", "stream"]
)
def test_a_body_of_another_kind_speaks_against_the_client(made: Message) -> None:
    with pytest.raises(MessageFormatException) as caught:
        body_of(made, bytes)
    assert origin_of(caught.value) is Origin.CLIENT


@pytest.mark.parametrize(
    ("made_by", "calls"),
    [
        ({}, ["create_durable_consumer"]),
        ({"create_durable_consumer": too_new}, ["create_durable_subscriber"]),
    ],
    ids=["2.0", "1.1"],
)
def test_a_durable_consumer_is_made_by_the_newest_call(
    made_by: dict[str, object], calls: list[str]
) -> None:
    called: list[str] = []

    def noted(name: str) -> Callable[..., Any]:
        def call(_: object, *given: object) -> object:
            called.append(name)
            return given

        return call

    names = ("create_durable_consumer", "create_durable_subscriber")
    session: Any = type("Session", (), {**{name: noted(name) for name in names}, **made_by})()

    assert durable_consumer(session, "t", "s", "n = 1", True) == ("t", "s", "n = 1", True)  # type: ignore[arg-type, comparison-overlap]
    assert called == calls


def test_one_of_several_is_left_out_where_it_is_too_new() -> None:
    assert [*if_there_is(lambda: 1), *if_there_is(too_new)] == [1]
    with pytest.raises(ZeroDivisionError):
        if_there_is(lambda: 1 // 0)


def test_what_a_scenario_does_without_hides_no_failure_and_a_listener_hides_one() -> None:
    """A client may swallow what a listener raises, and the scenario goes on, wrong."""
    trace = Trace()
    made = RecordedObject(type("Old", (), {"create": too_new})(), trace, "session", {})
    assert if_there_is(made.create) == []
    assert trace.not_the_clients() is None

    trace.raised("consumer-1", "message_listener", NotInThisVersion(), None, "callback raised")
    assert isinstance(trace.not_the_clients(), NotInThisVersion)
