"""Two runs against each other: which change is of which kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from touchstone_reports.comparison import ChangeKind, RunComparison, compare
from touchstone_reports.records import ResultsError
from touchstone_reports.results import read

Record = dict[str, Any]
SCENARIO = "properties/test_int_property_is_decimal_text"


@pytest.fixture
def compared(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> Callable[..., RunComparison]:
    """`compared(before, after)`: two runs with one judgement each, given as changes, or None.

    `older` and further arguments are facts of the two runs.
    """

    def compared(
        before: Record | None, after: Record | None, older: Record | None = None, **newer: Any
    ) -> RunComparison:
        folders = []
        for name, changes, facts in (("old@1", before, older or {}), ("old@2", after, newer)):
            lines = [] if changes is None else [verdict(provider=name, **changes)]
            provider = [{"name": name, "version": name[-1], "documents": ["SLJ"]}]
            folders.append(write_run(tmp_path / name, lines, id=name, providers=provider, **facts))
        return compare(read(folders[0]), read(folders[1]))

    return compared


V = {"verdict": "VIOLATES"}
D = {"verdict": "DEVIATES-AS-DOCUMENTED"}
C = {"verdict": "CONFORMS"}
U = {"verdict": "INCONCLUSIVE"}
N = {"verdict": "NOT-APPLICABLE"}
VS, DS, CS = ({**changes, "by_chance": True} for changes in (V, D, C))
"""The same where a deviation is known that happens only sometimes."""


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (C, V, ChangeKind.REGRESSION),
        (C, D, ChangeKind.REGRESSION),
        (D, V, ChangeKind.REGRESSION),
        (U, V, ChangeKind.FOUND),
        (C, U, ChangeKind.UNKNOWN),
        (V, U, ChangeKind.UNKNOWN),
        (V, {**V, "reason": "of another kind"}, ChangeKind.OTHERWISE),
        (C, None, ChangeKind.GONE),
        (V, N, ChangeKind.GONE),
        (None, V, ChangeKind.FOUND),
        (N, V, ChangeKind.FOUND),
        (None, D, ChangeKind.DIFFERS),
        (None, U, ChangeKind.OPEN),
        (N, C, ChangeKind.NEW),
        (U, C, ChangeKind.KNOWN),
        (U, D, ChangeKind.KNOWN),
        (V, D, ChangeKind.IMPROVEMENT),
        (V, C, ChangeKind.IMPROVEMENT),
        (D, C, ChangeKind.IMPROVEMENT),
        (CS, DS, ChangeKind.CHANCE),
        (DS, CS, ChangeKind.CHANCE),
        (C, DS, ChangeKind.REGRESSION),
        (CS, D, ChangeKind.REGRESSION),
        (DS, C, ChangeKind.IMPROVEMENT),
        (CS, VS, ChangeKind.REGRESSION),
        (DS, VS, ChangeKind.REGRESSION),
        (VS, DS, ChangeKind.IMPROVEMENT),
        (CS, U, ChangeKind.UNKNOWN),
    ],
)
def test_each_change_has_its_kind(
    compared: Callable[..., RunComparison],
    before: Record | None,
    after: Record | None,
    kind: ChangeKind,
) -> None:
    comparison = compared(before, after)
    assert [change.kind for change in comparison.changes] == [kind]
    assert comparison.same == 0


@pytest.mark.parametrize(
    ("selection", "kind"),
    [
        (None, ChangeKind.GONE),
        ({"narrowed_by": [], "scenarios": []}, ChangeKind.GONE),
        ({"narrowed_by": ["-k x"], "scenarios": []}, ChangeKind.NOT_ASKED),
        ({"narrowed_by": ["-k x"], "scenarios": [SCENARIO]}, ChangeKind.GONE),
    ],
)
def test_only_a_selection_that_left_it_out_excuses_what_is_not_judged(
    compared: Callable[..., RunComparison], selection: Record | None, kind: ChangeKind
) -> None:
    facts = {} if selection is None else {"selection": selection}
    assert [change.kind for change in compared(V, None, **facts).changes] == [kind]


def test_only_what_is_newly_stale_is_told(compared: Callable[..., RunComparison]) -> None:
    assert compared(C, C, stale=["one", "two"]).stale == ("one", "two")
    assert compared(C, C, older={"stale": ["one"]}, stale=["one", "two"]).stale == ("two",)
    assert compared(C, C, older={"stale": ["one"]}).stale == ()


@pytest.mark.parametrize("facts", [V, D, C, U])
def test_what_is_as_it_was_is_counted(
    compared: Callable[..., RunComparison], facts: Record
) -> None:
    comparison = compared(facts, facts)
    assert (comparison.changes, comparison.same) == ((), 1)


@pytest.mark.parametrize(("before", "after"), [(N, N), (None, None), (N, None)])
def test_what_does_not_concern_the_client_is_not_compared(
    compared: Callable[..., RunComparison], before: Record | None, after: Record | None
) -> None:
    comparison = compared(before, after)
    assert (comparison.changes, comparison.same) == ((), 0)


def test_observed_values_that_differ_are_there(compared: Callable[..., RunComparison]) -> None:
    comparison = compared(
        {"observables": {"order": [1, 2], "count": 1}},
        {"observables": {"order": [2, 1], "count": 1}},
    )
    assert [(observation.name, observation.values) for observation in comparison.observed] == [
        ("order", ("[1, 2]", "[2, 1]"))
    ]


def test_a_run_of_several_providers_is_refused(
    tmp_path: Path, verdict: Callable[..., Record], write_run: Callable[..., Path]
) -> None:
    several = [{"name": name, "version": "1", "documents": ["SLJ"]} for name in ("a", "b")]
    run = read(write_run(tmp_path / "run", [verdict(provider="a")], providers=several))
    with pytest.raises(ResultsError, match="has 2 providers"):
        compare(run, run)


def test_what_a_user_suffers_is_no_change_where_an_older_run_did_not_say_it(
    compared: Callable[..., RunComparison],
) -> None:
    known = {"class": "known-defect", "reason": "it is one"}
    before = {**D, "deviation": known}

    assert compared(before, {**D, "deviation": {**known, "effect": "loss"}}).changes == ()
    other = {**D, "deviation": {**known, "reason": "it is another"}}
    assert [change.kind for change in compared(before, other).changes] == [ChangeKind.OTHERWISE]
