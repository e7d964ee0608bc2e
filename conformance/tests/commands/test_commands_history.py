"""`touchstone history`: what people and programs are told."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from histories.history_samples import deliveries, sends, write
from jms_histories.checks.small_history import DeliveryRow, SendRow
from jms_histories.history.description import Description, encode
from jms_histories.history.recorder import Recorder
from jms_histories.history.recording import FOLDER, HistoryDescription, this_boot
from touchstone.cli import main
from touchstone.verdicts import ExitStatus


def shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert main(["history", "show", str(folder), "--json"]) == ExitStatus.NOTHING_UNEXPECTED
    data = json.loads(capsys.readouterr().out)
    schema = json.loads(
        resources.files("touchstone.commands").joinpath("listings.schema.json").read_text()
    )
    Draft202012Validator({**schema, "$ref": "#/$defs/history"}).validate(data)
    facts = data["history"]
    assert isinstance(facts, dict)
    return facts


def test_a_recording_is_sealed_bucketed_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Recorder(tmp_path / FOLDER, "run-1") as recorder:
        recorder.session(1).sent_invoked(encode(Description(1 << 40, *(-1,) * 10)))
    HistoryDescription("run-1", 3, 0, ("D01",), {1: "here"}, finished_on=this_boot()).write(
        tmp_path / FOLDER
    )
    assert main(["history", "seal", str(tmp_path)]) == ExitStatus.NOTHING_UNEXPECTED
    facts = shown(tmp_path / "history", capsys)
    assert facts["run"] == "run-1"
    assert facts["rows"] == {"send": 1, "delivery": 0, "tx": 0, "subscription": 0, "session": 0}
    assert (facts["checks"], facts["epsilon"]) == (["D01"], 3)
    bucket = ["history", "bucket", str(tmp_path / "history"), "--buckets", "2"]
    assert main(bucket) == ExitStatus.NOTHING_UNEXPECTED
    facts = shown(tmp_path / "history-buckets", capsys)
    assert facts["layout"] == {"send": "bucket", "delivery": "bucket"}
    assert facts["buckets"] == 2
    assert main(bucket) == ExitStatus.FAULT
    assert "history-buckets is there already" in capsys.readouterr().err


def test_people_get_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(
        tmp_path / "h", sends(SendRow(uid=1)), deliveries(DeliveryRow(1, 0, 1, 0, uid=1))
    )
    assert main(["history", "show", str(folder)]) == ExitStatus.NOTHING_UNEXPECTED
    printed = capsys.readouterr().out
    assert "History of run run-1" in printed
    assert "send 1, delivery 1, tx 0" in printed


def test_what_is_no_history_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "show", str(tmp_path)]) == ExitStatus.FAULT
    printed = capsys.readouterr().err
    assert "manifest.json cannot be read" in printed
    assert "hint: " in printed


def test_help_loads_neither_numpy_nor_arrow() -> None:
    code = (
        "import sys\n"
        "from touchstone.cli import main\n"
        "try: main(['history', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit(', '.join({'numpy', 'pyarrow', 'pyspark'} & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "seal" in done.stdout
