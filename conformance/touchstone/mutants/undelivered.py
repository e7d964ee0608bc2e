"""Clients that are wrong about what becomes of a message that they could not hand over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from touchstone.mutants.registry import UNREADABLE, Mutant


def _let_go(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    error: BaseException,
) -> None:
    consumer.receive_queue.ignore(delivered)


def _again(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    error: BaseException,
) -> None:
    consumer.receive_queue.nack([delivered], 1.0, halt=False)


@contextmanager
def _without_limit() -> Iterator[None]:
    """The limit is looked at twice: when a message is given back, and when it arrives again."""
    with (
        patch.object(Settlement, "redeliver_failed", _again),
        patch.object(Redelivery, "set_aside", lambda redelivery, delivered: False),
    ):
        yield


def _end_the_thread(
    consumer: PulsarMessageConsumer, delivered: DeliveredMessage | None, error: BaseException
) -> None:
    raise error


UNREADABLE_MESSAGES_NEVER_COME_AGAIN = Mutant(
    name="unreadable-messages-never-come-again",
    area="redelivery",
    violates=("SLJ-REDL-005",),
    doc="A message that cannot be read stays unacknowledged for ever, whatever the time-out.",
    apply=partial(patch.object, Settlement, "redeliver_failed", _let_go),
    scenarios="refused_messages_are_set_aside",
)
UNREADABLE_MESSAGES_ARE_NEVER_SET_ASIDE = Mutant(
    name="unreadable-messages-are-never-set-aside",
    area="dead-letter",
    violates=("SLJ-DLQ-008",),
    doc="A message that cannot be read comes again without end, whatever the limit.",
    apply=_without_limit,
    scenarios="refused_messages_are_set_aside",
)
UNREADABLE_MESSAGES_END_THE_THREAD = Mutant(
    name="unreadable-messages-end-the-thread",
    area="listeners",
    violates=("JMS-LSN-001",),
    doc="A message that cannot be read ends the thread of its session's listeners.",
    apply=partial(patch.object, PulsarMessageConsumer, "failed", _end_the_thread),
    scenarios=UNREADABLE,
)
