"""Clients that are wrong about selectors."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from jmsapi import InvalidSelectorException
from pulsar_jms import screening
from pulsar_jms.mapping.selectors import Fate, selector_of
from pulsar_jms.selectors import Selector, evaluator
from touchstone.mutants.registry import Mutant


def _lenient(text: str | None) -> Selector | None:
    try:
        return selector_of(text)
    except InvalidSelectorException:
        return None


SELECTOR_IGNORED = Mutant(
    name="selector-ignored",
    area="selectors",
    violates=("SLJ-SEL-001", "SLJ-SEL-005", "SLJ-SEL-006"),
    doc="A consumer with a selector gets every message.",
    apply=partial(patch.object, screening, "selects", lambda selector, values: True),
)
REJECTED_ALWAYS_ACKNOWLEDGED = Mutant(
    name="rejected-always-acknowledged",
    area="selectors",
    violates=("SLJ-SEL-004", "SLJ-SEL-009", "SLJ-REDL-004"),
    doc="What a selector rejects is acknowledged on shared subscriptions too, and so lost.",
    apply=partial(
        patch.object, screening, "fate_of_rejected", lambda kind, always=False: Fate.ACKNOWLEDGED
    ),
)
REJECTED_NEVER_ACKNOWLEDGED = Mutant(
    name="rejected-never-acknowledged",
    area="selectors",
    violates=("SLJ-SEL-003",),
    doc="What a selector rejects stays in the backlog of exclusive subscriptions too.",
    apply=partial(
        patch.object, screening, "fate_of_rejected", lambda kind, always=False: Fate.LEFT
    ),
)
MALFORMED_SELECTOR_ACCEPTED = Mutant(
    name="malformed-selector-accepted",
    area="selectors",
    violates=("SLJ-SEL-007",),
    doc="A malformed selector counts as none.",
    apply=partial(patch.object, screening, "selector_of", _lenient),
)
NULL_NEVER_SEEN = Mutant(
    name="null-never-seen",
    area="selectors",
    violates=("SLJ-SEL-006",),
    doc="IS NULL is false for a property that is not there.",
    apply=partial(patch.object, evaluator, "_is_null", lambda operand, negated: lambda _: negated),
)
