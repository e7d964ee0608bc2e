"""`touchstone prove`: how far a wrong client's run goes, and what counts as noticed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import pytest

from jms_brokers.shared.settings import BrokerSettings
from jms_clients.mutants import noticing
from jms_clients.mutants.registry import all_mutants, mutant
from touchstone.catalogue import load_library
from touchstone.catalogue.scenarios import collect_scenarios
from touchstone.cli import main
from touchstone.commands import changes, prove
from touchstone.judging.controller_brokers import BrokersOfSome
from touchstone.judging.proof import Notice, Proof, parts_of_control

ANY = "redelivered-false"
"""A wrong client that each scenario of its ids may notice."""
CERTAIN = "hands-out-one-in-fifty-twice"
"""A wrong client that certain scenarios have to notice in each of its ids."""
CERTAIN_OF_ONE = "unreadable-messages-end-listeners"
"""One that certain scenarios have to notice in its only id."""


Answer = tuple[tuple[Notice, ...], str, str]
"""What noticed a wrong client, what is wrong with that, and what was printed."""


class Runs:
    """Answers in place of runs of scenarios, and what was asked for."""

    def __init__(self, *answers: Answer, right: Mapping[tuple[str, str], str] = {}) -> None:
        """`right`: why the right client does not pass a scenario for a requirement."""
        self.answers = list(answers)
        self.right = right
        self.controlled: list[Notice] = []
        self.first_only: list[bool] = []
        self.drawn: list[bool] = []
        self.hunted: list[float] = []
        self.asked: list[list[str]] = []
        self.files: list[str] = []

    def __call__(
        self, warm: object, wrong: object, files: Sequence[str], options: Sequence[str], *_: object
    ) -> Answer:
        self.files = list(files)
        self.first_only.append("--exitfirst" in options)
        self.drawn.append("--drawn" in options)
        self.asked.append([b for a, b in pairwise(options) if a == "--scenario"])
        seconds = [float(b) for a, b in pairwise(options) if a == "--touchstone-hunt"]
        self.hunted.append(sum(seconds))
        return self.answers.pop(0)

    def control(
        self,
        warm: object,
        provider: str,
        notices: Sequence[Notice],
        options: Sequence[str],
        *_: object,
    ) -> Mapping[tuple[str, str], str]:
        assert provider == "reference"
        self.drawn.append("--drawn" in options)
        self.controlled += notices
        return self.right


def replaced(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, known: Mapping[str, Sequence[str]] = {}
) -> None:
    """Nothing is run, so nothing is collected; `known`: what noticed wrong clients before."""
    monkeypatch.setattr(prove, "noticing_scenarios", lambda: known)
    monkeypatch.setattr(prove, "_judge_wrong_client", runs)
    monkeypatch.setattr(prove, "_control", runs.control)
    monkeypatch.setattr(prove, "_warm_process", lambda *_: nullcontext())


def noticed(*requirements: str) -> tuple[Notice, ...]:
    """A scenario for each, as if it had noticed."""
    return tuple(Notice(id_, f"ones/test_{id_}", "assert 1 == 2") for id_ in requirements)


def proof(
    runs: Runs, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    *more: str, known: Sequence[str] = (),
) -> tuple[int, dict[str, object]]:  # fmt: skip
    replaced(runs, monkeypatch, {name: known})
    code = main(["prove", "--mutant", name, "--json", *more])
    [told] = json.loads(capsys.readouterr().out)["proofs"]
    return code, told


def test_a_run_ends_at_the_first_scenario_that_notices(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = mutant(ANY).violates[:1]
    runs = Runs((noticed(*first), "", ""))
    code, told = proof(runs, ANY, monkeypatch, capsys)
    assert (code, told["noticed_by"], told["problem"]) == (0, list(first), None)
    assert told["notices"] == [
        {"requirement": first[0], "scenario": f"ones/test_{first[0]}", "reason": "assert 1 == 2"}
    ]
    assert runs.controlled == list(noticed(*first))
    assert runs.first_only == [True]
    assert runs.files
    assert all(Path(file).name.startswith("test_") for file in runs.files)


@pytest.mark.parametrize(
    ("clients_of_a_broker", "runs"), [(2, [None]), (1, [1, prove.AT_ONCE])], ids=["few", "many"]
)
def test_what_controls_a_few_wrong_clients_has_their_brokers(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    clients_of_a_broker: int,
    runs: list[int | None],
) -> None:
    sets = []

    class Noted(BrokersOfSome):
        def __init__(self, settings: BrokerSettings, folder: Path, runs: int | None) -> None:
            sets.append(runs)
            super().__init__(settings, folder, runs)

    monkeypatch.setattr(prove, "CLIENTS_OF_A_BROKER", clients_of_a_broker)
    monkeypatch.setattr(prove, "BrokersOfSome", Noted)
    notices = tuple(
        Notice(id_, f"ones/test_{number}", "assert 1 == 2")
        for id_ in mutant(ANY).violates
        for number in range(prove.AT_ONCE)
    )
    assert proof(Runs((notices, "", "")), ANY, monkeypatch, capsys)[0] == 0
    assert sets == runs


def test_where_the_first_failure_says_nothing_the_whole_decides(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(((), "not noticed: {}", "the first"), ((), "not noticed: {}", "the whole"))
    code, told = proof(runs, ANY, monkeypatch, capsys)
    assert (code, told["problem"]) == (1, "not noticed: {}")
    assert runs.first_only == [True, False]


@pytest.mark.parametrize(("verdict", "again", "code"), [("INCONCLUSIVE", 1, 0), ("CONFORMS", 0, 1)])
def test_what_nothing_can_be_said_of_is_judged_once_more_alone(
    verdict: str, again: int, code: int,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    unnoticed = (), f'not noticed: {{"{mutant(ANY).violates[0]}": "{verdict}"}}', ""
    runs = Runs(unnoticed, unnoticed, (noticed(*mutant(ANY).violates), "", ""))
    assert proof(runs, ANY, monkeypatch, capsys)[0] == code
    assert runs.first_only == [True, False, *[True] * again]


@pytest.mark.parametrize("name", [ANY, CERTAIN])
def test_what_noticed_it_before_is_asked_first(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = ["ones/test_b", "ones/test_a"]
    runs = Runs((noticed(*mutant(name).violates), "", ""))
    assert proof(runs, name, monkeypatch, capsys, known=known)[0] == 0
    assert (runs.asked, runs.first_only) == ([known], [False])


@pytest.mark.parametrize(("name", "first_only"), [(ANY, [False, True]), (CERTAIN, [False, False])])
def test_where_what_noticed_it_before_does_not_all_are_asked(
    name: str, first_only: list[bool],
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    runs = Runs(((), "not noticed: {}", ""), (noticed(*mutant(name).violates), "", ""))
    assert proof(runs, name, monkeypatch, capsys, known=["ones/test_a"])[0] == 0
    assert (runs.asked, runs.first_only) == ([["ones/test_a"], []], first_only)


def test_what_noticed_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "noticing.json"
    kept.write_text(json.dumps({"gone": ["ones/test_x"], CERTAIN: ["ones/test_y"]}))
    monkeypatch.setattr(noticing, "_file", lambda package: kept)
    id_ = mutant(ANY).violates[0]
    notices = (Notice(id_, "ones/test_first", ""), Notice(id_, "ones/test_second", ""))
    assert proof(Runs((notices, "", "")), ANY, monkeypatch, capsys, "--keep")[0] == 0
    assert json.loads(kept.read_text()) == {CERTAIN: ["ones/test_y"], ANY: ["ones/test_first"]}

    runs = Runs(((), "not noticed: {}", ""), ((), "not noticed: {}", ""))
    assert proof(runs, ANY, monkeypatch, capsys, "--keep")[0] == 1
    assert json.loads(kept.read_text())[ANY] == ["ones/test_first"]


def test_what_is_asked_first_is_there() -> None:
    """A scenario that was given another name would be asked for in vain each time."""
    scenarios = {scenario.id for scenario in collect_scenarios(load_library())}
    kept = noticing.noticing_scenarios()
    assert {name for names in kept.values() for name in names} <= scenarios
    assert kept.keys() <= all_mutants().keys()


def test_the_whole_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs((noticed(*mutant(ANY).violates), "", ""))
    assert proof(runs, ANY, monkeypatch, capsys, "--whole")[0] == 0
    assert runs.first_only == [False]


@pytest.mark.parametrize("more", [(), ("--drawn",)], ids=["scenarios", "drawn"])
def test_drawn_programs_judge_wrong_and_right_ones_where_asked_for(
    more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs((noticed(*mutant(ANY).violates), "", ""))
    assert proof(runs, ANY, monkeypatch, capsys, *more)[0] == 0
    assert runs.drawn == [bool(more)] * 2


@pytest.mark.parametrize(("found", "code"), [(True, 0), (False, 1)])
def test_who_is_not_noticed_is_hunted_where_asked_for(
    found: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unnoticed: Answer = ((), "not noticed: {}", "")
    last = (noticed(*mutant(ANY).violates), "", "") if found else unnoticed
    runs = Runs(unnoticed, unnoticed, last)
    status, data = proof(runs, ANY, monkeypatch, capsys, "--hunt", "1")
    assert (data["hunted"], bool(data["noticed_by"]), status) == (True, found, code)
    hunters = runs.asked[-1]
    assert [runs.asked[0], runs.asked[1]] == [[], []]
    drawing = {each.id for each in collect_scenarios(load_library()) if each.is_drawn}
    assert hunters
    assert set(hunters) <= drawing
    assert runs.hunted == [0, 0, 60 / len(hunters)]


def test_who_is_noticed_is_not_hunted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs((noticed(*mutant(ANY).violates[:1]), "", ""))
    status, data = proof(runs, ANY, monkeypatch, capsys, "--hunt", "1")
    assert (data["hunted"], status, runs.hunted) == (False, 0, [0])


def test_certain_scenarios_of_one_id_end_at_the_first_that_notices(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mutant(CERTAIN_OF_ONE).scenarios
    runs = Runs((noticed(*mutant(CERTAIN_OF_ONE).violates), "", ""))
    assert proof(runs, CERTAIN_OF_ONE, monkeypatch, capsys)[0] == 0
    assert runs.first_only == [True]


def test_certain_scenarios_of_several_ids_run_to_their_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mutant(CERTAIN).scenarios
    assert len(mutant(CERTAIN).violates) > 1
    runs = Runs((noticed(*mutant(CERTAIN).violates), "", ""))
    assert proof(runs, CERTAIN, monkeypatch, capsys)[0] == 0
    assert runs.first_only == [False]


def test_what_the_run_of_an_unnoticed_one_printed_comes_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = "\n".join(f"line {number}" for number in range(100))
    runs = Runs(((), "nothing was judged", ""), ((), "nothing was judged", printed))
    replaced(runs, monkeypatch)
    assert main(["prove", "--mutant", ANY]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"\n{ANY}: nothing was judged\n")
    assert told.endswith(f"  line 98\n  line 99\n\nNot noticed: {ANY}\n")
    assert told.count("  line ") == prove.LINES_KEPT


def test_what_the_right_client_does_not_pass_has_noticed_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = mutant(ANY).violates[0]
    right = {(f"ones/test_{id_}", id_): "VIOLATES: 20.2 ms instead of 10"}
    code, told = proof(Runs((noticed(id_), "", ""), right=right), ANY, monkeypatch, capsys)
    assert (code, told["noticed_by"]) == (1, [])
    assert told["problem"] == (
        f"the right client does not pass ones/test_{id_} either: VIOLATES: 20.2 ms instead of 10"
    )


def test_one_scenario_that_the_right_client_passes_is_enough() -> None:
    wrong = mutant(ANY)
    both = (Notice(wrong.violates[0], "ones/a", ""), Notice(wrong.violates[0], "ones/b", ""))
    held = Proof(wrong, both, "", 1.0).controlled({("ones/a", wrong.violates[0]): "VIOLATES: slow"})
    assert (held.problem, held.notices) == ("", both[1:])


def test_certain_scenarios_have_to_hold_for_each_id() -> None:
    wrong = mutant(CERTAIN)
    all_of_them = noticed(*wrong.violates)
    lost = all_of_them[-1]
    why = {(lost.scenario, lost.requirement): "INCONCLUSIVE: no broker"}
    void = Proof(wrong, all_of_them, "", 1.0).controlled(why)
    assert void.problem.endswith(f"{lost.scenario} either: INCONCLUSIVE: no broker")


def test_the_control_asks_for_each_scenario_once_in_parts_of_like_size() -> None:
    wrong = mutant(ANY)
    notices = noticed(*"abcde")
    proofs = [Proof(wrong, notices[:3], "", 1.0), Proof(wrong, notices[1:], "", 1.0)]
    parts = parts_of_control(proofs, 2)
    assert [provider for provider, _ in parts] == ["reference", "reference"]
    assert [part for _, part in parts] == [notices[::2], notices[1::2]]


def test_a_sample_of_the_wrong_clients_is_drawn_by_the_commit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def judged(commit: str) -> list[str]:
        monkeypatch.setattr(changes, "commit", lambda: commit)
        replaced(Runs(*[(noticed(), "", "")] * 5), monkeypatch)
        main(["prove", "--area", "selectors", "--at-once", "1", "--sample", "5", "--json"])
        proofs = json.loads(capsys.readouterr().out)["proofs"]
        return [entry["mutant"] for entry in proofs]

    first = judged("abc")

    assert len(set(first)) == 5
    assert all(mutant(name).area == "selectors" for name in first)
    assert judged("abc") == first != judged("abd")
