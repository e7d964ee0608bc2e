"""A run's folder: what is judged is on the disk at once, and a full disk is said."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from touchstone.errors import HarnessError
from touchstone.results.run_folder import (
    PART,
    RUN,
    VERDICTS,
    RunFolder,
    file_stem,
    new_run,
)

MOMENT = "2026-01-02T03:04:05.678+00:00"
LINE = {"scenario": "area/test_it[a/b]", "requirement": "AAA-X-001"}

WRITE_UNTIL_FULL = """
import resource, signal, sys
from pathlib import Path
from touchstone.errors import HarnessError
from touchstone.results.run_folder import RunFolder

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = Path(sys.argv[1])
run.mkdir()
folder = RunFolder(run)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    for number in range(1000):
        folder.add([{"scenario": f"area/test_{number}"}])
except HarnessError as error:
    print(error)
"""


def test_a_verdict_is_on_the_disk_when_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    folder = RunFolder(tmp_path / "run")
    folder.add([dict(LINE)], ["{}"], "what was seen")

    [line] = (tmp_path / "run" / PART).read_text().splitlines()
    written = json.loads(line)
    assert (tmp_path / "run" / written["trace"]).read_text() == "{}\n"
    assert (tmp_path / "run" / written["evidence"]).read_text() == "what was seen"

    folder.finish({"id": "run"}, complete=True)
    assert not (tmp_path / "run" / PART).exists()
    assert (tmp_path / "run" / VERDICTS).read_text() == line + "\n"
    assert json.loads((tmp_path / "run" / RUN).read_text()) == {"id": "run"}


def test_a_full_disk_is_said_and_what_was_judged_stays(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-c", WRITE_UNTIL_FULL, run], capture_output=True, text=True, check=True
    )
    assert f"Results cannot be written to {run}" in done.stdout
    assert "Free some space, or name another folder" in done.stdout
    kept = [json.loads(line) for line in (run / PART).read_text().splitlines()[:-1]]
    assert kept == [{"scenario": f"area/test_{number}"} for number in range(len(kept))]
    assert kept


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    with pytest.raises(HarnessError, match="Results cannot be written to"):
        new_run(MOMENT, "reference", tmp_path / "results")


def test_runs_and_files_have_names_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = pool.map(lambda _: new_run(MOMENT, "reference+mutant:x", tmp_path), range(20))
    stem = "20260102T030405-reference-mutant-x"
    assert {path.name for path in made} == {stem, *(f"{stem}-{number}" for number in range(2, 21))}
    assert all(path.is_dir() for path in tmp_path.iterdir())

    names = ["a/test_b", "a/test_b[1]", "a/test_b[ 1]", "a/test_b[" + "x" * 300 + "]", "a/ü"]
    stems = [file_stem(name) for name in names]
    assert len(set(stems)) == len(names)
    assert all(len(stem) < 130 and "/" not in stem for stem in stems)


def test_a_folder_that_cannot_be_begun_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    begun = RunFolder(new_run(MOMENT, "first", tmp_path))
    begun.write_run({"id": "first"})
    folder = RunFolder(new_run(MOMENT, "second", tmp_path))
    monkeypatch.setattr(Path, "write_text", full)

    for each in (begun, folder):
        with pytest.raises(HarnessError, match="No space left on device"):
            each.write_run({"id": "x"})

    assert begun.path.exists()
    assert not folder.path.exists()
