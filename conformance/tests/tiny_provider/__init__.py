"""A tiny provider that keeps every promise of docs/volume.md: legal histories, drawn at random.

A run sends, delivers, settles, recovers, rolls back, dead-letters, stops, crashes and is drained.
With `faults` the broker fails now and then, and then it may repeat what it likes: such a history
has findings that are shoulds, and no others. Without, it has none at all.

Random is anything like random.Random: a seeded one, or one whose choices Hypothesis makes.
"""

from __future__ import annotations

from random import Random

from jms_histories.checks.small_history import SmallHistory
from tiny_provider.run import Run
from tiny_provider.world import NUMBERS_OF_ONE

__all__ = ["NUMBERS_OF_ONE", "legal"]


def legal(
    random: Random, *, faults: bool = False, numbers: int = 0, steps: int = 60
) -> SmallHistory:
    """A history without findings, or with `faults` with none but shoulds.

    numbers is the least number of subscriptions, sessions, consumers, destinations and
    transactions: histories with numbers NUMBERS_OF_ONE apart share nothing, not even messages.
    """
    return Run(random, faults=faults, numbers=numbers).history(random.randint(0, steps))
