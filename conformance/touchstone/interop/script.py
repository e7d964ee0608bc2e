"""What is sent in behaviours: the data that producers, consumers and the judge share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from jmsapi import Double, Int, PropertyValue

GROUPS = ("g1", "g2", "g3")
IN_EACH_GROUP = 8
DELAY = 2500
"""Milliseconds; a broker with default settings may be up to `GRAIN` early."""
GRAIN = 1000
LEVELS = (3, 0, 9, 5, 7, 1, 4, 8, 2, 6)
AT_EACH_LEVEL = 10
PARTITIONS = 10
REDELIVERIES = 2
LETTERS_OF = "-jms-queue-DLQ"
"""What follows the name of a queue in that of its dead letters."""
AGAIN = "-again"
"""What follows the name of a queue in that of the one to which its message is sent on."""
BATCH = 10
RESENT_PRIORITY = 7
SELECTOR = (
    "size > 5 AND name LIKE 'a%' AND flag = TRUE AND ratio < 0.5"
    " AND JMSPriority >= 4 AND JMSType = 'order' OR final = TRUE"
)
TEMPORARY = "temporary "
ANSWERS: Mapping[str, str] = MappingProxyType(
    {
        "answer-queue": "queue",
        "answer-topic": "topic",
        "answer-temporary-queue": f"{TEMPORARY}queue",
        "answer-temporary-topic": f"{TEMPORARY}topic",
    }
)
"""The kind of the destination in JMSReplyTo, by the behaviour that has it."""
SEQUENCED = 4
LEFT = "left on the broker"
"""How many messages are not acknowledged in the end."""
_CHUNKED_CHARACTERS = 6 * 2**20
_HIT: Mapping[str, PropertyValue] = {
    "size": Int(6), "name": "anna", "flag": True, "ratio": Double(0.25),
}  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A message that a selector is to judge."""

    text: str
    properties: Mapping[str, PropertyValue]
    type: str | None = "order"
    priority: int = 4


CANDIDATES = (
    Candidate("hit", _HIT),
    Candidate("too small", {**_HIT, "size": Int(5)}),
    Candidate("other name", {**_HIT, "name": "berta"}),
    Candidate("not flagged", {**_HIT, "flag": False}),
    Candidate("too much", {**_HIT, "ratio": Double(0.5)}),
    Candidate("a text for a number", {**_HIT, "size": "6"}),
    Candidate("no size", {name: value for name, value in _HIT.items() if name != "size"}),
    Candidate("other type", _HIT, type="offer"),
    Candidate("no type", _HIT, type=None),
    Candidate("too low", _HIT, priority=3),
    Candidate("urgent", _HIT, priority=9),
    Candidate("final", {"final": True}),
)
SELECTED = ("hit", "urgent", "final")


@cache
def long_text() -> str:
    """A text above the limit of a broker with default settings, 5 MiB; no part is like another."""
    return "".join(f"{number:08}" for number in range(_CHUNKED_CHARACTERS // 8))


def group_members(group: str) -> list[str]:
    """The texts of a group, in the order of sending."""
    return [f"{group}-{number}" for number in range(IN_EACH_GROUP)]
