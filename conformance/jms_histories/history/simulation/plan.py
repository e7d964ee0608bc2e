"""Chooses the messages at which anomalies are planted: apart from each other and from whatever
could make more or less of them than was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jms_histories.errors import HistoryError
from jms_histories.history.simulation.faults import PlantedFaults
from jms_histories.history.simulation.messages import AFTER_COMMIT
from jms_histories.history.simulation.pattern import Dest, Pattern
from jms_histories.history.simulation.planting import MATE, NO_PLANTS, Planted, join_plants
from jms_histories.history.simulation.settings import Acknowledging
from jms_histories.history.simulation.sites import SITES, Site
from jms_histories.history.simulation.world import SimulatedWorld
from jms_histories.values import NONE

Slots = NDArray[np.int64]


def make_plan(world: SimulatedWorld, faults: PlantedFaults) -> Planted:
    """Choose sites for so many plants of each check; deterministic by the history's seed.

    Raises HistoryError if there is not room enough for them.
    """
    wanted = _wanted_sites(faults.counts)
    at_faults = [(site, n) for site in SITES if (n := faults.faulted.get(site.name, 0)) > 0]
    used = [site for site in SITES if any(site is planted for planted, _ in [*wanted, *at_faults])]
    rng = np.random.default_rng((world.settings.seed, 33))
    parts = []
    for faulted, group in ((False, wanted), (True, at_faults)):
        for site, number in group:
            rivals = [rival for rival in used if rival.among == site.among]
            candidates = _candidates(world, site, rivals, faulted)
            if number > len(candidates):
                where = "at the faults of" if faulted else "into"
                raise HistoryError(
                    f"{number} plants of {site.name} do not fit {where} a history of "
                    f"{world.settings.messages} messages: there is room for {len(candidates)}",
                    hint="Ask for fewer, or for more messages, or give its kind of subscription "
                    "(--subscriptions) a share.",
                )
            bounds = np.arange(number + 1) * len(candidates) // number
            chosen = bounds[:-1] + (rng.random(number) * np.diff(bounds)).astype(np.int64)
            parts.append(_plant_at(world, site, candidates[chosen], faulted))
    if not parts:
        return NO_PLANTS
    plan = join_plants(parts)
    plan = plan.at(np.argsort(plan.slots, kind="stable"))
    assert (np.diff(plan.slots) > 0).all()
    return plan


def _wanted_sites(counts: Mapping[str, int]) -> list[tuple[Site, int]]:
    wanted = []
    unfinished = counts.get("D28", 0)
    most = sum(site.check == 28 for site in SITES)
    if unfinished > most:
        raise HistoryError(
            f"D28 cannot be planted {unfinished} times: it is found once for each subscription",
            hint=f"Ask for {most} at most.",
        )
    for site in SITES:
        number = counts.get(site.name, 0)
        if site.check == 28:
            number, unfinished = min(unfinished, 1), unfinished - 1
        if number > 0:
            wanted.append((site, number))
    return wanted


def _plant_at(world: SimulatedWorld, site: Site, slots: Slots, faulted: bool) -> Planted:
    count = len(slots)
    variants = np.resize(np.array(site.variants, np.int64), count)
    ordinals = np.zeros(count, np.int64)
    for variant in site.variants:
        mine = variants == variant
        ordinals[mine] = np.arange(int(mine.sum()))
    partners = np.full(count, NONE, np.int64)
    if site.check == 23:
        partners = _next_of_group(world, slots, 1)
    elif site.followed:
        partners = _next_slots(world.pattern, Dest.PRICES, slots, 1)
    needed = [slots + mate * world.pattern.period for mate in site.mates]
    if site.followed:
        needed.append(partners)
    checks, excused = np.full(count, site.check), np.full(count, faulted, np.int64)
    plants = Planted(slots, checks, variants, ordinals, partners, excused)
    none = np.zeros(count, np.int64)
    last = np.full(count, int(site.check == 9))
    mates = [Planted(at, np.full(count, MATE), last, none, partners, none) for at in needed]
    return join_plants([plants, *mates])


def _candidates(world: SimulatedWorld, site: Site, rivals: list[Site], faulted: bool) -> Slots:
    """All slots where a plant may be, ascending; rivals share its positions."""
    widths = [rival.width for rival in rivals]
    share, of = sum(widths[: rivals.index(site)]), sum(widths)
    messages = world.settings.messages
    slots = _slots(world, site, share, of)
    ends = slots + site.lasts(world) + AFTER_COMMIT + world.clock.reach
    if site.among in ("queue", "client"):
        ends += 2 * world.scatter
    if site.check in (22, 23):
        ends = _next_of_group(world, slots, 1) + world.clock.reach
    least = world.creation + world.pattern.period * 5 // 4
    fits = (slots >= least) & (ends <= messages * 98 // 100)
    fits &= slots + world.pattern.period < messages
    if faulted and site.excused is not None:
        fits &= _passes(slots, slots + site.excused(world), world.faults)
    elif site.excused is not None:
        fits &= ~_passes(slots, ends, world.faults)
    if site.check == 18:
        fits &= ~_passes(slots - world.clock.reach, slots + AFTER_COMMIT, world.clock.jumps)
    if site.check == 30:
        fits &= ~_passes(slots, ends, world.faults)
    if site.check in (22, 23):
        before = _next_of_group(world, slots, -1) - 2 * world.clock.reach
        fits &= before >= 0
        fits &= ~_passes(before, ends, world.clock.jumps)
        slots, before = slots[fits], before[fits]
        epochs = np.searchsorted(sorted(world.moves + world.faults), before, side="right")
        position = slots % world.pattern.period
        keys = world.pattern.numbers(Dest.GROUPS, slots, position) % world.group_keys
        return _one_of_each(slots, epochs * world.group_keys + keys, world.settings.seed)
    return slots[fits]


def _passes(begins: Slots, ends: Slots, jumps: Any) -> NDArray[np.bool_]:
    """Whether a jump lies between begin (excluded) and end."""
    at = np.asarray(jumps, np.int64)
    passed = np.searchsorted(at, ends, side="right") - np.searchsorted(at, begins, side="right")
    return passed > 0


def _one_of_each(slots: Slots, cells: Slots, seed: int) -> Slots:
    order = np.random.default_rng((seed, 22)).permutation(len(slots))
    _, first = np.unique(cells[order], return_index=True)
    return np.sort(slots[order[first]])


def _next_of_group(world: SimulatedWorld, slots: Slots, step: int) -> Slots:
    """The slot of the next message (or the one before) of the same group."""
    return _next_slots(world.pattern, Dest.GROUPS, slots, step * world.group_keys)


def _next_slots(pattern: Pattern, dest: Dest, slots: Slots, step: int) -> Slots:
    """The slot of the message to a destination so many after those of slots."""
    return pattern.slots(dest, pattern.numbers(dest, slots, slots % pattern.period) + step)


def _slots(world: SimulatedWorld, site: Site, share: int, of: int) -> Slots:
    pattern, kinds = world.pattern, np.array(world.settings.sessions)
    periods = np.arange(world.settings.messages // pattern.period, dtype=np.int64)
    if site.among in ("queue", "client", "topic"):
        positions = pattern.positions(Dest.PRICES if site.among == "topic" else Dest.ORDERS)
        if site.among != "topic":
            wanted = Acknowledging.AUTO if site.among == "queue" else Acknowledging.CLIENT
            positions = positions[kinds[pattern.session[positions]] == wanted]
        positions = positions[: len(positions) - site.followed][share::of]
        periods = periods[periods % site.stride == site.stride // 2]
        return _all_slots(pattern, periods, positions)
    if site.among == "batch":
        place = 1 if site.check == 17 else 0
        firsts = np.arange(pattern.batches) * (pattern.period // pattern.batches)
        return _all_slots(pattern, periods, firsts + place)[share::of]
    positions = pattern.positions(Dest.GROUPS if site.among == "group" else Dest.REQUESTS)
    slots = _all_slots(pattern, periods, positions)
    if site.among == "request":
        return slots[share::of]
    number = pattern.numbers(Dest.GROUPS, slots, slots % pattern.period)
    key, sequence = number % world.group_keys, number // world.group_keys
    ours = sequence % 8 == 5
    if site.check != 28:
        ours = ~ours & (key % 2 == site.check - 22)
    chosen: Slots = slots[ours]
    return chosen


def _all_slots(pattern: Pattern, periods: Slots, positions: Slots) -> Slots:
    slots: Slots = (periods[:, None] * pattern.period + positions).ravel()
    return slots
