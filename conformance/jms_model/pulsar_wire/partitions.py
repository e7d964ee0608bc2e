"""To which partitions priorities and groups go, by the setting jms.priorityMapping."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Final

from jms_model.answers import Permitted, gives, gives_what
from jms_model.pulsar_wire.looks import Look, look_at_wire

LINEAR, NON_LINEAR = "linear", "non-linear"
LEVELS: Final = range(10)
LOW, DEFAULT, HIGH = 0, 4, 9
"""The levels whose class the documents name."""
_CHANCE: Final = 1e-7
"""So rarely a partition may be left out by chance."""
Placed = Mapping[int, Mapping[int, int]]
"""For each level how many messages each partition has."""
Of = tuple[Sequence[int], Look]
"""A look, and the levels that it is about."""


def looks_at_partitions(mapping: str | None, partitions: int, placed: Placed) -> Iterator[Of]:
    """Where the messages of each level are; no mapping is the linear one."""
    if mapping == NON_LINEAR:
        yield from _non_linear(partitions, placed)
    else:
        yield from _linear(mapping, partitions, placed)


def looks_at_groups(groups: Mapping[str, Collection[int]]) -> Iterator[tuple[str, Look]]:
    """All messages of a group are in one partition."""
    for group, used in groups.items():
        look = look_at_wire("partitions_of_a_group", [], len(used), gives(1), ["SLJ-PROP-022"])
        yield group, look


def _linear(mapping: str | None, partitions: int, placed: Placed) -> Iterator[Of]:
    share = partitions // 10
    own = {level: _proportional(level, partitions) for level in LEVELS}
    on = {10: "on ten", 20: "on twenty"}.get(
        partitions, "on others" if _is_odd(partitions) else "on more"
    )
    for level, counts in placed.items():
        ids = ["SLJ-PRIO-016", *_of_level(level, partitions)]
        if mapping is None:
            ids.append("SLJ-PRIO-015")
        is_whole = partitions == 20 and _is_enough(counts, share)
        yield [level], _partitions(level, counts, own[level], ids, on, is_whole=is_whole)
    if _is_odd(partitions):
        return
    shared = [
        (first, second)
        for first in placed
        for second in placed
        if first < second and placed[first].keys() & placed[second].keys()
    ]
    id_ = "SLJ-PRIO-007" if mapping is None else "SLJ-PRIO-030"
    about = shared[0] if shared else [*placed]
    yield about, look_at_wire("shared_partitions", [], len(shared), gives(0), [id_], on)
    used = {partition for counts in placed.values() for partition in counts}
    idle = {partition for level in LEVELS if level not in placed for partition in own[level]}
    look = look_at_wire("idle_partitions", [], len(used & idle), gives(0), ["SLJ-PRIO-031"], on)
    yield [*placed], look


def _proportional(level: int, partitions: int) -> range:
    """The partitions of a level in proportion, broken ones whole; of less than ten about so.

    Documents name multiples of ten only.
    """
    exact, slack = _exact_partitions(level, partitions), int(partitions < len(LEVELS))
    return range(max(0, exact.start - slack), min(partitions, exact.stop + slack))


def _is_odd(partitions: int) -> bool:
    """Whether proportion does not give each level whole partitions of its own."""
    return partitions % len(LEVELS) != 0


def _of_level(level: int, partitions: int) -> Sequence[str]:
    if partitions == 10:
        return [f"SLJ-PRIO-{17 + level:03}"]
    return [f"SLJ-PRIO-{27 + min(level, 2):03}"] if partitions == 20 else []


def _non_linear(partitions: int, placed: Placed) -> Iterator[Of]:
    by = "by the other mapping"
    if partitions % 4 == 0:
        yield from _quarters(partitions, placed, by)
    yield [*placed], _classes(placed, by)
    if default := placed.get(DEFAULT):
        yield from _leaning(partitions, placed, default, by)


def _classes(placed: Placed, by: str) -> Look:
    """How many levels there are of which no two share a partition: at most one of each class."""
    apart, end = 0, -1
    for least, most in sorted(((min(of), max(of)) for of in placed.values()), key=itemgetter(1)):
        if least > end:
            apart, end = apart + 1, most
    few = gives_what("three or fewer", lambda given: isinstance(given, int) and given <= 3)
    return look_at_wire("levels_apart", [], apart, few, ["SLJ-PRIO-033"], by)


def _quarters(partitions: int, placed: Placed, by: str) -> Iterator[Of]:
    quarter = partitions // 4
    classes = [
        range(quarter),
        range(quarter, 3 * quarter),
        range(3 * quarter, partitions),
    ]
    for level, of, id_ in zip((LOW, DEFAULT, HIGH), classes, _CLASSES, strict=True):
        if counts := placed.get(level):
            is_whole = _is_enough(counts, len(of))
            yield [level], _partitions(level, counts, of, [id_], by, is_whole=is_whole)
    last = 0
    for level in sorted(placed):
        at = next((n for n, of in enumerate(classes) if placed[level].keys() <= {*of}), -1)
        wanted = gives_what("one of three classes", partial(_is_from, last))
        yield [*placed], look_at_wire("class_of", [level], at, wanted, ["SLJ-PRIO-033"], by)
        last = max(last, at)


_CLASSES: Final = ("SLJ-PRIO-034", "SLJ-PRIO-035", "SLJ-PRIO-036")


def _is_from(least: int, given: object) -> bool:
    return isinstance(given, int) and given >= least


def _leaning(partitions: int, placed: Placed, default: Mapping[int, int], by: str) -> Iterator[Of]:
    low, high = placed.get(LOW), placed.get(HIGH)
    if partitions < 4:
        return
    if _is_enough(default, partitions // 2):
        outside = len(default.keys() - {*_exact_partitions(DEFAULT, partitions)})
        some = gives_what("some", bool)
        yield [DEFAULT], look_at_wire("out_of_proportion", [], outside, some, ["SLJ-PRIO-032"], by)
    for level, other in ((LOW, low), (HIGH, high)):
        if other and _is_enough(default, partitions // 2):
            more = gives_what("more", lambda given: isinstance(given, int) and given > 0)
            count = len(default) - len(other)
            look = look_at_wire("more_partitions", [], count, more, ["SLJ-PRIO-037"], by)
            yield [level, DEFAULT], look
    if high:
        above = _mean(high) > _mean(default)
        if partitions % 4 == 0:
            above = min(high) > max(default)
        look = look_at_wire("is_above", [], above, gives(True), ["SLJ-PRIO-038"], by)
        yield [DEFAULT, HIGH], look
    if low:
        below = _mean(low) < _mean(default)
        if partitions % 4 == 0:
            below = max(low) < min(default)
        look = look_at_wire("is_below", [], below, gives(True), ["SLJ-PRIO-039"], by)
        yield [LOW, DEFAULT], look


def _exact_partitions(level: int, partitions: int) -> range:
    return range(level * partitions // 10, -(-(level + 1) * partitions // 10))


def _mean(counts: Mapping[int, int]) -> float:
    return sum(partition * count for partition, count in counts.items()) / sum(counts.values())


def _is_enough(counts: Mapping[int, int], partitions: int) -> bool:
    """Whether so many messages leave none of the partitions out, even by chance."""
    count = sum(counts.values())
    return partitions * (1 - 1 / partitions) ** count < _CHANCE


def _partitions(
    level: int,
    counts: Mapping[int, int],
    of: range,
    ids: Sequence[str],
    on: str,
    *,
    is_whole: bool,
) -> Look:
    wanted: Permitted = gives_what(f"only {[*of]}", partial(_is_within, of))
    if is_whole:
        wanted = gives([*of])
    return look_at_wire("partitions_of", [level], sorted(counts), wanted, ids, on)


def _is_within(of: range, given: object) -> bool:
    return isinstance(given, list) and {*given} <= {*of}
