"""What somebody who uses a client suffers from a defect of it, the worst first."""

from __future__ import annotations

from enum import StrEnum


class Effect(StrEnum):
    """The effect of a known defect; of several that a reason tells of, the worst."""

    LOSS = "loss"
    """A message that somebody should get is gone, or kept from everybody."""
    DUPLICATES = "duplicates"
    """What was done with comes again, or cannot be settled so that it has to."""
    HANG = "hang"
    """A call, callback or delivery does not come, or a connection, session or consumer is dead."""
    WRONG_DELIVERY = "wrong delivery"
    """A message or callback comes to the wrong one, at the wrong time or place in the order, or
    is chosen or left out wrongly by a selector or a browser."""
    WRONG_DATA = "wrong data"
    """A body, property, header field or setting reads otherwise than it was given, or is."""
    WRONG_EXCEPTION = "wrong exception"
    """A call throws another exception than promised, or none where a mistake is to be refused."""
    MISSING = "missing"
    """A call that has to work throws, or has no effect."""
    WORDING = "wording"
    """What a client tells of itself differs: versions, lists of names, logs, the text it shows."""


WORST_FIRST = tuple(Effect)
"""Every effect, in the order of the class."""


def rank(effect: Effect | None) -> int:
    """Its place among them, 0 for the worst; what nobody suffers from has the last."""
    return len(WORST_FIRST) if effect is None else WORST_FIRST.index(effect)
