"""Clients that are wrong about asynchronous sends."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

import _pulsar

from jmsapi import IllegalStateException
from pulsar_jms.messages import PulsarTextMessage
from pulsar_jms.producing import async_send
from pulsar_jms.producing.completions import Completions
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from pulsar_jms.transport.transport_protocol import SendCallback
from pulsar_jms.transport.wire_messages import OutgoingMessage
from touchstone.mutants.registry import Mutant


def _send_and_wait(
    transport_producer: PulsarClientProducer,
    message: OutgoingMessage,
    outcome: SendCallback,
    transaction: object = None,
) -> None:
    outcome(_pulsar.Result.Ok, transport_producer.send(message)._identifier)


def _tell_of_another(sent: async_send._Send) -> None:
    sent._listener.on_completion(PulsarTextMessage("another message"))


def _close_or_refuse(completions: Completions) -> None:
    if completions._open:
        raise IllegalStateException("Sends are outstanding")


ASYNCHRONOUS_SEND_WAITS = Mutant(
    name="asynchronous-send-waits",
    area="async-send",
    violates=("SLJ-ASY-001",),
    doc="send() with a completion listener waits for the broker.",
    apply=partial(patch.object, PulsarClientProducer, "send_async", _send_and_wait),
)
ANOTHER_MESSAGE_COMPLETED = Mutant(
    name="another-message-completed",
    area="async-send",
    violates=("SLJ-ASY-001",),
    doc="The completion listener gets another message than the one sent.",
    apply=partial(patch.object, async_send._Send, "tell", _tell_of_another),
)
CLOSE_REFUSED_DURING_SENDS = Mutant(
    name="close-refused-during-sends",
    area="async-send",
    violates=("SLJ-ASY-002",),
    doc="A session does not close while asynchronous sends are outstanding.",
    apply=partial(patch.object, Completions, "close", _close_or_refuse),
)
