"""Simulated histories: legal without plants; each plant is found as expected.json says, and nothing
else is. Who finds is the slow oracle, which knows nothing of how they are made."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jms_histories.checks import judge, small_history
from jms_histories.checks.findings import Finding
from jms_histories.errors import HistoryError
from jms_histories.history.manifest import read_manifest
from jms_histories.history.reader import open_history
from jms_histories.history.simulation.faults import PLANTABLE, fault_counts, read_faults
from jms_histories.history.simulation.making import make_history
from jms_histories.history.simulation.settings import SimulationSettings, preset, read_weights
from jms_histories.history.simulation.sites import FAULTABLE
from jms_histories.history.simulation.truth import NAME
from touchstone.cli import main

pytestmark = pytest.mark.thorough

Row = TypeVar("Row")


def read(folder: Path) -> small_history.SmallHistory:
    """A sealed history as the oracle reads it, straight from its files."""
    manifest = read_manifest(folder)

    def rows(table: str, kind: type[Row]) -> tuple[Row, ...]:
        files = [pq.read_table(folder / file.path) for file in manifest.of(table)]
        return tuple(kind(**row) for row in pa.concat_tables(files).to_pylist())

    return small_history.SmallHistory(
        sends=rows("send", small_history.SendRow),
        deliveries=rows("delivery", small_history.DeliveryRow),
        subscriptions=rows("subscription", small_history.SubscriptionRow),
        events=rows("session", small_history.Happening),
        consumers=tuple(
            small_history.ConsumerRow(consumer.consumer, consumer.session, consumer.sub)
            for consumer in manifest.consumers
        ),
        epsilon=manifest.epsilon,
        priority_slack=manifest.priority_slack,
        truncated=manifest.truncated,
    )


def named(findings: list[Finding]) -> Counter[tuple[str, int, int, bool]]:
    """Findings without their evidence."""
    return Counter(
        (finding.check, finding.uid, finding.sub, finding.should) for finding in findings
    )


def agree(folder: Path, truth: dict[str, Any]) -> dict[str, int]:
    """Hold the oracle's findings against expected.json; its powers."""
    findings, power = judge(read(folder))
    assert named(findings) == Counter(tuple(row) for row in truth["findings"])
    counts = Counter(finding.check for finding in findings if not finding.should)
    shoulds = Counter(finding.check for finding in findings if finding.should)
    assert truth["counts"] == {
        check: {"violations": counts[check], "shoulds": shoulds[check]} for check in PLANTABLE
    }
    assert truth == json.loads((folder / NAME).read_text())
    return power


@pytest.mark.parametrize("name", ["plain", "hard"])
@pytest.mark.parametrize(("messages", "seed"), [(1000, 1), (1000, 2), (1777, 3), (4000, 4)])
def test_without_plants_a_history_is_legal(
    tmp_path: Path, name: str, messages: int, seed: int
) -> None:
    truth = make_history(tmp_path / "h", preset(name, messages, seed))

    agree(tmp_path / "h", truth)
    assert truth["findings"] == []


@pytest.mark.parametrize("check", PLANTABLE)
def test_a_plant_alone_is_found(tmp_path: Path, check: str) -> None:
    truth = make_history(tmp_path / "h", preset("plain", 1000, 5), fault_counts({check: 1}))

    power = agree(tmp_path / "h", truth)
    assert sum(truth["counts"][check].values()) == 1
    assert power[check] >= 1


@pytest.mark.parametrize("check", FAULTABLE)
def test_a_plant_at_a_fault_is_a_should(tmp_path: Path, check: str) -> None:
    faults = fault_counts({check: 1, "faulted": {check: 1}})
    truth = make_history(tmp_path / "h", preset("plain", 3000), faults)

    agree(tmp_path / "h", truth)
    assert truth["counts"][check] == {"violations": 1, "shoulds": 1}


@pytest.mark.parametrize(
    ("name", "messages", "each"), [("plain", 1000, 1), ("plain", 4000, 3), ("hard", 3000, 2)]
)
def test_all_plants_together_are_found(tmp_path: Path, name: str, messages: int, each: int) -> None:
    truth = make_history(tmp_path / "h", preset(name, messages), fault_counts({"all": each}))

    power = agree(tmp_path / "h", truth)
    assert all(power[check] for check in PLANTABLE)


def test_plants_may_be_dense(tmp_path: Path) -> None:
    faults = fault_counts({"D22": 14, "D23": 12, "D30": 60, "D32": 300})
    truth = make_history(tmp_path / "h", preset("plain", 4000, 3), faults)

    agree(tmp_path / "h", truth)


def test_its_statistics_are_those_of_its_rows(tmp_path: Path) -> None:
    truth = make_history(tmp_path / "h", preset("hard", 6000), fault_counts({"all": 3}))
    history = read(tmp_path / "h")

    times = Counter(len(rows) for rows in history.rows.values())
    assert truth["statistics"] == {
        "sends": len(history.sends),
        "deliveries": len(history.deliveries),
        "dead_letter_copies": sum(row.sub < 0 for row in history.deliveries),
        "delivery_counts": {str(n): times[n] for n in sorted(times)},
        "delivery_counts_by_subscription": {
            str(subscription.sub): {
                str(n): count
                for n, count in sorted(
                    Counter(
                        len(rows)
                        for (_, sub), rows in history.rows.items()
                        if sub == subscription.sub
                    ).items()
                )
            }
            for subscription in history.subscriptions
        },
        "redelivered_messages": sum(len(rows) > 1 for rows in history.rows.values()),
    }


def test_slices_do_not_show(tmp_path: Path) -> None:
    settings, counts = preset("hard", 5000, 7), fault_counts({"all": 2})
    whole = make_history(tmp_path / "whole", settings, counts)
    parts = make_history(tmp_path / "parts", settings, counts, slice_slots=333)

    assert whole == parts
    files = [file.path for file in read_manifest(tmp_path / "whole").files]
    assert files == [file.path for file in read_manifest(tmp_path / "parts").files]
    for path in files:
        assert pq.read_table(tmp_path / "whole" / path) == pq.read_table(tmp_path / "parts" / path)


def test_another_seed_is_another_history(tmp_path: Path) -> None:
    first = make_history(tmp_path / "one", preset("plain", 2000, 1))
    other = make_history(tmp_path / "other", preset("plain", 2000, 2))

    assert first["statistics"] != other["statistics"]


def test_readers_accept_it(tmp_path: Path) -> None:
    truth = make_history(tmp_path / "h", preset("hard", 5000), fault_counts({"all": 2}))
    history = open_history(tmp_path / "h")

    assert sum(len(batch["uid"]) for batch in history.sends()) == truth["statistics"]["sends"]
    deliveries = sum(len(batch["uid"]) for batch in history.deliveries())
    assert deliveries == truth["statistics"]["deliveries"]


def test_subscriptions_by_choice(tmp_path: Path) -> None:
    weights = read_weights("queue=3,grouped=1")
    truth = make_history(tmp_path / "h", preset("plain", 2000, subscriptions=weights))

    agree(tmp_path / "h", truth)
    by_sub = truth["statistics"]["delivery_counts_by_subscription"]
    assert [sub for sub, counts in by_sub.items() if counts] == ["0", "3"]


def test_the_command_makes_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "spec.toml").write_text("all = 1\nD05 = 3\nD24 = 0\n")
    arguments = ["history", "make", str(tmp_path / "h"), "--messages", "3000", "--seed", "9"]

    assert main([*arguments, "--faults", str(tmp_path / "spec.toml")]) == 0
    truth = json.loads((tmp_path / "h" / NAME).read_text())
    assert truth["counts"]["D05"] == {"violations": 4, "shoulds": 0}
    assert truth["counts"]["D24"] == {"violations": 0, "shoulds": 0}
    assert main(arguments) == 3
    assert "holds a history" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("D34 = 1", "D34 is no check"),
        ("D33 = 1", "D33 cannot be planted"),
        ("[faulted]\nD01 = 1", "faulted: D01 cannot be planted at a fault"),
        ("faulted = 1", "faulted is no table"),
        ("D01 = -1", "D01 = -1 is no number of plants"),
        ("all = true", "all = True is no number of plants"),
        ("D01 = ", "cannot be read"),
    ],
)
def test_faults_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text)

    with pytest.raises(HistoryError, match=message):
        read_faults(path)


def test_too_many_plants(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="900 plants of D21 do not fit"):
        make_history(tmp_path / "h", preset("plain", 1000), fault_counts({"D21": 900}))
    faults = fault_counts({"faulted": {"D05": 99}})
    with pytest.raises(HistoryError, match="99 plants of D05 do not fit at the faults"):
        make_history(tmp_path / "h", preset("plain", 1000), faults)
    with pytest.raises(HistoryError, match="D28 cannot be planted 7 times"):
        make_history(tmp_path / "h", preset("plain", 1000), fault_counts({"D28": 7}))
    few = preset("plain", 5000, subscriptions={"queue": 1})
    with pytest.raises(HistoryError, match="1 plants of D22 do not fit"):
        make_history(tmp_path / "h", few, fault_counts({"D22": 1}))
    assert not (tmp_path / "h").exists()


def test_settings_that_cannot_be() -> None:
    with pytest.raises(HistoryError, match="999 messages cannot be simulated"):
        SimulationSettings(999)
    with pytest.raises(HistoryError, match="there is no queue"):
        SimulationSettings(1000, subscriptions={"grouped": 1})
    with pytest.raises(HistoryError, match="pigeon is unknown"):
        SimulationSettings(1000, subscriptions={"queue": 1, "pigeon": 1})
    with pytest.raises(HistoryError, match="negative"):
        SimulationSettings(1000, subscriptions={"queue": 1, "grouped": -1})
    with pytest.raises(HistoryError, match="cannot be read"):
        read_weights("queue")
    with pytest.raises(HistoryError, match="no preset soft"):
        preset("soft", 1000)
