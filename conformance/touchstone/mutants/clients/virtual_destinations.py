"""Clients that are wrong about virtual destinations."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms.mapping import destinations
from pulsar_jms.mapping.destinations import PulsarQueue
from pulsar_jms.mapping.virtual_destinations import full_pattern, members
from touchstone.mutants.registry import Mutant


def _anywhere(name: str, namespace: str) -> str:
    before, group, pattern = full_pattern(name, namespace).partition("(?:")
    return f"{before}.*{group}{pattern}"


def _literally(name: str, namespace: str) -> str:
    return full_pattern(name, namespace).replace("*", r"\*")


def _and_one_more(name: str) -> list[str]:
    listed = members(name)
    return [*listed, f"{listed[0]}-2"]


FIRST_OF_THE_LIST = Mutant(
    name="first-of-the-list",
    area="virtual-destinations",
    violates=("SLJ-VIRT-001",),
    doc="Of the topics in a multi: destination the first alone is consumed.",
    apply=partial(patch.object, destinations, "members", lambda name: members(name)[:1]),
)
MORE_THAN_THE_LIST = Mutant(
    name="more-than-the-list",
    area="virtual-destinations",
    violates=("SLJ-VIRT-004",),
    doc="Beside the topics in a multi: destination another is consumed.",
    apply=partial(patch.object, destinations, "members", _and_one_more),
)
PATTERN_MATCHES_ANYWHERE = Mutant(
    name="pattern-matches-anywhere",
    area="virtual-destinations",
    violates=("SLJ-VIRT-003",),
    doc="A pattern covers every topic that has a match somewhere in its name.",
    apply=partial(patch.object, destinations, "full_pattern", _anywhere),
)
PATTERN_IS_A_NAME = Mutant(
    name="pattern-is-a-name",
    area="virtual-destinations",
    violates=("SLJ-VIRT-002",),
    doc="The asterisk of a pattern stands for itself.",
    apply=partial(patch.object, destinations, "full_pattern", _literally),
)
LIST_WITHOUT_ITS_SUBSCRIPTION = Mutant(
    name="list-without-its-subscription",
    area="virtual-destinations",
    violates=("SLJ-VIRT-005",),
    doc="The subscription at the end of a list is cut off, and then forgotten.",
    apply=partial(patch.object, PulsarQueue, "subscription", None),
)
