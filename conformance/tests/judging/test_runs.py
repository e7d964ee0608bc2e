"""Collection, order, workers, interruption and exit statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.thorough

SIX = """
@requirement("TRY-ONE-001")
@pytest.mark.parametrize("value", range(6))
def test_six(value):
    assert value >= 0

@slow
@requirement("TRY-ONE-002")
def test_slow():
    assert True
"""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('@requirement("TRY-ONE-009")\ndef test_a(): assert 1', "judges TRY-ONE-009, which is no"),
        ("def test_a(): assert 1", "ones/test_a judges no requirement"),
        ('@requirement("TRY-ONE-001")\n@needs("luck")\ndef test_a(): assert 1', "no capability"),
        (
            '@requirement("TRY-ONE-001")\ndef test_a(): pytest.skip("no")',
            "pytest.skip in a scenario",
        ),
        ('@pytest.mark.xfail\n@requirement("TRY-ONE-001")\ndef test_a(): assert 0', "pytest.xfail"),
        ("from pytest import skip", "pytest.skip in a scenario"),
        ("from pytest import raises", "pytest.raises in a scenario. It is no check that counts"),
    ],
)
def test_an_unfit_module_is_a_collection_error(catalogue: Any, text: str, complaint: str) -> None:
    judged = catalogue.scenarios(text).judge()
    assert complaint in judged.output
    assert judged.exit_status == 3


def test_a_scenario_id_is_used_once(catalogue: Any) -> None:
    for folder in ("first", "second"):
        (catalogue.package / folder).mkdir()
        (catalogue.package / folder / "__init__.py").touch()
        catalogue.scenarios(SIX, f"{folder}/test_ones")
    judged = catalogue.judge()
    assert "the scenario id ones/test_slow is used twice" in judged.output
    assert judged.exit_status == 3


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--requirement", "TRY-ONE-777"], "There is no requirement 'TRY-ONE-777'"),
        (["--area", "twos"], "There is no area 'twos'"),
        (["--document", "XYZ"], "There is no document 'XYZ'"),
        (["--broker", "telnet://here"], "telnet://here"),
        (["--provider", "memori"], "Did you mean memory?"),
        (["--provider", "memory+mutant:none"], "There is no mutant 'none'"),
        (["--provider", "no provider"], "does not name a provider"),
        (["--token-file", "missing"], "missing"),
        (["--draw", "0"], "--draw 0 leaves no scenario"),
        (["--sample", "-1"], "--sample -1 leaves no scenario"),
        (["--deviations", "missing.toml"], "The deviations file missing.toml does not exist"),
        (["--deviations", "other.toml"], "other.toml: unknown table 'known'"),
        (["--broker", "telnet://here", "-n", "1"], "telnet://here"),
    ],
)
@pytest.mark.parametrize("named", ["try_scenarios", "try_scenarios/test_ones.py"])
def test_what_does_not_exist_is_refused_before_the_collection(
    catalogue: Any, options: list[str], complaint: str, named: str
) -> None:
    here = catalogue.pytester.path
    (here / "other.toml").write_text("known = 1")
    judged = catalogue.scenarios(f"{SIX}\nopen('collected', 'x')").judge(
        *options, "--pyargs", named
    )
    assert judged.output.count(complaint) == 1
    assert judged.exit_status == 3
    assert not (here / "collected").exists()


def test_what_does_not_exist_is_a_fault_where_no_catalogue_is_named(catalogue: Any) -> None:
    judged = catalogue.scenarios(SIX).judge("--broker", "telnet://here", "--pyargs", ".")
    assert "telnet://here" in judged.output
    assert judged.exit_status == 3


def test_the_seed_makes_the_order_and_slow_scenarios_start_first(catalogue: Any) -> None:
    catalogue.scenarios(SIX)
    orders = [
        [line["scenario"] for line in catalogue.judge("--touchstone-seed", seed).lines]
        for seed in ("1", "1", "2")
    ]
    assert orders[0] == orders[1] != orders[2]
    assert {order[0] for order in orders} == {"ones/test_slow"}


def test_a_draw_by_the_seed_takes_so_many_scenarios_that_are_judged(catalogue: Any) -> None:
    catalogue.scenarios(
        SIX
        + """
@portable
@requirement("OTH-ONE-001")
@pytest.mark.parametrize("value", range(20))
def test_elsewhere(value):
    assert 1
"""
    )
    draws = [
        {line["scenario"] for line in catalogue.judge("--draw", "3", "--touchstone-seed", s).lines}
        for s in ("1", "1", "2", "3")
    ]
    assert draws[0] == draws[1]
    assert {len(draw) for draw in draws} == {3}
    assert len(set(map(frozenset, draws))) > 1
    assert not any("elsewhere" in scenario for draw in draws for scenario in draw)


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_half_a_character_in_a_failure_ends_no_worker(
    catalogue: Any, workers: tuple[str, ...]
) -> None:
    judged = catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_odd():
            observe("half", chr(0xdc00))
            observe("now", 1763770000000)
            print("printed", ascii(chr(0xd800)))
            assert chr(0xd800) + "a" == "b", "half of " + chr(0xd800)

        @requirement("TRY-ONE-002")
        def test_next():
            assert 1
        """).judge(*workers, subprocess=bool(workers))
    assert judged.verdicts == {"TRY-ONE-001": "VIOLATES", "TRY-ONE-002": "CONFORMS"}
    odd = next(line for line in judged.lines if line["requirement"] == "TRY-ONE-001")
    assert "half of \\ud800" in odd["reason"]
    assert odd["observables"] == {"half": "\\udc00", "now": 1763770000000}
    assert judged.exit_status == 1


def test_two_workers_judge_what_one_does(catalogue: Any) -> None:
    judged = catalogue.scenarios(SIX).judge("-n", "2", subprocess=True)
    assert len(judged.lines) == 7
    assert {line["worker"] for line in judged.lines} == {"gw0", "gw1"}
    assert judged.exit_status == 0
    assert judged.run["finished"] is not None


def test_faults_reach_the_exit_status_through_workers(catalogue: Any) -> None:
    judged = catalogue.scenarios(SIX).judge("-n", "1", "--provider", "memori", subprocess=True)
    assert "Did you mean memory?" in judged.output
    assert judged.exit_status == 3
    catalogue.scenarios("def test_without_requirement(): assert 1")
    assert catalogue.judge("-n", "1", subprocess=True).exit_status == 3


def test_what_was_judged_before_a_kill_can_be_read(catalogue: Any) -> None:
    catalogue.scenarios("""
        @slow
        @requirement("TRY-ONE-001")
        def test_first():
            assert True

        @requirement("TRY-ONE-002")
        def test_second():
            threading.Event().wait()
        """)
    path = catalogue.pytester.path
    environment = {**os.environ, "PYTHONPATH": str(path)}
    command = [sys.executable, "-m", "pytest", "--provider", "memory", "--pyargs", "try_scenarios"]
    with subprocess.Popen(command, cwd=path, env=environment, stdout=subprocess.DEVNULL) as run:
        part = wait_for(lambda: next((path / "results").glob("*/verdicts.jsonl.part"), None))
        wait_for(lambda: "test_first" in part.read_text())
        run.send_signal(signal.SIGKILL)
    (line,) = map(json.loads, part.read_text().splitlines())
    assert (line["scenario"], line["verdict"]) == ("ones/test_first", "CONFORMS")
    assert json.loads((part.parent / "run.json").read_text())["finished"] is None


WAITING = """
@slow
@requirement("TRY-ONE-001")
def test_first():
    assert [1] == [1]

@requirement("TRY-ONE-002")
def test_second():
    threading.Event().wait()
"""
COMMAND = "from touchstone.cli import main; raise SystemExit(main())"


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
@pytest.mark.parametrize("to", [os.kill, os.killpg], ids=["command", "group"])
def test_a_run_that_is_told_to_end_says_how_far_it_came_and_how_it_goes_on(
    catalogue: Any, workers: tuple[str, ...], to: Callable[[int, int], None]
) -> None:
    catalogue.scenarios(WAITING)
    path = catalogue.pytester.path
    command = [sys.executable, "-c", COMMAND, "run", "--provider", "memory", "--catalogue", "try"]
    with subprocess.Popen(
        [*command, *workers],
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as run:
        part = wait_for(lambda: next((path / "results").glob("*/verdicts.jsonl.part"), None))
        wait_for(lambda: "test_first" in part.read_text())
        to(run.pid, signal.SIGTERM)
        output, _ = run.communicate()  # until the last worker has closed it

    assert run.returncode == 128 + signal.SIGTERM
    assert output.endswith("touchstone: ended by SIGTERM\n")
    told = [line for line in output.splitlines() if line and "nodes" not in line]
    folder = part.parent.relative_to(path)
    assert [line.lstrip(".") for line in told] == [
        "touchstone: 1 of 2 scenarios were judged",
        f"  report: {folder}/report.html",
        f"  to go on: touchstone run --resume {folder}",
        "touchstone: ended by SIGTERM",
    ]
    assert "test_first" in (part.parent / "report.html").read_text()


@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "assert 0"])
def test_a_run_that_is_stopped_stays_unfinished(catalogue: Any, end: str) -> None:
    catalogue.scenarios(f"""
        @slow
        @requirement("TRY-ONE-001")
        def test_first():
            {end}

        @requirement("TRY-ONE-002")
        def test_second():
            assert True
        """)
    judged = catalogue.judge("-x", subprocess=True)
    assert judged.run["finished"] is None
    assert (judged.folder / "verdicts.jsonl.part").exists()
    assert "TRY-ONE-002" not in judged.verdicts
    assert judged.exit_status == (2 if "Keyboard" in end else 1)


def test_other_tests_of_a_run_count_as_ever(catalogue: Any) -> None:
    catalogue.scenarios(SIX)
    catalogue.pytester.makepyfile(test_mine="def test_mine(): assert [1] == [2]")
    judged = catalogue.judge("--pyargs", "try_scenarios", "test_mine.py")
    assert judged.exit_status == 1
    assert "No scenario is running" not in judged.output
    assert len(judged.lines) == 7


def test_without_scenarios_the_plugin_sleeps(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        textwrap.dedent("""
        import sys

        def test_mine():
            assert 1
            packages = {name.partition(".")[0] for name in sys.modules}
            assert not packages & {"pulsar_jms", "jmsapi", "jms_scenarios", "touchstone_reports"}
            loaded = {name for name in sys.modules if name.startswith("touchstone")}
            own = {"touchstone", "touchstone.pytest_plugin", "touchstone.run_options"}
            assert loaded <= own
        """)
    )
    assert pytester.runpytest_subprocess("-p", "no:cacheprovider").ret == 0
    assert pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n", "1").ret == 0
    assert not (pytester.path / "results").exists()


def wait_for(condition: Any, within: float = 120.0) -> Any:
    """The first truthy value of `condition`."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError("not in time")


STARTS = """
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.starts import note

@requirement("TRY-ONE-001")
def test_a_private_broker():
    note(BrokerAddress("echo://127.0.0.1:7", "", "plain", "embedded", "", "echo"), 1.4)
    assert [1] == [1]
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_a_run_says_which_brokers_were_started_for_it(
    catalogue: Any, workers: tuple[str, ...]
) -> None:
    catalogue.scenarios(STARTS)
    path = catalogue.pytester.path
    command = [sys.executable, "-c", COMMAND, "run", "--provider", "memory", "--catalogue", "try"]

    done = subprocess.run(
        [*command, *workers],
        cwd=path, env={**os.environ, "PYTHONPATH": str(path)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip

    assert done.stdout.splitlines()[-1] == "1 broker start (1 echo plain): 1 s, 0 s of CPU"


def test_a_run_records_the_options_that_it_took_from_a_file(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            assert [1] == [1]
        """)
    path = catalogue.pytester.path
    defaults = 'provider = "memory"\nseed = 4711\nresults-dir = "mine"\n'
    (path / "touchstone.toml").write_text(defaults)
    (path / "evil.py").write_text("raise SystemExit('the folder was obeyed')")
    (path / "pytest.ini").write_text("[pytest]\naddopts = -p evil\n")

    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "run", "--catalogue", "try"],
        cwd=path, env={**os.environ, "PYTHONPATH": str(path)}, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "defaults from touchstone.toml: results-dir, provider, seed" in done.stderr.splitlines()
    [folder] = (path / "mine").iterdir()
    facts = json.loads((folder / "run.json").read_text())
    assert facts["seed"] == 4711
    assert facts["providers"][0]["name"] == "memory"
    assert "--touchstone-seed=4711" in facts["command"]
