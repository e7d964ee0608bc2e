"""What the screening remembers while rows stream by, against what plain Python remembers."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jms_histories.kernels.arrays import segments
from jms_histories.kernels.arrays.groups import Groups
from jms_histories.kernels.arrays.highest import Highest
from jms_histories.kernels.arrays.sought import Sought, rows_with
from jms_histories.kernels.screening.block_bits import BLOCK, BlockBits, count_marks, positions
from jms_histories.kernels.screening.suspects import Membership, Uids
from jms_histories.kernels.statistics import HistoryStatistics, redelivery_statistics
from jms_histories.kernels.summaries import Histogram, TimeSeries, lower_bounds
from kernels.words import FEW, WORDS, ints

UIDS = st.builds(
    lambda producer, block, low: producer << 40 | block << 16 | low,
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(0, 3) | st.integers(0, BLOCK - 1),
)


@given(st.lists(st.lists(st.tuples(st.integers(0, 3), FEW), max_size=12), max_size=5))
def test_rows_below_the_largest_before_them(batches: list[list[tuple[int, int]]]) -> None:
    """The largest earlier value of each number, its least and largest, in any batches."""
    highest, seen = Highest(), defaultdict[int, list[int]](list)
    for batch in batches:
        expected, new = [], 0
        for row, (number, value) in enumerate(batch):
            if value == -(1 << 63):
                continue
            earlier = seen[number]
            new += not earlier
            if earlier and value < max(earlier):
                expected.append((row, max(earlier)))
            earlier.append(value)
        kept = [row for row, (_, value) in enumerate(batch) if value != -(1 << 63)]
        if not kept:
            continue
        numbers = np.array([batch[row][0] for row in kept], np.int32)
        groups = Groups.of(numbers)
        of_groups = numbers[groups.rows]
        rows, largest, fresh = highest.feed(
            groups, of_groups, ints([batch[row][1] for row in kept])
        )
        assert [(kept[row], most) for row, most in zip(rows, largest, strict=True)] == expected
        assert fresh == new
    least, largest = highest.ranges(4)
    for number, values in seen.items():
        if values:
            assert (least[number], largest[number]) == (min(values), max(values))


@given(st.lists(st.lists(st.tuples(UIDS, st.integers(0, 2)), max_size=15), max_size=5))
def test_marks_and_what_was_marked_before(batches: list[list[tuple[int, int]]]) -> None:
    """Each mark is a bit, and a message marked twice is told, across batches as well."""
    bits, seen = BlockBits(), Counter[tuple[int, int]]()
    told: set[tuple[int, int]] = set()
    for batch in batches:
        seen.update(batch)
        uids, lanes = ints([uid for uid, _ in batch]), ints([lane for _, lane in batch])
        told |= {batch[row] for row in bits.add(uids, lanes).tolist()}
    blocks = list(bits.blocks())
    uids_marked = [
        (uid, block.lane) for block in blocks for uid in positions(block.number, block.bits)
    ]
    assert sorted(uids_marked) == sorted(seen)
    assert sum(count_marks(block.bits) for block in blocks) == len(seen)
    assert told == {pair for pair, many in seen.items() if many > 1}


def test_more_blocks_than_are_kept_as_counters() -> None:
    """Blocks that were put away are taken up again, with their marks."""
    bits = BlockBits()
    uids = np.arange(0, 1000 * BLOCK, BLOCK, dtype=np.int64)
    lanes = np.zeros(1000, np.int64)
    assert not len(bits.add(uids, lanes))
    assert not len(bits.add(uids + 1, lanes))
    assert bits.add(uids, lanes).tolist() == list(range(1000))
    assert sum(count_marks(block.bits) for block in bits.blocks()) == 2000


@pytest.mark.parametrize("many", range(1, 40))
def test_a_batch_uses_all_places_that_there_are_and_one_more(many: int) -> None:
    """Blocks that are in use keep their counters, however many come in at once."""
    bits = BlockBits()
    uids = np.arange(0, (many + 1) * BLOCK, BLOCK, dtype=np.int64)
    lanes = np.zeros(many + 1, np.int64)
    assert not len(bits.add(uids[:many], lanes[:many]))
    assert not len(bits.add(uids + 1, lanes))
    assert bits.add(uids, lanes).tolist() == list(range(many))
    assert sum(count_marks(block.bits) for block in bits.blocks()) == 2 * many + 2


@pytest.mark.parametrize("many", [5, 16, 40, 255])
@pytest.mark.parametrize("later", [0, 7, 8, 9, 30])
def test_blocks_that_were_idle_come_again_with_more(many: int, later: int) -> None:
    """Those that are in use keep their counters, however long they had not been."""
    bits = BlockBits()
    uids = np.arange(0, (many + 6) * BLOCK, BLOCK, dtype=np.int64)
    lanes = np.zeros(len(uids), np.int64)
    assert not len(bits.add(uids[:many], lanes[:many]))
    for again in range(later):
        assert len(bits.add(uids[:1], lanes[:1])), again
    assert not len(bits.add(uids + 1, lanes))
    assert bits.add(uids, lanes).tolist() == list(range(many))
    assert sum(count_marks(block.bits) for block in bits.blocks()) == 2 * len(uids)


def test_a_block_that_alone_was_idle_is_kept_where_it_is_in_use() -> None:
    """There is no other place for the block that comes with it."""
    bits = BlockBits()
    uids, lanes = np.arange(0, 17 * BLOCK, BLOCK, dtype=np.int64), np.zeros(17, np.int64)
    bits.add(uids[:16], lanes[:16])
    for _ in range(10):
        bits.add(uids[1:16], lanes[1:16])
    both = uids[[0, 16]]
    assert not len(bits.add(both + 1, lanes[:2]))
    assert bits.add(both, lanes[:2]).tolist() == [0]
    reached = [
        uid for block in bits.blocks() for uid in positions(block.number, block.bits).tolist()
    ]
    assert reached == sorted([*uids.tolist(), *(both + 1).tolist()])


@given(st.lists(st.tuples(st.integers(0, 3 * BLOCK), st.lists(st.booleans(), max_size=20))))
def test_runs_are_marked_as_rows_are(runs: list[tuple[int, list[bool]]]) -> None:
    bits, seen = BlockBits(), set[int]()
    for first, mask in runs:
        if not mask:
            continue
        mine = {first + place for place, chosen in enumerate(mask) if chosen}
        assert bits.add_run(first, np.array(mask, np.bool_), 3) == bool(mine & seen)
        seen |= mine
    uids = [uid for block in bits.blocks() for uid in positions(block.number, block.bits)]
    assert sorted(uids) == sorted(seen)


@given(st.lists(st.lists(UIDS, max_size=8), max_size=4), st.lists(UIDS | WORDS, max_size=20))
def test_membership(parts: list[list[int]], asked: list[int]) -> None:
    """A set of messages gathered in parts answers for any message."""
    uids = Uids()
    for part in parts:
        uids.add(ints(part))
    members = {uid for part in parts for uid in part}
    assert uids.distinct().tolist() == sorted(members)
    chosen = Membership(uids.distinct()).rows(ints(asked)).tolist()
    assert chosen == [row for row, uid in enumerate(asked) if uid in members]


NUMBERS = st.builds(lambda high, low: high << 40 | low, st.integers(-3, 3), st.integers(0, 9))


@given(st.lists(NUMBERS, max_size=8), st.lists(NUMBERS, max_size=20), NUMBERS, NUMBERS)
def test_values_that_are_sought(wanted: list[int], asked: list[int], some: int, other: int) -> None:
    """Values whose low bits are equal are told apart; a range without any is known as such."""
    least, largest = sorted((some, other))
    inside = any(least <= value <= largest for value in wanted)
    sought = Sought(ints(wanted))
    assert sought.rows(ints(asked)).tolist() == [
        i for i, value in enumerate(asked) if value in wanted
    ]
    assert sought.may_contain(least, largest) == inside
    assert Membership(ints(wanted)).may_contain(least, largest) >= inside
    assert not Membership(ints(wanted)).may_contain(least + (9 << 40), largest + (9 << 40))
    columns = {"a": ints(asked), "b": ints(asked)[::-1]}
    both = [i for i in range(len(asked)) if asked[i] in wanted or asked[-1 - i] in wanted]
    assert rows_with({"a": sought, "b": sought}, columns).tolist() == both
    assert rows_with({}, columns).tolist() == []


VALUES = st.lists(st.integers(-5, 1 << 45), max_size=12)


@given(VALUES, VALUES)
def test_histograms_are_precise_and_add_up(some: list[int], others: list[int]) -> None:
    """A quantile is less than 0.8 % below the value; merging is counting together."""
    parts = [Histogram(), Histogram()]
    for part, values in zip(parts, (some, others), strict=True):
        part.add(ints(values))
    parts[0].merge(parts[1])
    every = sorted(some + others)
    assert parts[0].count == len(every)
    assert parts[0].most == (max(*every, 0) if every else -1)
    for probability in (0.0, 0.5, 0.999):
        if not every:
            assert parts[0].quantile(probability) == -1
            continue
        value = max(every[min(int(probability * len(every)), len(every) - 1)], 0)
        # a 32-bit float rounds by less than one part in 2^24
        assert value * (1 - 0.008) - 1 <= parts[0].quantile(probability) <= value * (1 + 2**-23)
    assert sum(count for _, count in parts[0].sparse()) == len(every)


def test_bins_are_narrow() -> None:
    bounds = lower_bounds(np.arange(0x3F80, 0x5F00))
    steps = np.diff(bounds)
    assert (steps >= 0).all()
    assert (steps <= np.maximum(bounds[:-1] * 0.008, 1)).all()


TIMES = st.lists(st.integers(0, 1 << 44), max_size=10)


@given(st.lists(TIMES, max_size=4), st.integers(20, 45))
def test_series_do_not_depend_on_how_times_come(parts: list[list[int]], bits: int) -> None:
    """All at once, in parts, or merged: the same steps with the same counts."""
    whole, fed, merged = TimeSeries(), TimeSeries(), TimeSeries()
    whole.add(ints([time for part in parts for time in part]))
    for part in parts:
        fed.add(ints(part))
        of_part = TimeSeries()
        of_part.add(ints(part))
        merged.merge(of_part)
    for series in (fed, merged):
        assert (series.bits, series.first) == (whole.bits, whole.first)
        assert series.counts.tolist() == whole.counts.tolist()
    coarse = whole.coarsened(bits)
    counted = Counter(time >> coarse.bits for part in parts for time in part)
    assert {
        coarse.first + step: count for step, count in enumerate(coarse.counts.tolist()) if count
    } == counted
    assert len(whole.counts) <= 4096


@given(st.lists(st.integers(0, 1 << 24), min_size=1, max_size=60), st.booleans())
def test_series_of_times_in_order(times: list[int], ordered: bool) -> None:
    """Whether steps are looked for or each time is counted: many times in few steps."""
    times = [time + (1 << 40) for time in (sorted(times) if ordered else times)]
    series = TimeSeries()
    for _ in range(2):
        series.add(np.repeat(ints(times), 5))
    counted = Counter(time >> series.bits for time in times)
    assert {
        series.first + step: count for step, count in enumerate(series.counts.tolist()) if count
    } == {step: 10 * count for step, count in counted.items()}


@given(
    st.lists(st.integers(0, 30), max_size=4, unique=True),
    st.lists(st.lists(st.integers(0, 30), max_size=5), max_size=4),
)
def test_the_first_delivery_after_each_fault(ends: list[int], parts: list[list[int]]) -> None:
    statistics = HistoryStatistics()
    for part in parts:
        statistics.after_faults(ints(sorted(ends)), ints(part))
    every = [time for part in parts for time in part]
    for end in ends:
        first = min((time for time in every if time >= end), default=segments.GREATEST)
        assert statistics.next_delivery.get(end, segments.GREATEST) == first


ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),  # uid
        st.integers(-2, 1),  # sub
        st.integers(0, 2),  # t_enter
        st.integers(3, 4),  # priority
        st.integers(0, 6),  # settle
    ),
    max_size=12,
)


@settings(max_examples=100)
@given(ROWS)
def test_how_often_messages_were_delivered(rows: list[tuple[int, int, int, int, int]]) -> None:
    """Deliveries of each message and subscription, ranked; causes are those of the row before."""
    names = ("uid", "sub", "t_enter", "priority", "settle")
    columns = {name: np.array([row[at] for row in rows], np.int64) for at, name in enumerate(names)}
    columns |= {"session": np.zeros(len(rows), np.int64), "ridx": np.arange(len(rows))}
    pairs = defaultdict[tuple[int, int], list[tuple[int, int, int, int]]](list)
    for at, (uid, sub, t_enter, priority, settle) in enumerate(rows):
        if sub >= 0:
            pairs[uid, sub].append((t_enter, at, priority, settle))
    counts = redelivery_statistics(columns)
    expected = Counter((sub, min(mine)[2], len(mine)) for (_, sub), mine in pairs.items())
    assert counts.delivery_counts == expected
    assert counts.causes == Counter(
        (row[3],) for mine in pairs.values() for row in sorted(mine)[:-1]
    )
    again = HistoryStatistics.unpack(counts.pack())
    again.merge(HistoryStatistics())
    assert again.delivery_counts == counts.delivery_counts
    assert again.redelivered_messages == len({uid for (uid, _), m in pairs.items() if len(m) > 1})
