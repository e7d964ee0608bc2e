"""What becomes of a generated change: who judges it, what counts, and what ends a run."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from jms_brokers.machine.polling import until
from jms_clients.mutants.changes.changes import Change
from jms_clients.mutants.changes.reference import ReferenceSources
from touchstone.cli import main
from touchstone.commands.changes import choose, drawn_sample
from touchstone.commands.run import arguments_of_pytest, command
from touchstone.judging.changes import changed_reference
from touchstone.judging.changes.reach import Reach, Reached
from touchstone.judging.changes.runs import ChangeRuns
from touchstone.judging.changes.score import by_area, score, with_arguments
from touchstone.judging.changes.task import ChangeTask, ScenarioResult, read_told
from touchstone.judging.changes.verdicts import ChangeFate, Judged, judge
from touchstone.judging.changes.verdicts import reached as is_reached
from touchstone.judging.warm_pytest import warm_pytest

pytestmark = pytest.mark.thorough

CHANGE = Change("pulsar_jms.consuming.consumer", "Consumer.receive", "flag", 1, 10)
POINT = (CHANGE.module, CHANGE.line)
ID = "JMS-ONE-001"


def reached(seconds: float, verdict: str = "CONFORMS", file: str = "a.py") -> Reached:
    return Reached(file, seconds, {ID: verdict}, frozenset({POINT}))


@dataclass
class Answers:
    """In place of runs: the verdicts that scenarios give, and which were asked."""

    verdicts: dict[str, str]
    asked: list[str] = field(default_factory=list)

    def run(self, task: ChangeTask, files: Iterable[str], longest: float) -> list[ScenarioResult]:
        told = []
        for scenario in task.scenarios:
            if scenario not in self.verdicts:  # the run was ended
                break
            self.asked.append(scenario)
            told.append(ScenarioResult(scenario, "a.py", 0.1, {ID: self.verdicts[scenario]}, "why"))
            if told[-1].verdicts[ID] == "VIOLATES" and (scenario, ID) not in task.known:
                break
        return told


def fate(
    scenarios: dict[str, Reached], verdicts: dict[str, str], budget: float = 100.0
) -> tuple[Judged, list[str]]:
    answers = Answers(verdicts)
    reach = Reach("reference", {}, scenarios)
    runs = {"reference": cast("ChangeRuns", answers)}
    return judge(CHANGE, [reach], runs, budget), answers.asked


def test_the_cheapest_judge_first_until_one_notices() -> None:
    scenarios = {"c": reached(3.0), "a": reached(1.0), "b": reached(2.0)}
    judged, asked = fate(scenarios, {"a": "CONFORMS", "b": "VIOLATES", "c": "VIOLATES"})
    assert (judged.fate, judged.noticed_by, judged.scenarios) == (ChangeFate.NOTICED, "b", 2)
    assert asked == ["a", "b"]


def test_what_cannot_judge_notices_nothing() -> None:
    judged, asked = fate(
        {"a": reached(1.0), "b": reached(2.0)}, {"a": "INCONCLUSIVE", "b": "NOT-APPLICABLE"}
    )
    assert (judged.fate, judged.ended, asked) == (ChangeFate.SURVIVED, False, ["a", "b"])


def test_what_the_right_reference_violates_notices_nothing() -> None:
    scenario = Reached("a.py", 1.0, {ID: "VIOLATES", "JMS-ONE-002": "CONFORMS"}, frozenset({POINT}))
    judged, _ = fate({"a": scenario}, {"a": "VIOLATES"})
    assert judged.fate is ChangeFate.SURVIVED


def test_a_run_that_was_ended_is_told_apart() -> None:
    judged, _ = fate({"a": reached(1.0), "b": reached(2.0)}, {"a": "CONFORMS"})
    assert (judged.fate, judged.ended, judged.scenarios) == (ChangeFate.SURVIVED, True, 1)


def test_no_more_is_asked_than_the_budget_allows() -> None:
    scenarios = {f"s{n:02}": reached(1.0 + n / 100) for n in range(40)}
    judged, asked = fate(scenarios, dict.fromkeys(scenarios, "CONFORMS"), budget=10.0)
    assert (judged.fate, asked) == (ChangeFate.SURVIVED, sorted(scenarios)[:9])


def test_what_nobody_reaches_is_told_so() -> None:
    other = replace(reached(1.0), points=frozenset({(CHANGE.module, CHANGE.line + 1)}))
    assert fate({"a": other}, {"a": "VIOLATES"})[0].fate is ChangeFate.UNREACHED
    assert fate({"a": reached(1.0, "INCONCLUSIVE")}, {})[0].fate is ChangeFate.UNREACHED


def test_the_second_provider_is_needed_where_the_first_reaches_nothing() -> None:
    first = Reach("reference", {}, {"a": reached(1.0)})
    other = replace(CHANGE, line=CHANGE.line + 1)
    assert is_reached(CHANGE, [first])
    assert not is_reached(other, [first])
    assert not is_reached(CHANGE, [])


def test_a_score_counts_what_is_reached_and_not_argued() -> None:
    others = [replace(CHANGE, ordinal=number) for number in range(2, 6)]
    fates = [ChangeFate.NOTICED, ChangeFate.SURVIVED, ChangeFate.SURVIVED, ChangeFate.UNREACHED]
    judged = [Judged(change, one) for change, one in zip(others, fates, strict=True)]
    told = with_arguments(judged, {others[1]: "nobody sees it", others[0]: "noticed all the same"})
    assert [one.fate for one in told] == [
        ChangeFate.NOTICED,
        ChangeFate.ARGUED,
        ChangeFate.SURVIVED,
        ChangeFate.UNREACHED,
    ]
    assert score(told).share == 0.5
    assert by_area(told).keys() == {"pulsar_jms.consuming"}
    assert score([]).share is None


def test_reach_is_kept_and_measured_again_where_files_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from touchstone.judging.changes.reach import kept

    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    reach = kept("reference/amq")
    assert reach.missing({"a.py": "1", "b.py": "2"}) == ["a.py", "b.py"]
    reach.learn("a.py", "1", [ScenarioResult("a", "a.py", 1.5, {ID: "CONFORMS"}, "", (POINT,))])
    reach.keep()
    again = kept("reference/amq")
    assert again == reach
    assert again.missing({"a.py": "1", "b.py": "2"}) == ["b.py"]
    assert again.reaching(POINT) == ["a"]
    again.learn("a.py", "3", [])
    assert again.reaching(POINT) == []


def test_a_sample_is_the_same_for_a_commit_and_another_for_another() -> None:
    everything = [replace(CHANGE, ordinal=number) for number in range(100)]
    one = drawn_sample(everything, 10, "abc")
    assert one == drawn_sample(everything, 10, "abc") != drawn_sample(everything, 10, "abd")
    assert len(one) == 10
    assert drawn_sample(everything, 1_000, "abc") == everything


def test_everything_is_chosen_unless_told_otherwise() -> None:
    reference = ReferenceSources({"m": "def f(a):\n    return a < 1\n"}, {"m": Path("m.py")})
    assert choose(reference, None, []) == list(reference.changes.values())
    [one] = choose(reference, None, ["m:f:comparison-boundary:1"])
    assert one.operator == "comparison-boundary"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--sample", "0"], "--sample 0 leaves nothing"),
        (["--change", "a"], "--change is of generated changes"),
        (["--generated", "--area", "properties"], "--area is of wrong clients that were written"),
        (["--generated", "--whole"], "--whole is of wrong clients that were written"),
        (["--generated", "--sample", "0"], "--sample 0 leaves nothing"),
        (["--generated", "--sample", "1", "--change", "a"], "Either --sample or --change"),
        (["--generated", "--change", "m:f:flag:1"], "The reference has no change 'm:f:flag:1'"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", *options]) == 3
    assert told in capsys.readouterr().err


TESTS = """
import os, signal, subprocess, sys
from pathlib import Path

from jvm_runtime.child import spawn

def test_hangs(tmp_path):
    child = spawn(["sleep", "600"], folder=tmp_path, log=tmp_path / "log", environment=os.environ)
    Path(os.environ["CHILD"]).write_text(str(child.pid))
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 120
    os.kill(os.getpid(), signal.SIGALRM)  # as the timer does: nobody has to wait for it
    signal.pause()

def test_eats_memory():
    held = []
    while True:
        held.append(bytearray(2**28))

def test_is_fine():
    assert True
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux ends children")
def test_what_hangs_or_eats_memory_is_ended_with_its_children(tmp_path: Path) -> None:
    module, child = tmp_path / "test_some.py", tmp_path / "child"
    module.write_text(TESTS)
    plugin = ["-p", changed_reference.NAME]
    [first, *_] = ReferenceSources.installed().changes

    def run(name: str, seconds: float) -> int:
        task, told = tmp_path / "task.json", tmp_path / "told"
        ChangeTask(str(told), seconds, first).write(task)
        options = [*plugin, changed_reference.OPTION, str(task), "-k", name]
        status = warm.run(arguments_of_pytest([str(module)], options), tmp_path / "printed")
        assert read_told(told) == []
        return status

    line = command([str(module)], plugin)
    with warm_pytest(line, {**os.environ, "CHILD": str(child)}, tmp_path / "log") as warm:
        assert run("test_hangs", 120.0) == -signal.SIGALRM
        until(lambda: not Path(f"/proc/{child.read_text()}").exists(), 60.0)
        assert run("test_eats_memory", 120.0) == 1
        assert "MemoryError" in (tmp_path / "printed").read_text()
        assert run("test_is_fine", 120.0) == 0
