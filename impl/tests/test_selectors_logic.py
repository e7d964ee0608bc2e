"""Three-valued logic, row by row as the specification's tables have it (section 3.8.1.2)."""

from __future__ import annotations

import pytest

from jmsapi import Int
from pulsar_jms.selectors import Selector

MESSAGE = {"t": Int(1)}
TRUE, FALSE, UNKNOWN = "t = 1", "t = 2", "none = 1"
ROWS = [
    ("JMS-SEL-042", f"({TRUE}) AND ({TRUE})", TRUE),
    ("JMS-SEL-043", f"({TRUE}) AND ({FALSE})", FALSE),
    ("JMS-SEL-044", f"({TRUE}) AND ({UNKNOWN})", UNKNOWN),
    ("JMS-SEL-045", f"({FALSE}) AND ({TRUE})", FALSE),
    ("JMS-SEL-046", f"({FALSE}) AND ({FALSE})", FALSE),
    ("JMS-SEL-047", f"({FALSE}) AND ({UNKNOWN})", FALSE),
    ("JMS-SEL-048", f"({UNKNOWN}) AND ({TRUE})", UNKNOWN),
    ("JMS-SEL-049", f"({UNKNOWN}) AND ({FALSE})", FALSE),
    ("JMS-SEL-050", f"({UNKNOWN}) AND ({UNKNOWN})", UNKNOWN),
    ("JMS-SEL-052", f"({TRUE}) OR ({TRUE})", TRUE),
    ("JMS-SEL-053", f"({TRUE}) OR ({FALSE})", TRUE),
    ("JMS-SEL-054", f"({TRUE}) OR ({UNKNOWN})", TRUE),
    ("JMS-SEL-055", f"({FALSE}) OR ({TRUE})", TRUE),
    ("JMS-SEL-056", f"({FALSE}) OR ({FALSE})", FALSE),
    ("JMS-SEL-057", f"({FALSE}) OR ({UNKNOWN})", UNKNOWN),
    ("JMS-SEL-058", f"({UNKNOWN}) OR ({TRUE})", TRUE),
    ("JMS-SEL-059", f"({UNKNOWN}) OR ({FALSE})", UNKNOWN),
    ("JMS-SEL-060", f"({UNKNOWN}) OR ({UNKNOWN})", UNKNOWN),
    ("JMS-SEL-062", f"NOT ({TRUE})", FALSE),
    ("JMS-SEL-063", f"NOT ({FALSE})", TRUE),
    ("JMS-SEL-064", f"NOT ({UNKNOWN})", UNKNOWN),
]


@pytest.mark.parametrize(
    ("condition", "truth"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_row_of_the_truth_tables(condition: str, truth: str) -> None:
    assert Selector.parse(condition).matches(MESSAGE) is (truth == TRUE)
    assert Selector.parse(f"NOT ({condition})").matches(MESSAGE) is (truth == FALSE)
    assert Selector.parse(f"({condition}) IS NULL").matches(MESSAGE) is (truth == UNKNOWN)
