"""Who runs what: the longest begin first, and no long one waits behind another."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from touchstone.catalogue import load_library
from touchstone.catalogue.scenarios import collect_scenarios
from touchstone.judging.distribution import LONG, next_one
from touchstone.judging.durations import estimated, known_durations

SECONDS = st.lists(st.sampled_from([0.0, 0.2, 0.9, 1.0, 5.0, 60.0]), min_size=2, max_size=20)


@given(SECONDS)
def test_whoever_is_free_gets_the_longest_that_is_left(seconds: list[float]) -> None:
    chosen = seconds[next_one(range(len(seconds)), None, seconds.__getitem__)]
    assert chosen == max(seconds) or max(seconds) < LONG


@given(SECONDS)
def test_a_long_one_has_a_short_one_behind_it_while_there_is_any(seconds: list[float]) -> None:
    chosen = seconds[next_one(range(1, len(seconds)), 0, [60.0, *seconds[1:]].__getitem__)]
    assert chosen < LONG or chosen == min(seconds[1:])


def test_private_brokers_are_handed_on() -> None:
    seconds = [60.0, 0.1, 5.0, 9.0, 7.0, 8.0]
    private = ["plain", None, "plain", "limits", "plain", None]

    def behind(ahead: int | None, *pending: int) -> int:
        return next_one(pending, ahead, seconds.__getitem__, private.__getitem__)

    assert behind(0, 1, 2, 3, 4, 5) == 4
    assert behind(0, 1, 2, 3, 5) == 2
    assert behind(0, 1, 3, 5) == 1
    assert behind(3, 1, 2, 4, 5) == 1
    assert behind(None, 1, 2, 3, 4, 5) == 3


def test_short_ones_keep_their_order() -> None:
    seconds = [0.1, 0.3, 0.9, 0.2]
    assert next_one([2, 0, 1, 3], None, seconds.__getitem__) == 2
    assert next_one([0, 3], 2, seconds.__getitem__) == 0


def test_the_estimate_names_scenarios_that_there_are_and_take_long() -> None:
    library = load_library()
    there = {scenario.id for scenario in collect_scenarios(library)}
    found = estimated(library)
    assert found
    assert [name for name in found if name not in there] == []
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert min(found.values()) >= LONG


def test_what_a_provider_took_in_its_last_runs_counts_more_than_the_estimate(
    tmp_path: Path,
) -> None:
    library = load_library()
    first, second = list(estimated(library))[:2]
    runs: dict[str, list[dict[str, object]]] = {
        "20260101T000000-mine": [{"scenario": first, "duration": 3.0}],
        "20260102T000000-mine": [{"scenario": first, "duration": 4.0}, {"torn": "line"}],
        "20260103T000000-another": [{"scenario": first, "duration": 9.0}],
    }
    for run, lines in runs.items():
        (tmp_path / run).mkdir()
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (tmp_path / run / "verdicts.jsonl").write_text(text)
    known = known_durations(library, tmp_path, "mine")
    assert known[second] == estimated(library)[second]
    assert estimated(library)[first] == known_durations(library, tmp_path, "nobody")[first]
    assert known[first] == 3.0
