"""Changes of a message after its send, of which nobody may see anything in what arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from jms_model.answers import Answer, Expectation, Gave

LATE: Final = "JMS-HDR-025"
"""Changing a message after send() does not change what was sent."""


@dataclass(slots=True)
class _OrLate(Expectation):
    """What is permitted of a read, and what a change after the send would make of it."""

    late: Expectation | None = None

    def broken_by(self, answer: Answer) -> Sequence[str]:
        """If it is what the change would make of it, that, and else what the read breaks."""
        if self.late is not None and self.late.ending(answer) is not None:
            return [LATE]
        return [id_ for id_ in Expectation.broken_by(self, answer) if id_ != LATE]


def or_late(expectation: Expectation, late: Expectation) -> Expectation:
    """An expectation that names a change after the send apart from other faults, if it can be seen.

    A change to null cannot: what was lost is null, too.
    """
    if not late.ids or late.words == expectation.words or late.ending(Gave(None)) is not None:
        return expectation
    values: dict[str, Any] = {
        each.name: getattr(expectation, each.name) for each in fields(expectation)
    }
    return _OrLate(**{**values, "ids": [*expectation.ids, LATE]}, late=late)
