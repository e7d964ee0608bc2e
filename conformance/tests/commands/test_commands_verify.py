"""`touchstone verify`: what people and programs are told, and what it ends with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from histories.written_histories import write
from jms_histories.checks.small_history import SmallHistory
from jms_histories.history.description import Description, encode
from jms_histories.history.recorder import Recorder
from jms_histories.history.recording import FOLDER, HistoryDescription, SubscriptionEntry, this_boot
from jms_histories.history.seal import HISTORY, seal
from jms_histories.history.simulation.faults import fault_counts
from jms_histories.history.simulation.making import make_history
from jms_histories.history.simulation.settings import preset
from touchstone.cli import main
from touchstone.verdicts import ExitStatus
from touchstone_reports.volume_results import validator


@pytest.fixture(scope="module")
def legal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("legal") / "h"
    make_history(folder, preset("plain", 2000))
    return folder


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lossy") / "h"
    make_history(folder, preset("plain", 2000), fault_counts({"D01": 3}))
    return folder


def test_a_violation(lossy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the count, the report lies beside the history, the status is 1."""
    assert main(["verify", str(lossy)]) == ExitStatus.UNEXPECTED
    lines = capsys.readouterr().out.splitlines()
    [lost] = [line.split() for line in lines if line.startswith("D01  ")]
    assert lost[1:3] == ["lost", "VIOLATES"]
    assert int(lost[3]) >= 3
    beside = lossy.with_name("h-report")
    assert lines[-1] == str(beside / "volume.html")
    assert {file.name for file in beside.iterdir()} == {
        "report.json",
        "findings.parquet",
        "volume.html",
    }
    assert any(line.startswith("VIOLATES (") for line in lines)


def test_nothing_unexpected(
    legal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Checks that could have found something and found nothing conform; the status is 0."""
    out = tmp_path / "out"
    command = ["verify", str(legal), "--checks", "D01,D02", "--out", str(out), "--json"]
    assert main(command) == ExitStatus.NOTHING_UNEXPECTED
    document = json.loads(capsys.readouterr().out)
    validator().validate(document)
    assert document == json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert [check["id"] for check in document["checks"]] == ["D01", "D02"]
    assert {check["verdict"] for check in document["checks"]} == {"CONFORMS"}
    assert document["plan"]["name"] == "screened"


def test_power_nought_is_inconclusive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing was sent nothing could have been lost; the status is 2."""
    folder = write(SmallHistory(), tmp_path / "h")
    assert main(["verify", str(folder), "--checks", "D01", "--exact"]) == (
        ExitStatus.COULD_NOT_JUDGE
    )
    printed = capsys.readouterr().out
    assert "exact plan" in printed
    assert "D01: nothing in this history could have shown it (power 0)" in printed
    assert "INCONCLUSIVE (0 of 1 checks judged)" in printed


def unreceived(run: Path, *, finished_on: str = "") -> Path:
    """The history of a run that sent one message, which nobody received: there is no delivery.

    A coordinator that did not say on which boot it finished has died.
    """
    with Recorder(run / FOLDER, "run") as recorder:
        session = recorder.session(1)
        number = session.sent_invoked(encode(Description(1 << 40, 0, *(-1,) * 6, 10, -1, -1)))
        session.sent_ok(number, t=20)
    queue = SubscriptionEntry(0, 0, t_from=0, t_to=100, t_drained=100)
    HistoryDescription(
        "run", 0, 0, ("D01", "D09"), {1: "here"}, subscriptions=(queue,), finished_on=finished_on
    ).write(run / FOLDER)
    seal(run)
    return run / HISTORY


@pytest.mark.parametrize("options", [[], ["--exact"], ["--processes", "2"]])
def test_what_nobody_received_is_lost(
    tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where nothing was delivered at all, of which there is no order."""
    folder = unreceived(tmp_path, finished_on=this_boot())
    assert main(["verify", str(folder), *options]) == ExitStatus.UNEXPECTED
    printed = " ".join(capsys.readouterr().out.split())
    assert "D01 lost VIOLATES 1 0 1" in printed
    assert "D09: nothing in this history could have shown it (power 0)" in printed
    assert "VIOLATES (1 of 2 checks judged)" in printed


def test_a_record_of_which_a_part_is_lost_is_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing counts as drained: what nobody received may be waiting; the status is 2."""
    assert main(["verify", str(unreceived(tmp_path))]) == ExitStatus.COULD_NOT_JUDGE
    printed = " ".join(capsys.readouterr().out.split())
    assert "D01, D09: nothing in this history, of whose record a part is lost, could" in printed
    assert "INCONCLUSIVE (0 of 2 checks judged)" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere/manifest.json cannot be read"),
        (["{legal}", "--checks", "D99"], "There is no check D99"),
        (["{legal}", "--out", "{legal}/manifest.json"], "manifest.json cannot be written"),
    ],
)
def test_wrong_usage_is_a_fault(
    legal: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each error names its object; the status is 3."""
    command = ["verify", *(argument.format(legal=legal) for argument in arguments)]
    assert main(command) == ExitStatus.FAULT
    assert message in capsys.readouterr().err


def test_an_unknown_engine_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", "h", "--engine", "abacus"])
    assert ended.value.code == ExitStatus.FAULT
    assert "invalid choice: 'abacus'" in capsys.readouterr().err


def test_a_file_that_is_missing_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No verdict on partial data."""
    make_history(tmp_path / "h", preset("plain", 1000))
    next((tmp_path / "h" / "delivery").iterdir()).unlink()
    assert main(["verify", str(tmp_path / "h")]) == ExitStatus.FAULT
    assert "hint: " in capsys.readouterr().err
    assert not (tmp_path / "h-report").exists()


def test_help_and_scenarios_load_neither_numpy_nor_arrow() -> None:
    code = (
        "import sys\n"
        "from touchstone.cli import main\n"
        "from touchstone.api import verify_history\n"
        "try: main(['verify', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(', '.join({'numpy', 'pyarrow', 'pyspark', 'pandas'} & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_verifying_imports_no_pandas(legal: Path, tmp_path: Path) -> None:
    """Its import would take most of the time that a small history does."""
    code = (
        "import sys\n"
        "from touchstone.cli import main\n"
        "main(sys.argv[1:])\n"
        "sys.exit('pandas' if 'pandas' in sys.modules else None)"
    )
    command = [sys.executable, "-c", code, "verify", str(legal), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
