"""For each check: among which messages its anomalies may be planted, and what these need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from jms_histories.history.simulation.effects import overdue_slots
from jms_histories.history.simulation.world import SimulatedSubscription, SimulatedWorld


@dataclass(frozen=True)
class Site:
    """Where plants of a check may be.

    among: the name of a set of positions; stride: only every so many periods, since the messages
    of the neighbouring periods (`mates`, in periods) are needed as well; lasts: how many slots
    later, at most, the last delivery comes; excused: a finding is a should if a fault comes within
    so many slots, so that is avoided or sought; followed: the next message of the destination is
    needed as well; width: of so many positions only one is taken; variants: kinds of plants, taken
    in turn.
    """

    check: int
    among: str
    lasts: Callable[[SimulatedWorld], int] = lambda world: 0
    stride: int = 1
    mates: tuple[int, ...] = ()
    excused: Callable[[SimulatedWorld], int] | None = None
    followed: bool = False
    width: int = 1
    variants: tuple[int, ...] = (0,)

    @property
    def name(self) -> str:
        """The check's id."""
        return f"D{self.check:02}"


def _again(times: int) -> Callable[[SimulatedWorld], int]:
    return lambda world: times * world.again


def _period(world: SimulatedWorld) -> int:
    return world.pattern.period


SITES: Final = (
    Site(1, "queue"),
    Site(2, "queue", variants=(0, 1)),
    Site(3, "queue"),
    Site(4, "topic"),
    Site(5, "queue", _again(1), excused=_again(1)),
    Site(6, "queue", _again(1), excused=_again(1)),
    Site(7, "queue", _again(2), excused=_again(1)),
    Site(8, "queue", _again(1), excused=_again(1)),
    Site(9, "topic", _period, stride=2, mates=(1,), excused=_period, variants=(0, 1)),
    Site(10, "topic", _period, stride=3, mates=(-1, 1)),
    Site(11, "queue", _again(1), excused=_again(1)),
    Site(12, "queue"),
    Site(13, "queue"),
    Site(14, "queue"),
    Site(15, "queue"),
    Site(16, "queue"),
    Site(17, "batch", variants=(0, 1)),
    Site(18, "batch"),
    Site(19, "queue"),
    Site(20, "queue"),
    Site(21, "client", _again(1), excused=_again(1)),
    Site(22, "group"),
    Site(23, "group"),
    Site(24, "queue", _again(1), excused=_again(1)),
    Site(25, "queue", _again(4)),
    Site(26, "queue", _again(4), excused=_again(4)),
    Site(27, "queue", stride=2, mates=(-1,)),
    Site(28, "queue", variants=(SimulatedSubscription.QUEUE,)),
    Site(28, "group", variants=(SimulatedSubscription.GROUPED,)),
    Site(28, "request", variants=(SimulatedSubscription.OUTPUT,)),
    Site(28, "topic", variants=(SimulatedSubscription.DURABLE,)),
    Site(28, "topic", variants=(SimulatedSubscription.SELECTED,)),
    Site(28, "request", variants=(SimulatedSubscription.THROUGH,)),
    Site(29, "queue"),
    Site(30, "topic", _again(5), followed=True, width=2),
    Site(31, "request", variants=(0, 1)),
    Site(32, "queue", overdue_slots, width=2),
)

FAULTABLE: Final = tuple(site.name for site in SITES if site.excused is not None)
"""Checks that can be planted at a fault as well, which makes a should of the finding."""
