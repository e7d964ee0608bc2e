"""Delivery: what was sent arrives, once, in order.

Messages are known by ids, unique among those sent. A message never sent that arrives (a phantom)
is always a violation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence


def at_least_once(sent: Iterable[Hashable], received: Iterable[Hashable]) -> list[str]:
    """Violations of: every id sent is received, and nothing else; repeats are allowed."""
    expected, arrived = list(sent), Counter(received)
    lost = [f"{id_!r} was sent and never received" for id_ in expected if not arrived[id_]]
    known = set(expected)
    phantoms = [f"{id_!r} was received and never sent" for id_ in arrived if id_ not in known]
    return lost + phantoms


def exactly_once(sent: Iterable[Hashable], received: Iterable[Hashable]) -> list[str]:
    """Violations of: every id sent is received once, and nothing else."""
    arrived = list(received)
    repeats = [
        f"{id_!r} was received {count} times"
        for id_, count in Counter(arrived).items()
        if count > 1
    ]
    return at_least_once(sent, arrived) + repeats


def in_order(sent: Sequence[Hashable], received: Iterable[Hashable]) -> list[str]:
    """Violations of: the first arrivals of ids come in the order of sending.

    Ids never sent and repeats are left to the other checks.
    """
    position = {id_: index for index, id_ in enumerate(sent)}
    violations = []
    latest: Hashable = None
    highest = -1
    for id_ in dict.fromkeys(received):
        index = position.get(id_)
        if index is None:
            continue
        if index < highest:
            violations.append(f"{id_!r} was received after {latest!r}, although sent before it")
        else:
            highest, latest = index, id_
    return violations
