"""Redelivery: what is finished does not come again, and what comes again says so.

A delivery is a pair of the message's id and its JMSRedelivered; deliveries are in order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable


def repeats_flagged(deliveries: Iterable[tuple[Hashable, bool]]) -> list[str]:
    """Violations of: every delivery of an id but its first is flagged as redelivered."""
    known: set[Hashable] = set()
    violations = []
    for id_, redelivered in deliveries:
        if id_ in known and not redelivered:
            violations.append(f"{id_!r} came again without being flagged")
        known.add(id_)
    return violations


def none_again(finished: Iterable[Hashable], later: Iterable[Hashable]) -> list[str]:
    """Violations of: an id that was finished is not among what was delivered later."""
    done = set(finished)
    return [f"{id_!r} was finished and came again" for id_ in dict.fromkeys(later) if id_ in done]
