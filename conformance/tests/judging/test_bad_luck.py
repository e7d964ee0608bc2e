"""JVMs that crash, clients that hang, brokers that die: what was judged stays, the rest goes on."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from jvm_runtime.cache import cache_folder
from touchstone.judging.crashes import crash_log, crash_of, ending, summary
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read

pytestmark = pytest.mark.thorough

CACHE = cache_folder()
JVM = """
from jvm_runtime import in_process

def jvm():
    in_process.start("pulsar-client")
    import jpype
    return jpype
"""
HS_ERR = """#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2
#
# Problematic frame:
# V  [libjvm.so+0x1]  Unsafe_PutLong+0x1
#
"""


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of these tests have another home, but the jars that are here already."""
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(CACHE))


def test_a_crash_is_told_in_one_line(tmp_path: Path) -> None:
    told = (
        "its JVM crashed: SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2"
        " in V  [libjvm.so+0x1]  Unsafe_PutLong+0x1"
    )
    assert summary(HS_ERR) == told
    assert summary("# torn") == "its JVM crashed: see its log"
    assert crash_of(tmp_path, "gw0") is None
    crash_log(tmp_path, "gw0").write_bytes(HS_ERR.encode() + b"\xff" + b"x" * 400_000)
    crash = crash_of(tmp_path, "gw0")
    assert crash is not None
    assert crash.what == told
    assert len(crash.log) == 300_000


def test_a_jvm_that_crashes_costs_one_scenario_and_leaves_its_log(catalogue: Any) -> None:
    judged = catalogue.scenarios(
        JVM
        + """
@slow
@requirement("TRY-ONE-001")
def test_crashes():
    unsafe = jvm().JClass("sun.misc.Unsafe").class_.getDeclaredField("theUnsafe")
    unsafe.setAccessible(True)
    unsafe.get(None).putAddress(0, 0)

@requirement("TRY-ONE-002")
def test_goes_on():
    assert jvm().JClass("java.lang.String")("a").length() == 1
"""
    ).judge("-n", "1", subprocess=True)
    assert judged.verdicts == {"TRY-ONE-001": "INCONCLUSIVE", "TRY-ONE-002": "CONFORMS"}
    lines = {line["requirement"]: line for line in judged.lines}
    assert lines["TRY-ONE-001"]["reason"].startswith(
        "its process ended, twice: its JVM crashed: SIGSEGV"
    )
    evidence = (judged.folder / lines["TRY-ONE-001"]["evidence"]).read_text()
    assert "A fatal error has been detected by the Java Runtime Environment" in evidence
    assert lines["TRY-ONE-002"]["worker"] in {"gw1", "gw2"}
    assert judged.exit_status == 2
    assert list(catalogue.pytester.path.glob("hs_err*")) == []


DEATHS = {
    "os.kill(os.getpid(), signal.SIGTERM)": "it was ended by SIGTERM",
    "os.kill(os.getpid(), signal.SIGKILL)": (
        "it was ended by SIGKILL; was it killed, or short of memory?"
    ),
    "os._exit(3)": "it exited with status 3",
    "os._exit(0)": "it exited with status 0",
}
DYING = """
import signal

@pytest.mark.parametrize("death", DEATHS)
@requirement("TRY-ONE-001")
def test_dies(death):
    exec(death)

@requirement("TRY-ONE-002")
def test_lives():
    assert [1] == [1]
"""


def test_a_worker_that_dies_tells_its_signal_or_its_status(catalogue: Any) -> None:
    scenarios = DYING.replace("DEATHS", repr([*DEATHS]))
    judged = catalogue.scenarios(scenarios).judge("-n", "1", subprocess=True)

    told = {line["scenario"]: (line["verdict"], line["reason"]) for line in judged.lines}
    assert told == {
        "ones/test_lives": ("CONFORMS", None),
        **{
            f"ones/test_dies[{death}]": ("INCONCLUSIVE", f"its process ended, twice: {how}")
            for death, how in DEATHS.items()
        },
    }
    assert judged.exit_status == ExitStatus.COULD_NOT_JUDGE


def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    assert ending(-signal.SIGRTMIN - 1) == f"it was ended by signal {signal.SIGRTMIN + 1}"


HANGING = """
from touchstone.scenario.under_test import UnderTest
from jms_clients.trace import Trace
from jms_clients.interface import VendorConstants
from touchstone.scenario import under_test

under_test._CLOSED_WITHIN = 3

class Factory:
    closed = 0
    def __init__(self, close):
        self.close = close

class Client:
    constants = VendorConstants()
    def __init__(self, *factories):
        self.factories = list(factories)
    def connection_factory(self, settings):
        return self.factories.pop(0)

def hang():
    jvm().JClass("java.lang.Thread").sleep(3_600_000)

@pytest.fixture
def hanging(request):
    closed = []
    client = Client(Factory(lambda: closed.append(1)), Factory(hang))
    opened = UnderTest(client, {}, Trace())
    opened.factory(), opened.factory()
    yield opened
    try:
        opened.close()
    finally:
        assert closed == [1]
"""


def test_a_client_that_hangs_in_close_is_left_behind_with_the_threads_of_java(
    catalogue: Any,
) -> None:
    judged = catalogue.scenarios(
        JVM
        + HANGING
        + """
@slow
@requirement("TRY-ONE-001")
def test_hangs(hanging):
    jvm()
    assert 1

@requirement("TRY-ONE-002")
def test_goes_on():
    assert 1
"""
    ).judge("-n", "1", subprocess=True)
    assert judged.verdicts == {"TRY-ONE-001": "VIOLATES", "TRY-ONE-002": "CONFORMS"}
    line = next(line for line in judged.lines if line["requirement"] == "TRY-ONE-001")
    assert "closing the client's connections did not come back" in line["reason"]
    assert "hang() of the client does not return" in line["reason"]
    evidence = (judged.folder / line["evidence"]).read_text()
    assert "--- thread closing the client's connections" in evidence
    assert '--- Java thread "' in evidence
    assert "java.lang.Thread.sleep" in evidence
    assert judged.exit_status == 1


def test_a_client_that_hangs_at_the_end_of_a_run_does_not_keep_it(catalogue: Any) -> None:
    judged = catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_opens(request):
            judge = request.config.pluginmanager.get_plugin("touchstone judge")
            judge._worker.close = threading.Event().wait
            assert 1
        """).judge("-n", "1", "--touchstone-timeout", "6", subprocess=True)
    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS"}
    assert judged.exit_status == 0
    assert judged.run["finished"] is not None


LOSS = """
import signal

@requirement("TRY-ONE-001")
def test_dies(request):
    connected = at_work(request).connected
    os.kill(connected.address.pid, signal.SIGKILL)
    assert connected.control() is None, "the broker is gone"

@requirement("TRY-ONE-002")
@pytest.mark.parametrize("number", range(3))
def test_others(request, number):
    assert at_work(request).connected.control() is None
"""


def test_a_broker_that_dies_costs_no_verdict_of_others(catalogue: Any) -> None:
    judged = catalogue.scenarios(LOSS).judge(
        "-n", "1", "--touchstone-timeout", "300", subprocess=True
    )
    assert judged.verdicts == {"TRY-ONE-001": "INCONCLUSIVE", "TRY-ONE-002": "CONFORMS"}
    assert len(judged.lines) == 4
    [reason] = [line["reason"] for line in judged.lines if line["reason"]]
    assert "the broker is gone" in reason
    assert "the control message failed too" in reason
    assert judged.run["finished"] is not None


BROKEN = """
from dataclasses import dataclass
from try_memory import Memory

@dataclass(frozen=True)
class Broken(Memory):
    program: str = "rabbitmq-3.7.0"

provider = Broken()
"""
RUN = "from touchstone.cli import main; raise SystemExit(main())"


def test_a_jar_that_does_not_match_its_sum_costs_the_verdicts_of_its_client_alone(
    catalogue: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue.scenarios(
        """
        @requirement("TRY-ONE-001")
        def test_holds():
            assert [1] == [1]
        """
    )
    tester: pytest.Pytester = catalogue.pytester
    (tester.path / "try_broken.py").write_text(BROKEN)
    jar = "com/rabbitmq/jms/rabbitmq-jms/3.7.0/rabbitmq-jms-3.7.0.jar"
    broken = tester.path / "cache/jars" / jar
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"x" * 263_445)
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tester.path / "cache"))
    monkeypatch.setenv("M2_REPO", str(tester.path / "m2"))
    monkeypatch.setenv("PYTHONPATH", str(tester.path))

    providers = ("--provider", "python:try_broken:provider", "--provider", "memory")
    options = ("--catalogue", "try", "--offline", "-p", "no:warnings")
    done = tester.run(sys.executable, "-c", RUN, "run", *providers, *options)

    told = f"{jar.rpartition('/')[2]} has other content than the lock of com.rabbitmq.jms"
    assert told in " ".join(done.stdout.lines)
    assert done.ret == ExitStatus.COULD_NOT_JUDGE
    judged = {}
    for folder in (tester.path / "results").iterdir():
        (line,) = (json.loads(one) for one in (folder / "verdicts.jsonl").open())
        judged[line["provider"]] = line["verdict"]
        assert line["verdict"] == "CONFORMS" or told in line["reason"]
    assert judged == {"python:try_broken:provider": "INCONCLUSIVE", "memory": "CONFORMS"}


PRIVATE = """
from types import SimpleNamespace

@broker("plain", exclusive=True)
@requirement("TRY-ONE-001")
def test_private(request):
    at_work(request).broker = SimpleNamespace(alive={alive})
    assert [] == [1], "a message is missing"
"""


@pytest.mark.parametrize(
    ("alive", "verdict", "told"),
    [
        (True, "VIOLATES", "a message is missing"),
        (False, "INCONCLUSIVE", "its private broker ended by itself"),
    ],
)
def test_a_private_broker_that_ended_by_itself_accuses_nobody(
    catalogue: Any, alive: bool, verdict: str, told: str
) -> None:
    judged = catalogue.scenarios(PRIVATE.replace("{alive}", str(alive))).judge()

    assert judged.line["verdict"] == verdict
    assert told in judged.line["reason"]


FULL = """
import errno
from touchstone.results.run_folder import RunFolder

@requirement("TRY-ONE-001")
def test_fills_the_disk():
    def full(self, name, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    RunFolder._write = full
    assert [1] == [2]
"""


def test_a_verdict_that_cannot_be_written_is_told(catalogue: Any) -> None:
    judged = catalogue.scenarios(FULL).judge(subprocess=True)

    assert "cannot be written" in judged.output
    told = "judged, but not written: VIOLATES TRY-ONE-001 ones/test_fills_the_disk"
    assert told in judged.output
    assert judged.exit_status == ExitStatus.FAULT
    assert judged.lines == []


REMOVED = """
import shutil

@requirement("TRY-ONE-001")
def test_removes_the_results():
    shutil.rmtree("results")
    assert [1] == [1]
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_a_results_folder_that_is_removed_ends_the_run_in_words(
    catalogue: Any, workers: tuple[str, ...]
) -> None:
    judged = catalogue.scenarios(REMOVED).judge(*workers, subprocess=True)

    assert "cannot be written" in judged.output
    assert "Traceback" not in judged.output
    assert judged.exit_status == ExitStatus.FAULT


def test_a_scenario_whose_process_ended_is_judged_again_once(catalogue: Any) -> None:
    scenarios = """
import os
import signal
from pathlib import Path

@requirement("TRY-ONE-001")
def test_dies_at_first():
    before = Path("tried")
    if not before.exists():
        before.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    assert [1] == [1]

@requirement("TRY-ONE-002")
def test_lives():
    assert [1] == [1]
"""
    judged = catalogue.scenarios(scenarios).judge("-n", "1", "-x", subprocess=True)

    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS", "TRY-ONE-002": "CONFORMS"}
    assert judged.exit_status == ExitStatus.NOTHING_UNEXPECTED
    run = read(judged.folder).run
    [again] = run.judged_again
    assert again.scenario == "ones/test_dies_at_first"
    assert again.reason == "it was ended by SIGKILL; was it killed, or short of memory?"
    assert "crashed while running" in (judged.folder / again.evidence).read_text()
    assert "was judged again by another process" in judged.output
