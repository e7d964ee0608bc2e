"""Sends of pulsar-client go in batches, or alone where that is configured."""

from __future__ import annotations

from typing import Any

import pytest

from jmsapi import JMSException
from pulsar_jms.transport.messages import OutgoingMessage
from pulsar_jms.transport.pulsar_client.sending import PulsarOutlet


class Producer:
    """Counts what is sent by it."""

    def __init__(self) -> None:
        self.sent = 0

    def send(self, message: object) -> object:
        """Sent, and waited for."""
        self.sent += 1
        return object()

    def send_async(self, message: object, outcome: object) -> None:
        """Started."""
        self.sent += 1

    def flush(self) -> None:
        """All arrive."""

    def close(self) -> None:
        """Nothing to give back."""


@pytest.mark.parametrize(("batches", "made"), [(True, [True, False]), (False, [False])])
def test_asynchronous_sends_go_in_batches_unless_these_are_switched_off(
    batches: bool, made: list[bool]
) -> None:
    """Without batches one producer, which makes none, does for both kinds of sends."""
    producers: list[tuple[bool, Producer]] = []

    def make(topic: str, *, batching: bool) -> Producer:
        producers.append((batching, Producer()))
        return producers[-1][1]

    outlet = PulsarOutlet(make, "orders", lambda error, text: JMSException(text), batches=batches)
    outlet.send_async(_message(), lambda *_: None)
    outlet.send(_message())
    outlet.send_async(_message(), lambda *_: None)

    assert [batching for batching, _ in producers] == made
    assert sum(producer.sent for _, producer in producers) == 3


def _message() -> Any:
    return OutgoingMessage(b"body", {}, None, None)
