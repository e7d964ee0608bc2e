"""What a command that is told to end leaves behind: no child, and nothing in temporary folders."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from jvm_runtime import own_folders
from touchstone.commands.run import judge
from touchstone.verdicts import ExitStatus

TIMEOUT = 30.0

WAITS = """
    import subprocess, sys, threading
    from jvm_runtime.own_folders import OwnFolder
    from jms_brokers.machine.ending import tidy_on_sigterm

    def work():
        child = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(600)"
        subprocess.call([sys.executable, "-c", child])

    with tidy_on_sigterm(), OwnFolder("command") as folder:
        (folder / "file").write_text("x")
        {waits}
"""


@pytest.mark.parametrize(
    "waits",
    [
        "work()",
        "thread = threading.Thread(target=work); thread.start(); thread.join()",
    ],
)
def test_a_command_that_is_told_to_end_takes_all_with_it(tmp_path: Path, waits: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WAITS).replace("{waits}", waits)],
        stdout=subprocess.PIPE,
        text=True,
        env=own_folders.environment(tmp_path),
    ) as command:
        assert command.stdout is not None
        child = os.pidfd_open(int(command.stdout.readline()))
        assert list(own_folders.place(tmp_path).iterdir())

        command.terminate()

        assert command.wait(TIMEOUT) == 128 + signal.SIGTERM
    with os.fdopen(child) as handle:
        assert select.select([handle], [], [], TIMEOUT)[0], "its child is alive"
    assert not list(own_folders.place(tmp_path).iterdir())


LITTERS = """
    import os, signal, tempfile
    from pathlib import Path

    def test_litters(tmp_path):
        assert {parent!r} in tempfile.gettempdir()
        tempfile.mkdtemp()
        {ending}
"""


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("pass", ExitStatus.NOTHING_UNEXPECTED),
        ("os.kill(os.getpid(), signal.SIGKILL)", ExitStatus.FAULT),
    ],
)
def test_a_run_leaves_nothing_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, status: ExitStatus
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    place = own_folders.place()
    littering = tmp_path / "test_littering.py"
    littering.write_text(
        textwrap.dedent(LITTERS).replace("{parent!r}", repr(str(place))).replace("{ending}", ending)
    )

    assert judge((), [str(littering), "-q"]) == status

    assert not list(place.iterdir())
    assert list(temporary.iterdir()) == [place]
