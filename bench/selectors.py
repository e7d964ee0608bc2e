"""How often a second a parsed selector is judged, on messages that it selects and leaves."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from jmsapi import Double, Int, Long, PropertyValue
from pulsar_jms.selectors import Selector

TEXT = (
    "kind = 'order' AND size BETWEEN 10 AND 500 AND price * 1.2 < 100 "
    "AND region IN ('EU', 'US') AND note IS NULL"
)
"""Five terms: equality, range, calculation, list, absence."""
MESSAGES: tuple[dict[str, PropertyValue], ...] = (
    {"kind": "order", "size": Int(42), "price": Double(9.75), "region": "EU"},
    {"kind": "order", "size": Long(42), "price": Double(99.75), "region": "EU"},
    {"kind": "order", "size": Int(42), "price": Double(9.75), "region": "EU", "note": "late"},
    {"kind": "offer", "size": Int(42), "price": Double(9.75), "region": "US"},
    {"kind": "order", "size": Int(499), "price": Double(1.5), "region": "US"},
)
"""Two are selected; of the others one is left at the first term, one in the middle, one last."""


def rates(rounds: int, evaluations: int = 100_000) -> Iterator[tuple[str, float]]:
    """For the whole set and for the message that needs every term: evaluations a second."""
    selector = Selector.parse(TEXT)
    selected = [selector.matches(message) for message in MESSAGES]
    assert selected == [True, False, False, False, True], selected
    for name, messages in (("five messages in turn", MESSAGES), ("all terms", MESSAGES[:1])):
        turns = evaluations // len(messages)
        yield (
            name,
            statistics.median(
                evaluations / _seconds(selector, messages, turns) for _ in range(rounds)
            ),
        )


def _seconds(
    selector: Selector, messages: tuple[dict[str, PropertyValue], ...], turns: int
) -> float:
    begun = time.process_time()
    for _ in range(turns):
        for message in messages:
            selector.matches(message)
    return time.process_time() - begun
