"""What ends a job of Spark ends `touchstone verify` with one clear error, and without a verdict.

Each accident happens in a real job; each command is a process of its own, since some take Spark's
Java process with them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from histories.written_histories import changed_table, write
from jvm_runtime import own_folders
from spark import spark_accidents

pytestmark = pytest.mark.thorough

LEAN = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""A JVM that lives for seconds spends most of them on optimizing what it runs."""
FAULT = 3
"""The status of a command that could not do what it was asked for."""


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(changed_table(200, seed=8), tmp_path_factory.mktemp("histories") / "changed")


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status, what it said, and which files it wrote."""

    status: int
    said: str
    files: list[str]


def verified(
    history: Path,
    folder: Path,
    *options: str,
    python: Path | None = None,
    limits: str = "",
    java: str = "",
) -> Ended:
    """`touchstone verify` of every message by Spark; limits: of the shell, such as `ulimit -f 9`.

    Spark writes below `folder`; `java` are options of its JVM.
    """
    out, scratch = folder / "out", folder / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "touchstone", "verify", str(history), "--out", str(out)]
    command += ["--engine", "spark", "--exact", "--master", "local[1]"]
    command += ["--spark-conf", f"spark.driver.extraJavaOptions={LEAN} {java}"]
    environment = os.environ | {"TMPDIR": str(scratch)}
    if python:
        environment["PYSPARK_PYTHON"] = str(python)
    ended = subprocess.run(
        ["/bin/sh", "-c", f'{limits or ":"}; exec "$@"', "sh", *command, *options],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
    )
    assert list(own_folders.place(scratch).iterdir()) == []
    written = sorted(path.name for path in out.rglob("*") if path.is_file())
    return Ended(ended.returncode, ended.stdout + ended.stderr, written)


def refused(ended: Ended, what: str, hint: str) -> None:
    """The command ended with this error, said once, and has given no verdict of any kind."""
    assert ended.status == FAULT, ended.said
    assert ended.said.count("touchstone: ") == 1, ended.said
    error = ended.said.partition("touchstone: ")[2]
    assert what in error.partition("\n")[0], ended.said
    assert hint in error.partition("hint: ")[2], ended.said
    # PySpark's own workers may tell that their Java process has gone
    traced = re.findall(r'File "([^"]+)"', ended.said)
    assert not [file for file in traced if "/touchstone/" in file or "socketserver" in file]
    assert not [verdict for verdict in ("VIOLATES", "CONFORMS", "D01") if verdict in ended.said]
    assert ended.files == []


@pytest.mark.parametrize(
    ("accident", "what", "hint"),
    [
        ("KILLED", "Python process of Spark's workers died", "fewer tasks at a time"),
        ("NO_MEMORY", "task of Spark ran out of memory", "fewer tasks at a time"),
        ("JAVA_KILLED", "Java process was killed by signal 9", "no memory left"),
    ],
)
def test_a_process_that_is_lost_in_mid_job_is_told(
    history: Path, tmp_path: Path, accident: str, what: str, hint: str
) -> None:
    python = spark_accidents.python_with(getattr(spark_accidents, accident), tmp_path / "python")

    refused(verified(history, tmp_path, python=python), what, hint)


def test_java_without_memory_for_what_moves_is_told(history: Path, tmp_path: Path) -> None:
    """What goes to Python lies beside the heap, for which Java has a limit of its own."""
    ended = verified(history, tmp_path, java="-XX:MaxDirectMemorySize=64k")

    refused(ended, "ran out of memory", "spark.driver.memory")


def test_a_disk_that_takes_no_more_is_told(history: Path, tmp_path: Path) -> None:
    """No file may be larger than 64 KiB, those of the shuffle neither."""
    ended = verified(history, tmp_path, limits="ulimit -f 128")

    refused(ended, "The disk is full", "spark.local.dir")


@pytest.mark.parametrize("folder", ["/proc", "/missing/folder"])
def test_a_scratch_folder_that_cannot_be_written_to_is_told(
    history: Path, tmp_path: Path, folder: str
) -> None:
    """No JVM is started for it."""
    ended = verified(history, tmp_path, "--spark-conf", f"spark.local.dir={folder}")

    refused(ended, f"spark.local.dir={folder} cannot be written to", "name another one")
