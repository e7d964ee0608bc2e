"""Layout "bucket": every row once, all rows of a message in one bucket, in order."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histories.history_samples import RUN, deliveries, sends, write
from jms_histories.checks.small_history import DeliveryRow, SendRow
from jms_histories.columns import Columns
from jms_histories.errors import HistoryError
from jms_histories.history.bucket import BUCKET_ROWS, bucket, bucket_of, buckets_for
from jms_histories.history.reader import open_history
from jms_histories.history.rows import read_rows
from jms_histories.history.writer import HistoryWriter

UIDS = st.builds(
    lambda producer, block, low: producer << 40 | block << 16 | low,
    st.integers(1, 5),
    st.integers(0, 40),
    st.integers(0, 3),
)


def rows(columns: Columns) -> list[tuple[object, ...]]:
    return list(zip(*(values.tolist() for values in columns.values()), strict=True))


@settings(max_examples=25, deadline=None)
@given(
    sent=st.sets(UIDS, max_size=30),
    delivered=st.lists(st.tuples(st.one_of(UIDS, st.just(-1)), st.integers(0, 9)), max_size=30),
    power=st.integers(0, 4),
    chunk=st.integers(1, 20),
)
def test_buckets_hold_every_row_once_and_in_order(
    sent: set[int],
    delivered: list[tuple[int, int]],
    power: int,
    chunk: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.getbasetemp() / "bucketed"
    shutil.rmtree(folder, ignore_errors=True)
    buckets = 2**power
    write(
        folder / "h",
        sends(*(SendRow(uid=uid) for uid in sorted(sent))),
        deliveries(
            *(
                DeliveryRow(1, ridx, 1, 0, uid=uid, t_enter=ridx // 2, t_exit=99)
                for ridx, (uid, _) in enumerate(delivered)
            )
        ),
    )
    manifest = bucket(folder / "h", folder / "b", buckets, chunk_rows=chunk)
    old, new = open_history(folder / "h"), open_history(folder / "b")
    assert (manifest.buckets, manifest.run) == (buckets, RUN)
    assert manifest.layout == {"send": "bucket", "delivery": "bucket"}
    assert sorted(rows(new.all_sends())) == sorted(rows(old.all_sends()))
    assert sorted(rows(new.all_deliveries())) == sorted(rows(old.all_deliveries()))
    for table, order in (("send", ("uid",)), ("delivery", ("uid", "t_enter"))):
        for file in manifest.of(table):
            assert len(new.groups[file.path]) == buckets
            for number in range(buckets):
                sums = file.checksums.of((number,))
                for batch in read_rows(new.location, file.path, sums, order):
                    bucketed = rows(batch)
                    assert bucketed == sorted(bucketed)
                    assert {bucket_of_one(row[0], buckets) for row in bucketed} <= {number}


def bucket_of_one(uid: object, buckets: int) -> int:
    """The rule of the design, in plain numbers."""
    assert isinstance(uid, int)
    return ((uid >> 14) * 0x9E3779B97F4A7C15 % 2**64) * buckets >> 64


@given(st.lists(st.integers(-1, 2**62), max_size=20), st.integers(0, 20))
def test_the_bucket_of_any_number_is_that_of_the_rule(uids: list[int], power: int) -> None:
    numbers = bucket_of(np.array(uids, np.int64), 2**power)
    assert numbers.tolist() == [bucket_of_one(uid, 2**power) for uid in uids]


@pytest.mark.parametrize(
    ("producers", "each"), [(1, 4_000_000), (8, 500_000), (1000, 4_000), (20_000, 200)]
)
@pytest.mark.parametrize("buckets", [2, 16, 64])
def test_the_largest_bucket_is_hardly_larger_than_the_others(
    producers: int, each: int, buckets: int
) -> None:
    """What a task holds is bounded by the number of buckets, whoever has sent the messages."""
    first = np.arange(1, producers + 1)[:, None] << 40
    counts = np.bincount(bucket_of((first + np.arange(each)).ravel(), buckets))
    assert len(counts) == buckets
    assert counts.max() < 2 * counts.mean()


def test_there_are_as_many_buckets_as_rows_need() -> None:
    assert [buckets_for(count) for count in (0, 1, BUCKET_ROWS, BUCKET_ROWS + 1)] == [1, 1, 1, 2]
    assert buckets_for(100_000_000) == 128


def test_small_tables_and_limits_are_taken_over(tmp_path: Path) -> None:
    with HistoryWriter(tmp_path / "h", run=RUN) as writer:
        writer.table(
            "session",
            {
                "session": np.array([4], np.int32),
                "t": np.array([5]),
                "event": np.array([0], np.int8),
                "arg": np.array([-1], np.int32),
            },
        )
        old = writer.finish(
            epsilon=1, priority_slack=2, checks=("D01",), truncated={3: 4}, settings={"seed": 5}
        )
    new = bucket(tmp_path / "h", tmp_path / "b")
    for name in ("epsilon", "priority_slack", "checks", "truncated", "settings", "names"):
        assert getattr(new, name) == getattr(old, name)
    assert open_history(tmp_path / "b").spec.events["t"].tolist() == [5]
    assert new.buckets == 1


@pytest.mark.parametrize("buckets", [0, -2, 3, 12])
def test_a_number_of_buckets_that_is_no_power_of_two_is_refused(
    buckets: int, tmp_path: Path
) -> None:
    write(tmp_path / "h", sends(SendRow(uid=1)), deliveries())
    with pytest.raises(HistoryError, match=f"^{buckets} is not a possible number of buckets"):
        bucket(tmp_path / "h", tmp_path / "b", buckets)
    assert not (tmp_path / "b").exists()


def test_nothing_is_written_over_and_nothing_unfinished_is_left(tmp_path: Path) -> None:
    write(tmp_path / "h", sends(SendRow(uid=1), SendRow(uid=1)), deliveries())
    with pytest.raises(HistoryError, match="h is there already"):
        bucket(tmp_path / "h", tmp_path / "h", 2)
    with pytest.raises(HistoryError, match="twice"):
        bucket(tmp_path / "h", tmp_path / "b", 2)
    assert [path.name for path in tmp_path.iterdir()] == ["h"]
