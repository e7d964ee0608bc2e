"""What a report shows of a finding: the rows of the history that show it, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jms_histories.history.schema import DELIVERY, SEND, SESSION, SUBSCRIPTION
from jms_histories.history.simulation.faults import fault_counts
from jms_histories.history.simulation.making import make_history
from jms_histories.history.simulation.settings import preset
from jms_histories.verification.explained import outcome
from jms_histories.verification.verdicts import Count
from jms_histories.verification.verification import verify
from touchstone_reports.volume_values import COLUMNS

ROWS = {
    "D01": (1, 0, 0),
    "D02": (0, 1, 0),
    "D05": (0, 2, 0),
    "D09": (0, 2, 0),
    "D10": (1, 2, 0),
    "D20": (0, 2, 0),
    "D22": (0, 2, 0),
    "D23": (0, 2, 0),
    "D27": (2, 0, 0),
    "D28": (0, 0, 0),
    "D29": (0, 1, 1),
    "D30": (0, 2, 1),
    "D32": (0, 2, 0),
}
"""Of a finding: its sends, deliveries and events."""


def sizes(finding: dict[str, Any]) -> tuple[int, int, int]:
    witness = finding["witness"]
    return len(witness["sends"]), len(witness["deliveries"]), len(witness["events"])


def test_a_report_shows_the_rows_that_a_finding_rests_on(tmp_path: Path) -> None:
    planted = fault_counts({check: 2 for check in ROWS if check not in ("D10", "D28")})
    make_history(tmp_path / "h", preset("plain", 5000), planted)
    document = verify(tmp_path / "h", engine="local").document
    shown = [finding for finding in document["findings"] if finding["check"] in ROWS]
    assert {finding["check"] for finding in shown} >= set(ROWS) - {"D10"}
    for finding in shown:
        assert (finding["check"], sizes(finding)) == (finding["check"], ROWS[finding["check"]])
    again = next(finding for finding in shown if finding["check"] == "D05")
    assert {row["uid"] for row in again["witness"]["deliveries"]} == {again["uid"]}
    assert max(row["t_enter"] for row in again["witness"]["deliveries"]) == again["a"]
    assert {row["settle"] for row in again["witness"]["deliveries"]} & {"ACK", "CLIENT_ACK"}
    assert {row["intact"] for row in again["witness"]["deliveries"]} == {"DESCRIPTION BODY HEADERS"}
    stopped = next(finding for finding in shown if finding["check"] == "D29")
    assert [row["event"] for row in stopped["witness"]["events"]] == ["STOP"]


def test_the_page_has_a_title_for_every_column_that_a_definition_may_speak_of() -> None:
    tables = (SEND, DELIVERY, SUBSCRIPTION, SESSION)
    assert {name for table in tables for name in table.names} == set(COLUMNS)


def test_a_report_says_of_each_check_what_was_found_and_what_it_means(tmp_path: Path) -> None:
    make_history(tmp_path / "h", preset("plain", 5000), fault_counts({"D05": 1, "D16": 2}))
    document = verify(tmp_path / "h", engine="local").document
    said = {check["id"]: check for check in document["checks"]}
    assert {check: said[check]["outcome"] for check in ("D01", "D05", "D16")} == {
        "D01": "nothing lost",
        "D05": "1 delivery of what had been acknowledged before",
        "D16": "2 deliveries of what had expired: shown, and does not decide",
    }
    assert said["D22"]["definition"]["finding"].startswith("of a cell count the rows")
    assert said["D05"]["definition"]["power"] == "(uid, sub) with a fin row"
    assert document["words"]["fin"] == "settle is ACK or CLIENT_ACK and s_out is OK."


@pytest.mark.parametrize(
    ("violations", "shoulds", "power", "said"),
    [
        (0, 0, 9, "nothing acknowledged twice"),
        (0, 0, 0, "nothing to look at"),
        (2, 0, 9, "2 messages acknowledged more than once"),
        (2, 1, 9, "2 messages acknowledged more than once; of shoulds, which do not decide, 1"),
        (0, 1, 9, "1 message acknowledged more than once: shown, and does not decide"),
    ],
)
def test_what_does_not_decide_is_told_apart(
    violations: int, shoulds: int, power: int, said: str
) -> None:
    count = Count("D08", violations, shoulds, power, False, True, None, None)
    assert outcome(count) == said
