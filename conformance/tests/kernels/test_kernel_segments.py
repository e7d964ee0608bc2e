"""The pieces of the kernels, beside the obvious loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from jms_histories.columns import Columns, HistoryTables, Ints
from jms_histories.kernels.arrays import segments
from jms_histories.kernels.arrays.timelines import Timeline
from jms_histories.kernels.predicates.fault_windows import fault_windows
from jms_histories.kernels.predicates.groups import Epochs
from jms_histories.kernels.predicates.subscriptions import Subscriptions
from jms_histories.values import Event

LIMITS = st.one_of(
    st.integers(-3, 3), st.sampled_from([segments.LEAST + 1, segments.GREATEST, 1 << 62])
)
ROWS = st.lists(st.tuples(st.integers(0, 3), LIMITS), max_size=40)


def ints(values: list[int]) -> Ints:
    return np.array(values, np.int64)


KEYS = st.tuples(
    st.integers(0, 1),
    st.sampled_from([-128, -1, 0, 127]),
    st.sampled_from([segments.LEAST, -1, 0, 1, 1 << 61, 1 << 62]),
)


@settings(max_examples=200)
@given(st.lists(KEYS, max_size=12), st.integers(1, 3))
@example([(0, 0, 0), (0, 0, 1 << 62), (1, 0, 0)], 3)
@example([(0, 127, 0), (1, -128, 0)], 2)
def test_rows_in_the_order_of_their_keys(drawn: list[tuple[int, int, int]], width: int) -> None:
    """Whatever fits into a word, a sign apart, and what is one bit too wide."""
    kinds = (np.bool_, np.int8, np.int64)[-width:]
    rows = [row[-width:] for row in drawn]
    keys = [np.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds)]
    assert segments.order_by(*keys).tolist() == sorted(range(len(rows)), key=rows.__getitem__)


@settings(max_examples=200)
@given(ROWS)
def test_running_values_look_at_the_segment_only(rows: list[tuple[int, int]]) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    group, value = ints([g for g, _ in rows]), ints([v for _, v in rows])
    first = segments.begins(group)
    before = [[v for h, v in rows[:i] if h == g] for i, (g, _) in enumerate(rows)]

    assert segments.max_before(value, first).tolist() == [
        max(values, default=segments.LEAST) for values in before
    ]
    assert segments.min_before(value, first).tolist() == [
        min(values, default=segments.GREATEST) for values in before
    ]
    assert segments.running_max(value, first).tolist() == [
        max([*values, v]) for values, (_, v) in zip(before, rows, strict=True)
    ]
    assert segments.ranks(first).tolist() == [len(values) + 1 for values in before]
    chosen = value > 0
    assert segments.count_before(chosen, first).tolist() == [
        sum(v > 0 for v in values) for values in before
    ]


@given(st.lists(LIMITS, max_size=6))
def test_values_in_their_order(values: list[int]) -> None:
    highest = segments.highest(ints(values))
    assert highest.tolist() == [max(values[: at + 1]) for at in range(len(values))]
    assert segments.ascending(ints(values)) == (values == sorted(values))
    assert segments.alike(ints(values)) == (len(set(values)) == 1)


@settings(max_examples=100)
@given(ROWS)
def test_segments_are_summed_up(rows: list[tuple[int, int]]) -> None:
    rows = sorted((group, value % 1000) for group, value in rows)
    group, value = ints([g for g, _ in rows]), ints([v for _, v in rows])
    first = segments.begins(group)
    parts = [[v for h, v in rows if h == g] for g in sorted({g for g, _ in rows})]

    assert segments.sums(value, first).tolist() == [sum(part) for part in parts]
    assert segments.least(value, first).tolist() == [min(part) for part in parts]
    assert segments.largest(value, first).tolist() == [max(part) for part in parts]
    assert segments.sizes(first).tolist() == [len(part) for part in parts]
    assert value[segments.lasts(first)].tolist() == [part[-1] for part in parts]


def test_a_segment_longer_than_a_word_has_bits_for() -> None:
    values = ints([segments.GREATEST, *range(1000), segments.LEAST, 5])
    first = segments.begins(ints([0] * 1 + [1] * 1002))
    assert segments.running_max(values, first)[1:].tolist() == [*range(1000), 999, 999]


@settings(max_examples=100)
@given(st.lists(st.integers(-5, 5)), st.lists(st.integers(-6, 6)))
def test_values_are_found(values: list[int], wanted: list[int]) -> None:
    ascending = sorted(set(values))
    assert segments.find(ints(ascending), ints(wanted)).tolist() == [
        ascending.index(value) if value in ascending else -1 for value in wanted
    ]
    assert segments.among(ints(sorted(values)), ints(wanted)).tolist() == [
        value in values for value in wanted
    ]


PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=12)


@settings(max_examples=300)
@given(PLACES, PLACES)
def test_a_timeline_answers_for_each_group(
    events: list[tuple[int, int]], places: list[tuple[int, int]]
) -> None:
    line = Timeline.of(ints([g for g, _ in events]), ints([t for _, t in events]))
    groups, times = ints([g for g, _ in places]), ints([t for _, t in places])
    until, since = line.until(groups, times), line.since(groups, times)
    for (group, time), before, following, at, expected in zip(
        places, line.time(until, groups), line.time(since, groups), until, since, strict=True
    ):
        own = sorted(t for g, t in events if g == group)
        assert before == min((t for t in own if t > time), default=segments.GREATEST)
        assert following == min((t for t in own if t >= time), default=segments.GREATEST)
        assert at - expected == own.count(time)


def events(*rows: tuple[int, int, Event, int]) -> Columns:
    """Rows of (session, t, event, arg)."""
    columns = list(zip(*rows, strict=True)) or [()] * 4
    kinds = (np.int32, np.int64, np.int8, np.int32)
    return {
        name: np.array(values, kind)
        for name, values, kind in zip(("session", "t", "event", "arg"), columns, kinds, strict=True)
    }


FAULTS = st.lists(
    st.tuples(
        st.just(-1),
        st.integers(0, 8),
        st.sampled_from([Event.FAULT_BEGIN, Event.FAULT_END, Event.START]),
        st.integers(0, 1),
    ),
    max_size=8,
)


@settings(max_examples=300)
@given(FAULTS, st.lists(st.tuples(st.integers(-1, 9), st.integers(-1, 9)), max_size=10))
def test_fault_windows(
    rows: list[tuple[int, int, Event, int]], intervals: list[tuple[int, int]]
) -> None:
    windows = []
    in_time = sorted(rows, key=lambda row: row[1])
    for i, (_, t, event, kind) in enumerate(in_time):
        if event == Event.FAULT_BEGIN:
            ends = [row[1] for row in in_time[i:] if row[2] == Event.FAULT_END and row[3] == kind]
            windows.append((t, ends[0] if ends else segments.GREATEST))
    met = fault_windows(events(*rows)).meet(
        ints([since for since, _ in intervals]), ints([until for _, until in intervals])
    )
    assert met.tolist() == [
        any(begin <= until and since <= end for begin, end in windows) for since, until in intervals
    ]


def test_a_subscription_that_is_not_in_the_table() -> None:
    for far in (2, 1 << 30):
        table = {"sub": np.array([far, 0]), "dest": np.array([7, 8]), "bit": np.array([1, 2])}
        subscriptions = Subscriptions.of(table)
        subs = np.array([0, far, 1, -1, -5, far + 1, (1 << 31) - 1])
        assert subscriptions.column("bit", subs).tolist() == [2, 1, -1, -1, -1, -1, -1]
        assert subscriptions.column("dest", subs).tolist() == [8, 7, 0, 0, 0, 0, 0]
    none = Subscriptions.of({"sub": np.array([], np.int32), "bit": np.array([], np.int32)})
    assert none.column("bit", np.array([0, -1, 3])).tolist() == [-1, -1, -1]


def test_epochs_follow_members_and_faults() -> None:
    spec = HistoryTables(
        subscriptions={"sub": np.array([0, 1, 2]), "grouped": np.array([True, False, True])},
        events=events(
            (1, 10, Event.CONSUMER_OPEN, 5),
            (1, 10, Event.CONSUMER_OPEN, 5),
            (9, 11, Event.CONSUMER_OPEN, 77),
            (-1, 20, Event.FAULT_BEGIN, 0),
            (2, 30, Event.KILLED, -1),
            (1, 35, Event.START, -1),
            (1, 40, Event.CLOSE, -1),
        ),
        consumers={
            "consumer": np.array([5, 6, 7, 8]),
            "session": np.array([1, 1, 2, 2]),
            "sub": np.array([0, 0, 2, 1]),
        },
        epsilon=0,
        priority_slack=0,
    )
    epochs = Epochs.of(spec)
    times = np.array([9, 10, 19, 20, 29, 30, 39, 40])
    of_first = np.zeros(8, np.int32)

    def passed(subs: NDArray[Any]) -> list[int]:
        """How many events are between the epoch of the first message and that of each."""
        first, *others = epochs.number(subs, times).tolist()
        return [0, *(other - first for other in others)]

    assert passed(of_first) == [0, 2, 2, 3, 3, 3, 3, 4]
    assert epochs.end(of_first, times)[:-1].tolist() == [10, 20, 20, 40, 40, 40, 40]
    assert epochs.end(of_first, times)[-1] == segments.GREATEST
    for low in range(len(times)):
        for high in range(low + 1, len(times) + 1):
            some = slice(low, high)
            for subs in (of_first[some], of_first[some] + np.arange(high - low) % 3):
                both = epochs.number_and_end(subs, times[some])
                expected = epochs.number(subs, times[some]), epochs.end(subs, times[some])
                for left, other in zip(both, expected, strict=True):
                    assert (left == other).all()
    assert passed(of_first + 2) == [0, 0, 0, 1, 1, 2, 2, 2]
    assert passed(of_first + 1) == [0] * 8
    nobody = {name: values[:0] for name, values in spec.events.items()}
    quiet = Epochs.of(HistoryTables(spec.subscriptions, nobody, spec.consumers, 0, 0))
    assert set(quiet.number(of_first, times).tolist()) == {0}
    assert quiet.end(of_first, times).tolist() == [segments.GREATEST] * 8
