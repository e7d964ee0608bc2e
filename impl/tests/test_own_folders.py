"""Folders for temporary files: they go with their process, however that ends, and never before."""

from __future__ import annotations

import getpass
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from jvm_runtime import own_folders
from jvm_runtime.jvm_errors import FolderError
from jvm_runtime.own_folders import OwnFolder

MAKES_ONE = """
    import os, signal, sys
    from jvm_runtime.own_folders import OwnFolder
    folder = OwnFolder("made").path
    (folder / "data").mkdir()
    (folder / "data" / "file").write_text("x")
    print(folder, flush=True)
"""


def made_by_a_process(within: Path, ending: str) -> Path:
    """The folder that a process has made below `within` before it ended."""
    program = textwrap.dedent(MAKES_ONE) + ending
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=own_folders.environment(within),
    )
    return Path(done.stdout.strip())


def test_a_folder_goes_with_its_block(tmp_path: Path) -> None:
    with OwnFolder("mine", tmp_path) as folder:
        (folder / "file").write_text("x")
        assert folder.is_relative_to(tmp_path)

    assert not folder.exists()


def test_removing_twice_is_removing_once(tmp_path: Path) -> None:
    folder = OwnFolder("mine", tmp_path)
    folder.remove()
    folder.path.mkdir()

    folder.remove()

    assert folder.path.is_dir()


@pytest.mark.parametrize("ending", ["", "sys.exit(1)", "raise ValueError"])
def test_a_folder_goes_with_its_process(tmp_path: Path, ending: str) -> None:
    left = made_by_a_process(tmp_path, ending)

    assert left.is_relative_to(tmp_path)
    assert not left.exists()


@pytest.mark.parametrize("ending", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_what_a_killed_process_leaves_the_next_folder_removes(tmp_path: Path, ending: str) -> None:
    left = made_by_a_process(tmp_path, ending)
    assert (left / "data" / "file").exists()

    with OwnFolder("next", tmp_path) as mine:
        assert list(own_folders.place(tmp_path).iterdir()) == [mine]


def test_a_removal_that_was_interrupted_is_ended(tmp_path: Path) -> None:
    left = own_folders.place(tmp_path) / "made-1-abc"
    (left / "data").mkdir(parents=True)

    own_folders.sweep(own_folders.place(tmp_path))

    assert not left.exists()


def test_what_belongs_to_a_living_process_stays(tmp_path: Path) -> None:
    program = textwrap.dedent(MAKES_ONE) + "sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=own_folders.environment(tmp_path),
    ) as other:
        assert other.stdout is not None
        theirs = Path(other.stdout.readline().strip())
        with OwnFolder("mine", tmp_path) as mine:
            own_folders.sweep(own_folders.place(tmp_path))
            assert mine.is_dir()
            assert (theirs / "data" / "file").exists()
        other.send_signal(signal.SIGKILL)
        other.wait()
    own_folders.sweep(own_folders.place(tmp_path))

    assert not theirs.exists()


def test_the_end_of_a_forked_child_is_not_ours(tmp_path: Path) -> None:
    program = "if (child := os.fork()): os.waitpid(child, 0); print(folder.exists()); os._exit(0)"
    done = subprocess.run(
        [sys.executable, "-c", f"{textwrap.dedent(MAKES_ONE)}{program}"],
        capture_output=True,
        text=True,
        check=True,
        env=own_folders.environment(tmp_path),
    )

    assert done.stdout.splitlines()[-1] == "True"


def test_a_place_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"touchstone-{os.getuid()}").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(FolderError, match="belongs to somebody else") as caught:
        OwnFolder("mine", tmp_path)

    assert "TMPDIR" in caught.value.hint


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=f"{tmp_path}/none.* cannot be made"):
        OwnFolder("mine", tmp_path / "none")


STARTS_A_JVM = """
    import os, sys
    import jpype
    from jvm_runtime import in_process
    in_process.start("pulsar-client")
    made = jpype.JClass("java.io.File").createTempFile("native", ".so")
    print(os.getpid(), made.getAbsolutePath(), flush=True)
"""


@pytest.mark.parametrize(("ending", "after"), [("pass", 0), ("os._exit(0)", 1)])
def test_a_jvm_in_python_has_its_files_in_a_folder_of_the_process(
    tmp_path: Path, ending: str, after: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(STARTS_A_JVM) + ending],
        capture_output=True,
        text=True,
        check=True,
        env=own_folders.environment(tmp_path),
    )

    pid, made = done.stdout.split()
    assert Path(made).is_relative_to(own_folders.place(tmp_path))
    assert Path(made).exists() == bool(after)
    assert len(list(own_folders.place(tmp_path).iterdir())) == after
    for left in (f".java_pid{pid}", f"hsperfdata_{getpass.getuser()}/{pid}"):
        assert not Path("/tmp", left).exists()  # where Java would have it, whatever it is told
