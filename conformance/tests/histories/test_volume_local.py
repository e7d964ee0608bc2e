"""The local engine: what it finds, on histories as files, is what the exact kernels find."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from histories.small_histories import findings_of
from histories.written_histories import changed_table, write
from jms_histories.definitions import CHECKS
from jms_histories.engines.local import tasks
from jms_histories.engines.local.local import judge_locally
from jms_histories.errors import HistoryError, UsageError, VerificationError
from jms_histories.history.bucket import bucket
from jms_histories.history.manifest import Manifest
from jms_histories.history.reader import open_history
from jms_histories.history.schema import DELIVERY, SEND
from jms_histories.history.simulation.faults import fault_counts
from jms_histories.history.simulation.making import make_history
from jms_histories.history.simulation.settings import preset
from jms_histories.history.writer import HistoryWriter
from jms_histories.kernels.links.merging import restricted
from jms_histories.kernels.messages import judging
from jms_histories.kernels.screening import send_scan, session_scan
from jms_histories.kernels.whole import judge
from jms_histories.verdicts import HistoryVerdict
from jms_histories.verification.verification import verify
from touchstone.results.histories import status_of, verify_history
from touchstone.verdicts import ExitStatus
from touchstone_reports.volume_results import read_volume

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small histories with everything that can be wrong, as one, in three files of a table."""
    return write(changed_table(40, 7), tmp_path_factory.mktemp("mixed") / "h", files=3)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A simulated history with two plants of each kind, and what there is to find."""
    folder = tmp_path_factory.mktemp("planted") / "h"
    truth = make_history(folder, preset("plain", 20_000), fault_counts({"all": 2}))
    return folder, truth


@pytest.mark.parametrize("layout", ["session", "bucket"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("part_rows", [50, 1 << 23])
def test_it_finds_what_the_exact_kernels_find(
    mixed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    layout: str,
    exact: bool,
    part_rows: int,
) -> None:
    """By either plan, in either layout, cut into parts of any size, in one bucket or many."""
    monkeypatch.setattr("jms_histories.engines.local.local._PART_ROWS", part_rows)
    monkeypatch.setattr("jms_histories.engines.local.local._BUCKET_ROWS", 300)
    monkeypatch.setattr("jms_histories.engines.local.local.MANY_SUSPECTS", 2.0)
    if layout == "bucket":
        bucket(mixed, tmp_path / "b", 4)
    history = open_history(tmp_path / "b" if layout == "bucket" else mixed)
    whole = judge(history.all_sends(), history.all_deliveries(), history.spec)
    judged = judge_locally(history, exact=exact)
    assert sum(many > 0 for many in whole.counts.values()) >= 25
    assert findings_of(judged.findings) == findings_of(whole)
    assert (judged.findings.counts, judged.findings.shoulds, judged.findings.power) == (
        whole.counts,
        whole.shoulds,
        whole.power,
    )
    assert judged.plan.name == ("exact" if exact else "screened")
    assert set(judged.findings.power) == set(CHECKS)


@pytest.mark.parametrize(("layout", "exact"), [("session", False), ("bucket", True)])
def test_some_checks_are_judged_as_among_all(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, exact: bool
) -> None:
    """What is left out for the sake of the others is not missed; the statistics are the same."""
    monkeypatch.setattr("jms_histories.engines.local.local.MANY_SUSPECTS", 2.0)
    if layout == "bucket":
        bucket(mixed, tmp_path / "b", 4)
    history = open_history(tmp_path / "b" if layout == "bucket" else mixed)
    everything = judge_locally(history, exact=exact)
    alone = ["D13", "D14", "D20", "D22", "D23", "D27", "D30"]
    for checks in (
        [check for check in CHECKS if check not in alone],
        *([check] for check in alone),
    ):
        judged = judge_locally(history, exact=exact, checks=checks)
        expected = restricted(everything.findings, checks)
        assert sorted(judged.findings.power) == checks
        assert sum(expected.counts.values()) > 0
        assert (judged.findings.counts, judged.findings.shoulds, judged.findings.power) == (
            expected.counts,
            expected.shoulds,
            expected.power,
        )
        assert findings_of(judged.findings) == findings_of(expected)
        assert judged.statistics.pack() == everything.statistics.pack()


def test_columns_that_only_other_checks_need_are_not_read(mixed: Path) -> None:
    spec = replace(open_history(mixed).spec, checks=frozenset({"D01", "D32"}))
    assert {*session_scan.COLUMNS} - {*session_scan.columns_of(spec)} == {"t_exit", "gseq", "s_inv"}
    assert {*send_scan.COLUMNS} - {*send_scan.columns_of(spec)} == {"mid64"}
    left_out = {
        table: {*columns} - {*judging.columns_of(table, spec)}
        for table, columns in judging.COLUMNS.items()
    }
    assert left_out == {"send": {"body64", "head64", "mid64"}, "delivery": {"body64", "head64"}}


def test_several_processes_find_the_same(mixed: Path) -> None:
    history = open_history(mixed)
    alone, together = (judge_locally(history, processes=many) for many in (1, 2))
    assert findings_of(together.findings) == findings_of(alone.findings)
    assert together.findings.power == alone.findings.power
    assert together.statistics.pack() == alone.statistics.pack()
    assert together.plan.settings["processes"] == 2


def test_many_suspects_are_judged_exactly(mixed: Path) -> None:
    """From a fifth of the messages on, no second look but all of them."""
    plan = judge_locally(open_history(mixed)).plan
    assert plan.name == "exact"
    assert plan.suspects == plan.sends


def test_planted_anomalies_are_counted(planted: tuple[Path, dict[str, Any]]) -> None:
    """Every plant is found, nothing else is, and few messages have a second look."""
    folder, truth = planted
    report = verify(folder)
    counted = {
        check: {"violations": count.violations, "shoulds": count.shoulds}
        for check, count in report.counts.items()
        if check in truth["counts"]
    }
    assert counted == truth["counts"]
    assert report.verdict is HistoryVerdict.VIOLATES
    assert status_of(report) is ExitStatus.UNEXPECTED
    assert report.plan["name"] == "screened"
    assert report.plan["suspects"] < 0.15 * report.plan["rows"]["send"]


@pytest.mark.parametrize("exact", [False, True])
def test_statistics(planted: tuple[Path, dict[str, Any]], exact: bool) -> None:
    """Both plans count what is in the rows."""
    folder, _ = planted
    history = open_history(folder)
    sends, rows = history.all_sends(), history.all_deliveries()
    statistics = verify(folder, exact=exact).statistics
    pairs = Counter(
        pair
        for pair in zip(rows["uid"].tolist(), rows["sub"].tolist(), strict=True)
        if pair[1] >= 0
    )
    assert statistics["sends"] == len(sends["uid"])
    assert statistics["deliveries"] == sum(pairs.values())
    assert statistics["dead_letters"] == len(rows["uid"]) - sum(pairs.values())
    assert statistics["redelivered_messages"] == len({u for (u, _), n in pairs.items() if n > 1})
    counts: Counter[tuple[int, int]] = Counter()
    for row in statistics["delivery_counts"]:
        for many, messages in row["counts"]:
            counts[row["sub"], many] += messages
    assert counts == Counter((sub, many) for (_, sub), many in pairs.items())
    assert sum(statistics["redelivery_causes"].values()) == sum(n - 1 for n in pairs.values())
    throughput = statistics["throughput"]
    assert sum(throughput["sends"]) == len(sends["uid"])
    assert sum(throughput["deliveries"]) == sum(pairs.values())
    step = (sends["t_inv"].min() - throughput["start"]) // throughput["step"]
    assert throughput["sends"][step] > 0
    fresh = np.isin(rows["count"], (1, -1)) & ~rows["redelivered"] & (rows["sub"] >= 0)
    assert sum(throughput["redeliveries"]) == np.count_nonzero(~fresh & (rows["sub"] >= 0))
    delayed = fresh & (rows["deliver_at"] != -1)
    late = (rows["t_enter"] - rows["deliver_at"])[delayed]
    assert statistics["lateness"]["count"] == len(late)
    assert statistics["lateness"]["max"] == late.max()
    available = np.where(rows["deliver_at"] != -1, rows["deliver_at"], rows["t_sent"])
    lag = np.sort((rows["t_enter"] - available)[fresh])
    median = statistics["latency"]["quantiles"]["0.5"]
    assert lag[len(lag) // 2] * 0.99 <= median <= lag[len(lag) // 2]


def test_the_report_is_by_its_schema(mixed: Path, tmp_path: Path) -> None:
    """report.json, findings.parquet and the page; findings are shown with the rows of each."""
    report = verify_history(mixed, out=tmp_path / "out")
    document = read_volume(tmp_path / "out" / "report.json")
    assert document == json.loads(json.dumps(report.document))
    table = pq.read_table(tmp_path / "out" / "findings.parquet")
    assert table.equals(report.findings)
    assert Counter(table["check"].to_pylist()) == Counter(
        {
            check: count.violations + count.shoulds
            for check, count in report.counts.items()
            if count.violations + count.shoulds
        }
    )
    assert (tmp_path / "out" / "volume.html").read_text(encoding="utf-8").startswith("<!")
    shown = {finding["check"] for finding in document["findings"]}
    assert shown == set(table["check"].to_pylist())
    for finding in document["findings"]:
        witness = finding["witness"]
        rows = [*witness["sends"], *witness["deliveries"]]
        assert finding["check"] == "D28" or finding["uid"] in {row["uid"] for row in rows}


def written(folder: Path, like: Path, **changes: Any) -> Manifest:
    """A history again, with another table or promise."""
    history = open_history(like)
    spec, manifest = history.spec, history.manifest
    tables = {
        "send": history.all_sends(),
        "delivery": history.all_deliveries(),
        "session": spec.events,
        "subscription": spec.subscriptions,
    } | changes
    with HistoryWriter(folder, run=folder.name) as writer:
        for part in [tables["send"]] * changes.get("send_files", 1):
            writer.sends().write(part)
        writer.deliveries().write(tables["delivery"])
        writer.table("session", tables["session"])
        writer.table("subscription", tables["subscription"])
        return writer.finish(
            epsilon=manifest.epsilon,
            priority_slack=manifest.priority_slack,
            checks=changes.get("checks", manifest.checks),
            consumers=manifest.consumers,
        )


def none_of(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: values[:0] for name, values in columns.items()}


def test_an_empty_history_is_inconclusive(
    planted: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Nothing was there to be judged: no check passes."""
    history = open_history(planted[0])
    nothing = {"send": none_of(history.all_sends()), "delivery": none_of(history.all_deliveries())}
    written(tmp_path / "h", planted[0], **nothing)
    report = verify_history(tmp_path / "h", out=tmp_path / "out")
    assert {count.verdict for count in report.counts.values()} == {HistoryVerdict.INCONCLUSIVE}
    assert status_of(report) is ExitStatus.COULD_NOT_JUDGE
    assert all(count.reason for count in report.counts.values())


def test_what_is_not_promised_is_not_judged(
    planted: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Findings are shown, but decide nothing; of a metric there is no verdict."""
    written(tmp_path / "h", planted[0], checks=("D20", "D32"))
    counts = verify(tmp_path / "h").counts
    assert counts["D01"].violations > 0
    assert (counts["D01"].promised, counts["D01"].verdict) == (False, None)
    assert counts["D20"].verdict is HistoryVerdict.VIOLATES
    assert (counts["D32"].violations > 0, counts["D32"].verdict) == (True, None)
    only = verify(tmp_path / "h", checks=["D32"])
    assert only.verdict is HistoryVerdict.INCONCLUSIVE
    assert [check["id"] for check in only.document["checks"]] == ["D32"]
    assert {finding["check"] for finding in only.document["findings"]} == {"D32"}


def test_a_message_sent_twice_in_two_files(
    planted: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    written(tmp_path / "h", planted[0], send_files=2)
    with pytest.raises(HistoryError, match="is sent twice"):
        verify(tmp_path / "h")


@pytest.mark.parametrize("step", ["screen_sends", "judge_spilled"])
def test_too_little_memory_is_told(
    planted: tuple[Path, dict[str, Any]], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it ends, nothing is judged."""

    def without_memory(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(tasks, step, without_memory)
    with pytest.raises(
        VerificationError, match=r"Too little memory to verify .* nothing was judged"
    ):
        verify(planted[0], exact=True)


def test_unknown_checks_and_engines(planted: tuple[Path, dict[str, Any]]) -> None:
    with pytest.raises(UsageError, match="no check D34"):
        verify(planted[0], checks=["D01", "D34"])
    with pytest.raises(UsageError, match="no engine abacus"):
        verify(planted[0], "abacus")  # type: ignore[arg-type]


def test_what_the_engine_would_not_heed(planted: tuple[Path, dict[str, Any]]) -> None:
    with pytest.raises(UsageError, match="neither a master nor settings"):
        verify(planted[0], "local", master="local[2]")
    with pytest.raises(UsageError, match="neither a master nor settings"):
        verify(planted[0], "local", conf={"spark.driver.memory": "2g"})
    with pytest.raises(UsageError, match="Spark has tasks"):
        verify(planted[0], "spark", processes=2)
    for few in (0, -1):
        with pytest.raises(UsageError, match="cannot verify anything"):
            verify(planted[0], processes=few)


_MEASURED = """
import json, resource, sys
from jms_histories.history.reader import open_history
from jms_histories.engines.local import tasks
from jms_histories.engines.local.local import judge_locally

history = open_history(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = judge_locally(history).findings
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
counts = {check: [found.counts[check], found.shoulds[check]] for check in found.power}
print(json.dumps({"counts": counts, "mebibytes": (after - before) >> 10}))
"""


def test_of_a_million_messages_all_anomalies_are_counted_in_little_memory(tmp_path: Path) -> None:
    """They are screened in less memory than half of their columns would take."""
    planted = fault_counts({"all": 20, "faulted": {"D05": 3}})
    truth = make_history(tmp_path / "h", preset("plain", 1_000_000), planted)
    history = open_history(tmp_path / "h")
    columns = sum(
        history.rows(table) * sum(field.type.bit_width for field in schema) // 8
        for table, schema in (("send", SEND), ("delivery", DELIVERY))
    )
    command = [sys.executable, "-c", _MEASURED, str(tmp_path / "h")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    expected = {
        check: [many["violations"], many["shoulds"]] for check, many in truth["counts"].items()
    }
    assert report["counts"] == {"D33": [0, 0], **expected}
    assert report["mebibytes"] << 20 < columns // 2
