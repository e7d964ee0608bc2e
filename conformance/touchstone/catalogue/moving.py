"""What changes for an application that moves from one client to another, by known deviations.

They are compared by the statements of JMS and of its API, which each client has to keep; a document
of a vendor speaks of its own client alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.effects import rank
from touchstone.catalogue.findings import Finding, worst_first

_OF_ALL: Final = frozenset({"JMS", "API"})
"""The documents that speak of every client."""


@dataclass(frozen=True)
class Move:
    """From one client to another."""

    lost: Sequence[Finding]
    """Why the new client does not keep what the old one keeps, or breaks less badly."""
    gained: Sequence[Finding]
    """Why the old client does not keep what the new one keeps, or breaks less badly."""
    as_before: Sequence[str]
    """The statements that both do not keep, with the same effect."""


def compare(old: Iterable[Deviation], new: Iterable[Deviation]) -> Move:
    """What the known deviations of two clients say of a move from the one to the other.

    Both lists of reasons begin with the worst.
    """
    here, there = ([each for each in known if each.document in _OF_ALL] for known in (old, new))
    of_old, of_new = _worst_ranks(here), _worst_ranks(there)
    return Move(
        lost=_reasons(each for each in there if rank(each.effect) < of_old[each.requirement]),
        gained=_reasons(each for each in here if rank(each.effect) < of_new[each.requirement]),
        as_before=sorted(id_ for id_ in of_old.keys() & of_new if of_old[id_] == of_new[id_]),
    )


def count_statements(reasons: Iterable[Finding]) -> int:
    """How many statements are not kept for these reasons."""
    return len({id_ for each in reasons for id_ in each.requirements})


def _worst_ranks(entries: Iterable[Deviation]) -> Mapping[str, float]:
    """How bad the worst is that becomes of each statement; a statement that is kept is infinite."""
    worst: defaultdict[str, float] = defaultdict(lambda: math.inf)
    for entry in entries:
        worst[entry.requirement] = min(worst[entry.requirement], rank(entry.effect))
    return worst


def _reasons(entries: Iterable[Deviation]) -> Sequence[Finding]:
    by_reason: dict[str, list[Deviation]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).append(entry)
    return worst_first(Finding(of_reason, ()) for of_reason in by_reason.values())
