"""Producers that send nothing: asked and closed (JMS 2.0, chapter 7; API, MessageProducer)."""

from __future__ import annotations

from functools import partial
from typing import Final

from jms_model.answers import Expectation, gives, succeeds
from jms_model.resources.refusals import RefusalReason, of_a_closed, refuse
from jms_model.resources.things import Producer, World
from jmsapi.errors import IllegalStateException

_AGAIN: Final = "API-PROD-015"
"""The statement that a close of what is closed does nothing."""


def get_destination(world: World, producer: Producer) -> Expectation | None:
    """The destination that it was made for, by its name; null where there was none."""
    if closed := behind_close(world, producer):
        return closed
    destination = producer.destination
    if destination is None:
        return Expectation([gives(None)], ["API-PROD-013"], "of a producer for none")
    if destination.temporary:
        return None
    return Expectation([gives(destination.name)], ["API-PROD-013"])


def behind_close(world: World, producer: Producer) -> Expectation | None:
    """What a producer refuses once it is closed, by itself or with its session."""
    if producer.session.closed_by:
        return refuse(of_a_closed(producer.session), simplified=False)
    if producer.closed:
        fault = RefusalReason(
            IllegalStateException, ["API-PROD-014"], "behind close of the producer"
        )
        return refuse(fault, simplified=False)
    return None


def close(world: World, producer: Producer) -> Expectation:
    """Again and again, also behind the close of its session or connection."""
    done = partial(setattr, producer, "closed", True)
    if producer.closed:
        return Expectation([succeeds()], [_AGAIN], "again")
    if by := producer.session.closed_by:
        own = "JMS-SESS-006" if by == "session" else "JMS-CONN-017"
        return Expectation([succeeds(done)], [own, _AGAIN], f"behind close of the {by}")
    return Expectation([succeeds(done)], [])
