"""A record that lost a part accuses nobody: a few of the seeds that lost_records.py tries."""

from __future__ import annotations

from pathlib import Path

from histories.lost_records import tried


def test_what_only_seems_wrong_because_a_record_is_lost_does_not_decide(tmp_path: Path) -> None:
    tally = tried(range(40), tmp_path / "run")
    assert tally.accused == []
    assert tally.legal > 20
    assert len(+tally.shoulds) > 3
