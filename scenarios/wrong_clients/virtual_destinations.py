"""Clients that are wrong about virtual destinations."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from pulsar_jms.mapping import destinations
from pulsar_jms.mapping.destinations import PulsarQueue
from pulsar_jms.mapping.virtual_destinations import full_pattern, members


@wrong("SLJ-VIRT-001", patches=(destinations, "members"))
def first_of_the_list(name: Any) -> Any:
    """Of the topics in a multi: destination the first alone is consumed."""
    return members(name)[:1]


@wrong("SLJ-VIRT-004", patches=(destinations, "members"))
def more_than_the_list(name: str) -> list[str]:
    """Beside the topics in a multi: destination another is consumed."""
    listed = members(name)
    return [*listed, f"{listed[0]}-2"]


@wrong("SLJ-VIRT-003", patches=(destinations, "full_pattern"))
def pattern_matches_anywhere(name: str, namespace: str) -> str:
    """A pattern covers every topic that has a match somewhere in its name."""
    before, group, pattern = full_pattern(name, namespace).partition("(?:")
    return f"{before}.*{group}{pattern}"


@wrong("SLJ-VIRT-002", patches=(destinations, "full_pattern"))
def pattern_is_a_name(name: str, namespace: str) -> str:
    """The asterisk of a pattern stands for itself."""
    return full_pattern(name, namespace).replace("*", r"\*")


@wrong("SLJ-VIRT-005")
def list_without_its_subscription() -> AbstractContextManager[object]:
    """The subscription at the end of a list is cut off, and then forgotten."""
    return patch.object(PulsarQueue, "subscription", None)
