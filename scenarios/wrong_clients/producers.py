"""Clients that are wrong about producers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import Message
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.producing import producer as producing
from pulsar_jms.producing.producer import PulsarMessageProducer

_LATE = 0.3
"""Seconds."""


@wrong("JMS-PROD-002", patches=(PulsarMessageProducer, "_target"))
def another_destination_is_ignored(
    original: Callable[..., PulsarQueue | PulsarTopic],
    producer: PulsarMessageProducer,
    destination: Any,
) -> PulsarQueue | PulsarTopic:
    """A producer with a destination sends there, whatever the send names."""
    return original(producer, None if producer.destination is not None else destination)


@wrong("JMS-PROD-004", patches=(PulsarMessageProducer, "send"))
def options_of_a_send_stay(
    original: Callable[..., None], producer: PulsarMessageProducer, message: Message, **options: Any
) -> None:
    """Options given with a send become the producer's own."""
    for name in ("delivery_mode", "priority", "time_to_live"):
        if options.get(name) is not None:
            setattr(producer, name, options[name])
    original(producer, message, **options)


@wrong("JMS-PROD-005", patches=(PulsarMessageProducer, "send"))
def sends_are_not_awaited(
    original: Callable[..., None], producer: PulsarMessageProducer, message: Message, **options: Any
) -> None:
    """A synchronous send returns before the message is at the broker."""
    threading.Timer(_LATE, partial(original, producer, message, **options)).start()


def _any_number(value: int) -> int:
    return int(value)


@wrong("API-PROD-007", "API-PROD-009", "API-JPROD-008")
def modes_of_a_producer_are_free() -> AbstractContextManager[object]:
    """A producer takes any number as its delivery mode."""
    return patch.object(producing, "check_delivery_mode", _any_number)


@wrong("API-PROD-008", "API-JPROD-009")
def priorities_of_a_producer_are_free() -> AbstractContextManager[object]:
    """A producer takes any number as its priority."""
    return patch.object(producing, "check_priority", _any_number)


@wrong("API-PROD-014", patches=(PulsarMessageProducer, "_check_open"))
def closed_producers_go_on(producer: Any) -> None:
    """A producer that was closed does what it did."""
