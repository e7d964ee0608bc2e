"""Bounds on time: the client is judged by what cannot be the machine's.

Too early is never the machine's doing, which can only make things take longer. Too late is the
client's where it is more than the machine can have caused, which was watched meanwhile. Between the
two nobody can tell.
"""

from __future__ import annotations

import math
from enum import Enum

from jms_brokers.machine.slack import Slack, watch_machine
from touchstone.outcomes.endings import Inconclusive
from touchstone.scenario.judgement import current

GRANULARITY = 0.002
"""Seconds: client and broker count in whole milliseconds, each for itself."""
timed = watch_machine
"""`with timed() as call:` knows the block's `call.seconds`, and `call.slack`, the machine's."""


class Kept(Enum):
    """Whether bounds on time were kept."""

    YES = "kept"
    EARLY = "too early"
    LATE = "too late"
    UNKNOWN = "late, as the machine may have caused"


def kept(seconds: float, at_least: float, at_most: float, slack: float) -> Kept:
    """Whether what took so many seconds kept its bounds, where the machine may take `slack`."""
    if seconds < at_least - GRANULARITY:
        return Kept.EARLY
    if seconds <= at_most:
        return Kept.YES
    return Kept.UNKNOWN if seconds <= at_most + slack else Kept.LATE


def in_time(seconds: float, at_least: float, at_most: float) -> bool:
    """Whether bounds were kept, whatever the machine did: where not, a try may be worth another."""
    return kept(seconds, at_least, at_most, 0.0) is Kept.YES


def bounded(
    seconds: float,
    what: str = "it",
    *,
    at_least: float = 0.0,
    at_most: float = math.inf,
    slack: Slack | None = None,
) -> None:
    """What took so many seconds has to take `at_least` and `at_most` so many: this is a check.

    AssertionError when it was too early, or later than `slack` explains, which is the machine's
    while it went on (`timed`); INCONCLUSIVE when it was late and the machine may have been why.
    An upper bound cannot be judged without.
    """
    __tracebackhide__ = True
    if slack is None and at_most < math.inf:
        raise ValueError(f"nothing was watched while {what} took up to {at_most:g} s")
    slack = slack or Slack()
    match kept(seconds, at_least, at_most, slack.seconds):
        case Kept.EARLY:
            raise AssertionError(f"{what} took {seconds:.3f} s, not {at_least:g} s at least")
        case Kept.LATE:
            raise AssertionError(f"{what} took {seconds:.3f} s, not {at_most:g} s at most: {slack}")
        case Kept.UNKNOWN:
            raise Inconclusive(
                f"{what} took {seconds:.3f} s instead of {at_most:g} s at most, and the machine "
                f"may have caused {slack.seconds:.3f} s: {slack}"
            )
    current().held()
