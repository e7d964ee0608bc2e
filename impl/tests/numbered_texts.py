"""Texts that are numbers, which the property x has as well: for what selects by x."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from jmsapi import (
    Destination,
    Message,
    TextMessage,
)
from pulsar_jms.sessions.session import PulsarSession

if TYPE_CHECKING:
    pass

T = TypeVar("T")
Look = Callable[[str], dict[str, Any]]
Backlog = Callable[[str], int]
NACK_DELAY = "consumerConfig.negativeAckRedeliveryDelayMicros"


def send(session: PulsarSession, to: Destination, xs: Iterable[int]) -> None:
    """Send one message for each x; its text is the number, so is its property x."""
    with session.create_producer(to) as producer:
        for x in xs:
            message = session.create_text_message(str(x))
            message.set_int_property("x", x)
            producer.send(message)


def text(message: Message | None) -> str | None:
    """The text of a message that must be there."""
    assert isinstance(message, TextMessage)
    return message.text


def wait_for(condition: Callable[[], T]) -> T:
    """The first truthy value of `condition`."""
    until = time.monotonic() + 20
    while not (value := condition()):
        assert time.monotonic() < until, "not within 20 s"
        threading.Event().wait(0.02)
    return value
