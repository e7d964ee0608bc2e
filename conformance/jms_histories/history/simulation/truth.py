"""What must be found in a simulated history: expected.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from jms_histories.history.simulation.faults import PLANTABLE, PlantedFaults
from jms_histories.history.simulation.messages import phantom_uids
from jms_histories.history.simulation.planting import Planted
from jms_histories.history.simulation.world import SimulatedSubscription, SimulatedWorld
from jms_histories.values import NO_SUBSCRIPTION

NAME: Final = "expected.json"
FORMAT: Final = 1
MOST_LISTED: Final = 10_000

_SUB: Final = {
    4: SimulatedSubscription.SELECTED,
    10: SimulatedSubscription.SELECTED,
    22: SimulatedSubscription.GROUPED,
    23: SimulatedSubscription.GROUPED,
    24: -1 - SimulatedSubscription.QUEUE,
    26: -1 - SimulatedSubscription.QUEUE,
    27: NO_SUBSCRIPTION,
    30: SimulatedSubscription.DURABLE,
    31: SimulatedSubscription.THROUGH,
}


@dataclass(frozen=True)
class Implied:
    """What else is found where a plant of a check (and variant, -1 any) is."""

    check: int
    variant: int
    also: tuple[int, ...]


ALSO: Final = (
    Implied(10, -1, (1,)),
    Implied(17, 0, (1,)),
    Implied(21, -1, (5,)),
    Implied(25, -1, (19,)),
)
"""A message that is skipped or torn is lost; what was acknowledged as a whole comes again after
its acknowledgement; what never became a dead letter was forgotten."""
UNFINISHED: Final = (
    (1, SimulatedSubscription.QUEUE),
    (10, SimulatedSubscription.SELECTED),
    (19, SimulatedSubscription.QUEUE),
    (25, SimulatedSubscription.QUEUE),
)
"""Plants that leave a message of a subscription unfinished, so that D28 finds that subscription."""


def findings(world: SimulatedWorld, planted: Planted) -> dict[str, list[tuple[int, int, bool]]]:
    """All findings by check: uid, subscription, whether a should; metrics (D32) are among them."""
    expected: dict[str, list[tuple[int, int, bool]]] = {check: [] for check in PLANTABLE}
    pattern = world.pattern
    uids = pattern.uids(planted.slots, planted.slots % pattern.period)
    for check in range(1, 33):
        for variant in np.unique(planted.variants[planted.checks == check]).tolist():
            mine = (planted.checks == check) & (planted.variants == variant)
            also = [
                other
                for implied in ALSO
                if implied.check == check and implied.variant in (-1, variant)
                for other in implied.also
            ]
            sub = int(variant) if check == 28 else int(_SUB.get(check, SimulatedSubscription.QUEUE))
            if check == 9:
                sub = (SimulatedSubscription.DURABLE, SimulatedSubscription.SELECTED)[variant]
            of = uids[mine]
            if check == 30:
                next_slots = planted.partners[mine]
                of = pattern.uids(next_slots, next_slots % pattern.period)
            if check == 2:
                of = phantom_uids(of, planted.ordinals[mine], np.full(len(of), variant == 1))
            for other in (check, *also):
                if other != 28:
                    shoulds = planted.faulted[mine] > 0 if other != 16 else np.ones(len(of), bool)
                    expected[f"D{other:02}"] += [
                        (uid, sub, should)
                        for uid, should in zip(of.tolist(), shoulds.tolist(), strict=True)
                    ]
    expected["D28"] = [(-1, sub, True) for sub in _unfinished_subscriptions(planted)]
    return {check: sorted(rows) for check, rows in expected.items()}


def _unfinished_subscriptions(planted: Planted) -> set[int]:
    subs = {int(variant) for variant in planted.variants[planted.checks == 28]}
    for check, sub in UNFINISHED:
        if len(planted.of(check)):
            subs.add(int(sub))
    if len(planted.of(17, variant=0)):
        subs.add(int(SimulatedSubscription.QUEUE))
    return subs


def write_truth(
    folder: Path,
    world: SimulatedWorld,
    planted: Planted,
    faults: PlantedFaults,
    statistics: Mapping[str, object],
) -> dict[str, Any]:
    """Write expected.json; what it holds.

    counts: by check the findings that are no shoulds, and those that are. findings: all of them as
    [check, uid, sub, should], if there are not too many (else null). planted: what was asked for.
    """
    expected = findings(world, planted)
    total = sum(len(rows) for rows in expected.values())
    truth: dict[str, Any] = {
        "format": FORMAT,
        "messages": world.settings.messages,
        "seed": world.settings.seed,
        "preset": world.settings.preset,
        "planted": {check: number for check, number in faults.counts.items() if number},
        "planted_at_faults": {check: number for check, number in faults.faulted.items() if number},
        "counts": {
            check: {
                "violations": sum(not should for _, _, should in rows),
                "shoulds": sum(should for _, _, should in rows),
            }
            for check, rows in expected.items()
        },
        "findings": [[check, *row] for check, rows in expected.items() for row in rows]
        if total <= MOST_LISTED
        else None,
        "statistics": dict(statistics),
    }
    (folder / NAME).write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    return truth
