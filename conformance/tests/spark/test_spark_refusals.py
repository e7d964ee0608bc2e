"""What a Spark job brings along, and what is said when it cannot run; no JVM."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from jms_histories.engines.spark import ending, java, session, shipping
from jms_histories.engines.spark.errors import SparkError, explain_error, is_ending
from jms_histories.errors import UsageError
from jvm_runtime import own_folders


class _Running:
    """Stands for a session of somebody else."""

    def __init__(self, master: str) -> None:
        self.conf = {"spark.master": master}


def test_a_running_session_of_another_master_is_not_taken() -> None:
    with pytest.raises(UsageError, match=r"local\[2\] already runs"):
        session.refuse_another(_Running("local[2]"), "spark://a:1")
    session.refuse_another(_Running("local[2]"), "local[*]")
    session.refuse_another(_Running("spark://a:1"), "spark://a:1")


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("java.io.IOException: No space left on device", "disk is full", "spark.local.dir"),
        ("java.lang.OutOfMemoryError: Java heap space", "out of memory", "spark.driver.memory"),
        ("ModuleNotFoundError: No module named 'numpy'", "has no numpy", "PYSPARK_PYTHON"),
        ("No module named 'jms_histories.kernels'", "has no jms_histories.kernels", "archive"),
        ('Cannot run program "/opt/python"', "have no /opt/python", "PYSPARK_PYTHON"),
        ("Python worker exited unexpectedly (crashed)", "died", "memory"),
        ("FileNotFoundError: /h/send/0.parquet", "/h/send/0.parquet", "same path"),
        ("All masters are unresponsive! Giving up.", "ended the application", "logs"),
        ("\n  ValueError: what nobody foresaw", "what nobody foresaw", "--engine local"),
    ],
)
def test_what_spark_says_is_explained(text: str, what: str, hint: str) -> None:
    error = explain_error(RuntimeError(text))

    assert what in error.what
    assert hint in error.hint


@pytest.mark.parametrize(
    ("status", "what", "hint"),
    [
        (52, "ran out of memory and ended", "spark.driver.memory"),
        (53, "could not make a folder", "spark.local.dir"),
        (-9, "killed by signal 9", "dmesg"),
        (1, "ended with status 1", "hs_err_pid"),
    ],
)
def test_the_end_of_java_is_explained_by_its_status(status: int, what: str, hint: str) -> None:
    """What is said by those who lost it tells nothing."""
    lost = RuntimeError("Job 3 cancelled because SparkContext was shut down")
    error = explain_error(lost, status)

    assert is_ending(lost)
    assert what in error.what
    assert hint in error.hint


def test_a_call_that_brings_nothing_back_has_lost_java() -> None:
    nothing = RuntimeError("An error occurred while calling o155.getResult")
    thrown = RuntimeError("An error occurred while calling o155.getResult.\n: java.lang.Error: x")

    assert is_ending(nothing)
    assert not is_ending(thrown)


def test_a_damaged_history_is_told_even_if_java_has_ended() -> None:
    damaged = RuntimeError("HistoryError: h: ridx is not dense\n  hint: seal it again\nEOFError")

    assert explain_error(damaged, 1).what == "h: ridx is not dense"


def test_a_scratch_folder_has_to_take_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert session.scratch_folders({"spark.local.dir": f"{tmp_path}, /tmp"})[0] == tmp_path
    for bad in (tmp_path / "missing", tmp_path / "file", "/proc"):
        with pytest.raises(SparkError, match=f"spark.local.dir={bad} cannot be written to"):
            session.scratch_folders({"spark.local.dir": f"{tmp_path},{bad}"})


def test_what_java_writes_after_its_session_is_this_processs_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folders are those of the first session: gone with that, made again for the next."""
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    with session.scratch({"spark.master": "local[1]", "spark.local.dir": str(tmp_path)}) as conf:
        first = Path(conf["spark.local.dir"])
        (first / "shuffled").touch()
    assert not first.exists()

    first.mkdir()
    (first / "shipped.zip").touch()
    own_folders.sweep(own_folders.place(tmp_path))  # as any other command does

    assert (first / "shipped.zip").exists()


def test_java_without_the_incubators_module_gets_no_option_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "java"
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text('MODULES="java.base java.logging"\n')
    told = home / "bin" / "java"
    told.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    told.chmod(0o755)
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(home))

    command = java.java_home() / "bin" / "java"
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "Main", "it's", "*"]
    options = subprocess.run([command, *words], capture_output=True, text=True, check=True).stdout

    assert options == "<-cp><a b><Main><it's><*>"


def test_a_whole_java_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "release").write_text('MODULES="java.base jdk.incubator.vector"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    assert java.java_home() == tmp_path


def test_what_is_shipped_needs_numpy_and_pyarrow_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    shipped = shipping.archive()
    assert shipping.archive() == shipped

    with zipfile.ZipFile(shipped) as stream:
        assert "jms_histories/definitions.py" in stream.namelist()
        assert "jms_histories/engines/spark/source.py" in stream.namelist()
    subprocess.run([sys.executable, "-c", _WORKER, str(shipped)], check=True)


_WORKER = """
import importlib.abc, sys

class Refused(importlib.abc.MetaPathFinder):
    '''A worker's Python: the standard library, numpy, pyarrow, PySpark, and what was shipped.'''

    allowed = {"numpy", "pyarrow", "pyspark", "py4j", "pandas", "jms_histories"}

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names | self.allowed and not top.startswith("_"):
            # numpy, pyarrow and PySpark ask for what they can do without
            asking = sys._getframe(1)
            while asking and asking.f_code.co_filename.startswith("<frozen importlib"):
                asking = asking.f_back
            assert "jms_histories" not in asking.f_code.co_filename.rpartition(".zip")[0], name
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Refused())
sys.path.insert(0, sys.argv[1])
import jms_histories.engines.spark.source as source
assert source.__file__.startswith(sys.argv[1]), source.__file__
"""


def test_pyspark_is_not_loaded_until_it_is_needed() -> None:
    code = (
        "import sys, touchstone.cli, touchstone.pytest_plugin\n"
        "import jms_histories.engines.spark.session, jms_histories.engines.spark.shipping\n"
        "sys.exit(','.join({'pyspark', 'pandas'} & sys.modules.keys()) or None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_tasks_exchange_imports_no_pandas() -> None:
    """Each worker would pay for it at its first batch."""
    code = (
        "import sys, jms_histories.engines.spark.tasks\n"
        "from jms_histories.engines.spark import exchange\n"
        "sent = exchange.ExchangedValue(1, exchange.PayloadKind.SENDS, b'content')\n"
        "[row] = exchange.rows([exchange.batch([sent])])\n"
        "assert row.payload == b'content'\n"
        "sys.exit('pandas' if 'pandas' in sys.modules else None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class _Gateway:
    """Stands for PySpark's way to a Java process; the process is a real one."""

    def __init__(self) -> None:
        self.proc = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)


class _Lost:
    """Stands for a session whose Java process is not there any more."""

    def stop(self) -> None:
        raise ConnectionRefusedError(111, "Connection refused")


def test_a_java_process_that_died_is_noticed_and_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gateway = _Gateway()
    monkeypatch.setattr(SparkContext, "_gateway", gateway)
    monkeypatch.setattr(SparkContext, "_jvm", object())
    monkeypatch.setattr(SparkContext, "_active_spark_context", object())
    monkeypatch.setattr(SparkSession, "_instantiatedSession", object())
    monkeypatch.setattr(SparkSession, "_activeSession", object())
    assert ending.java_exit_status(soon=False) is None

    gateway.proc.kill()
    assert ending.java_exit_status(soon=True) == -9
    ending.stop(_Lost())

    assert SparkContext._gateway is None
    assert SparkContext._active_spark_context is None
    assert SparkSession._instantiatedSession is None
    assert ending.java_exit_status(soon=False) is None
