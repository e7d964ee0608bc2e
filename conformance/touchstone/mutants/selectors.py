"""Clients that are wrong about selectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import InvalidSelectorException, Message
from pulsar_jms.consuming import message_filter
from pulsar_jms.mapping.selectors import FilterResult, selector_of
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.selectors import Selector, evaluator
from touchstone.mutants.registry import Mutant


def _lenient(text: str | None) -> Selector | None:
    try:
        return selector_of(text)
    except InvalidSelectorException:
        return None


@contextmanager
def _filtering_at_the_source() -> Iterator[None]:
    """A message that no selector of this client selects is not sent."""
    selectors: list[Selector] = []
    send = PulsarMessageProducer.send

    def noting(text: str | None) -> Selector | None:
        found = selector_of(text)
        if found is not None:
            selectors.append(found)
        return found

    def send_if_wanted(producer: PulsarMessageProducer, message: Message, **options: Any) -> None:
        values = {name: message.get_object_property(name) for name in message.property_names()}
        if not selectors or any(one.matches(values) for one in selectors):
            send(producer, message, **options)

    with (
        patch.object(message_filter, "selector_of", noting),
        patch.object(PulsarMessageProducer, "send", send_if_wanted),
    ):
        yield


SELECTED_BEFORE_THE_BROKER = Mutant(
    name="selected-before-the-broker",
    area="selectors",
    violates=("SLJ-SEL-002",),
    doc="What no consumer of the client selects is not even sent.",
    apply=_filtering_at_the_source,
)
SELECTOR_IGNORED = Mutant(
    name="selector-ignored",
    area="selectors",
    violates=("SLJ-SEL-001", "SLJ-SEL-005", "SLJ-SEL-006"),
    doc="A consumer with a selector gets every message.",
    apply=partial(patch.object, message_filter, "selects", lambda selector, values: True),
)
REJECTED_ALWAYS_ACKNOWLEDGED = Mutant(
    name="rejected-always-acknowledged",
    area="selectors",
    violates=("SLJ-SEL-004", "SLJ-SEL-009", "SLJ-REDL-004"),
    doc="What a selector rejects is acknowledged on shared subscriptions too, and so lost.",
    apply=partial(
        patch.object,
        message_filter,
        "result_for_rejected",
        lambda kind, always=False: FilterResult.ACKNOWLEDGED,
    ),
)
REJECTED_NEVER_ACKNOWLEDGED = Mutant(
    name="rejected-never-acknowledged",
    area="selectors",
    violates=("SLJ-SEL-003",),
    doc="What a selector rejects stays in the backlog of exclusive subscriptions too.",
    apply=partial(
        patch.object,
        message_filter,
        "result_for_rejected",
        lambda kind, always=False: FilterResult.LEFT,
    ),
)
MALFORMED_SELECTOR_ACCEPTED = Mutant(
    name="malformed-selector-accepted",
    area="selectors",
    violates=("SLJ-SEL-007",),
    doc="A malformed selector counts as none.",
    apply=partial(patch.object, message_filter, "selector_of", _lenient),
)
NULL_NEVER_SEEN = Mutant(
    name="null-never-seen",
    area="selectors",
    violates=("SLJ-SEL-006",),
    doc="IS NULL is false for a property that is not there.",
    apply=partial(patch.object, evaluator, "_is_null", lambda operand, negated: lambda _: negated),
)
