"""Which Java is taken, how it is started, and that it ends with us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from jvm_runtime import jre, launch
from jvm_runtime.jvm_errors import JavaError


def java_that_says(folder: Path, text: str, status: int = 0) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{text}\nEND\nexit {status}\n")
    java.chmod(0o755)
    return java


def test_the_bundled_java_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_JAVA", raising=False)

    java = jre.find_jre()

    assert java.major >= 25
    assert jre.inspect(java.java).major == java.major


@pytest.mark.parametrize("part", ["", "bin/java"])
def test_a_named_java_is_taken_by_home_or_command(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = java_that_says(tmp_path, 'openjdk version "21.0.4" 2024-07-16')
    monkeypatch.setenv("TOUCHSTONE_JAVA", str(tmp_path / part))

    assert jre.find_jre() == jre.Jre(java, "21.0.4", 21)


@pytest.mark.parametrize(
    ("says", "version"),
    [('java version "1.8.0_402"', "1.8.0_402"), ('openjdk version "11.0.2" 2019-01-15', "11.0.2")],
)
def test_an_old_java_is_refused(
    says: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = java_that_says(tmp_path, says)
    monkeypatch.setenv("TOUCHSTONE_JAVA", str(tmp_path))

    with pytest.raises(JavaError) as caught:
        jre.find_jre()

    assert str(java) in str(caught.value)
    assert f"Java {version}, too old" in str(caught.value)
    assert "17 or newer" in caught.value.hint


@pytest.mark.parametrize(("says", "status"), [("Segmentation fault", 0), ("no memory", 1)])
def test_a_java_that_does_not_work_is_refused(
    says: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = java_that_says(tmp_path, says, status)
    monkeypatch.setenv("TOUCHSTONE_JAVA", str(java))

    with pytest.raises(JavaError, match="bin/java"):
        jre.find_jre()


def test_a_java_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_JAVA", "/nowhere/jdk")

    with pytest.raises(JavaError, match="TOUCHSTONE_JAVA=/nowhere/jdk"):
        jre.find_jre()


def shell(script: str) -> launch.JavaCommand:
    """A command whose 'Java' is a shell: the start is judged, not Java."""
    return launch.JavaCommand(jre.Jre(Path("/bin/sh"), "0", 0), ("-c", script), (), "Main")


def test_a_child_sees_no_variable_that_changes_a_jvm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"):
        monkeypatch.setenv(name, "spoilt")
    monkeypatch.setenv("KEPT", "kept")

    child = launch.spawn(shell("env; echo done >&2"), folder=tmp_path, log=tmp_path / "log")

    assert child.wait(10) == 0
    seen = (tmp_path / "log").read_text()
    assert "spoilt" not in seen
    assert "KEPT=kept" in seen
    assert "done" in seen


def test_the_log_is_appended_to(tmp_path: Path) -> None:
    for word in ("one", "two"):
        launch.spawn(shell(f"echo {word}"), folder=tmp_path, log=tmp_path / "log").wait(10)

    assert (tmp_path / "log").read_text() == "one\ntwo\n"


def test_a_folder_that_is_gone_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(JavaError, match="Main could not be started"):
        launch.spawn(shell("true"), folder=tmp_path / "gone", log=tmp_path / "log")


@pytest.mark.parametrize(("outlives", "expected"), [(False, "ended"), (True, "alive")])
def test_a_child_ends_with_its_parent_unless_told_otherwise(
    outlives: bool, expected: str, tmp_path: Path
) -> None:
    program = f"""
        import pathlib, sys, threading, time
        from jvm_runtime import jre, launch
        here = pathlib.Path({str(tmp_path)!r})
        command = launch.JavaCommand(
            jre.Jre(pathlib.Path("/bin/sh"), "0", 0), ("-c", "exec sleep 60"), (), "Main")
        def start():
            child = launch.spawn(command, folder=here, log=here / "log", outlives_us={outlives})
            print(child.pid, flush=True)
        thread = threading.Thread(target=start)  # its end must not be taken for our end
        thread.start(); thread.join()
        sys.stdin.read()
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        assert not ends_within(child, 0.3), "it ended with the thread that asked for it"

        parent.kill()
        parent.communicate()

        assert ends_within(child, 5 if expected == "ended" else 0.3) == (expected == "ended")
    finally:
        if not ends_within(child, 0):
            os.kill(child, signal.SIGKILL)


def ends_within(pid: int, seconds: float) -> bool:
    """Return whether the process is gone, or only its entry is left, before the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
