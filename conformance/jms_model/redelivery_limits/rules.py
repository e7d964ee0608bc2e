"""What is permitted of all that was seen of a case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from jms_model.redelivery_limits.cases import TIME_OUT, Case
from jms_model.redelivery_limits.dead_letters import dead_letters
from jms_model.redelivery_limits.deliveries import deliveries
from jms_model.redelivery_limits.facts import Fact
from jms_model.redelivery_limits.rejections import rejections
from jms_model.redelivery_limits.seen import CaseObservation
from jms_model.redelivery_limits.settings import ConsumerSettings
from jms_model.redelivery_limits.waits import waits

PROMPT: Final = 0.6
"""The part of an acknowledgement time-out in which an application has to be done with a message."""


def facts(
    case: Case, settings: ConsumerSettings, seen: CaseObservation, default: str
) -> Iterator[Fact]:
    """All that is known of it; nothing, where the client failed or the application was slow."""
    if seen.failure is not None or _was_slow(case, settings, seen):
        return
    yield from deliveries(case, settings, seen)
    yield from waits(case, settings, seen)
    yield from dead_letters(case, settings, seen, default)
    yield from rejections(case, seen)


def _was_slow(case: Case, settings: ConsumerSettings, seen: CaseObservation) -> bool:
    """Whether a message may have timed out while the application was busy with it."""
    within = settings.timeout * PROMPT / 1000
    if not within:
        return False
    ended = [
        each
        for number, sent in enumerate(case.messages)
        for times, each in enumerate(seen.of(number))
        if case.way != TIME_OUT or times >= sent.fails
    ]
    return any(each.ended - each.asked > within for each in ended)
