"""Histories on disk: what is written is read, in whatever parts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histories.history_samples import DELIVERED, RUN, SENT, deliveries, sends, write
from jms_histories.checks.small_history import DeliveryRow, SendRow
from jms_histories.columns import Columns, length, take
from jms_histories.errors import HistoryError
from jms_histories.history.manifest import ConsumerPlace, read_manifest
from jms_histories.history.reader import empty_table, open_history, read_spec
from jms_histories.history.schema import TABLES
from jms_histories.history.writer import HistoryWriter, TableWriter


def equal(left: Columns, other: Columns) -> bool:
    return list(left) == list(other) and all(
        left[name].dtype == other[name].dtype and np.array_equal(left[name], other[name])
        for name in left
    )


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return write(tmp_path / "history", SENT, DELIVERED, row_group=4)


def any_numbers(table: str, rows: int, seed: int) -> Columns:
    random = np.random.default_rng(seed)
    return {
        name: random.integers(0, 2, rows).astype(bool)
        if values.dtype == bool
        else random.integers(
            np.iinfo(values.dtype).min,
            np.iinfo(values.dtype).max,
            rows,
            values.dtype,
            endpoint=True,
        )
        for name, values in empty_table(table).items()
    }


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=15)
@given(
    rows=st.integers(0, 12),
    seed=st.integers(0, 2**32),
    row_group=st.integers(1, 5),
    cuts=st.lists(st.integers(0, 12), max_size=3),
)
def test_any_numbers_come_back_in_order_and_type(
    table: str,
    rows: int,
    seed: int,
    row_group: int,
    cuts: list[int],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Also through row groups and writes of any size; unchecked, so as to take any number."""
    folder = tmp_path_factory.getbasetemp()
    written = any_numbers(table, rows, seed)
    writer = TableWriter(folder, "any.parquet", table, run=RUN, row_group=row_group)
    bounds = [0, *sorted(min(cut, rows) for cut in cuts), rows]
    for start, end in pairwise(bounds):
        writer.write(take(written, slice(start, end)))
    file = writer.close()
    assert file.rows == rows
    if "uid" in written and rows:
        assert (file.uid_first, file.uid_last) == (min(written["uid"]), max(written["uid"]))
    read = pq.read_table(folder / "any.parquet")
    assert read.schema.equals(TABLES[table])
    assert all(np.array_equal(read[name].to_numpy(), written[name]) for name in written)


@settings(max_examples=25)
@given(
    rows=st.integers(0, 30),
    row_group=st.integers(1, 9),
    batch=st.integers(1, 9),
    piece=st.integers(1, 12),
)
def test_parts_and_batches_of_any_size_give_the_same_rows(
    rows: int,
    row_group: int,
    batch: int,
    piece: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    sent = sends(*(SendRow(uid=1 << 40 | seq, t_inv=seq) for seq in range(rows)))
    delivered = deliveries(
        *(DeliveryRow(2, i, 1, 0, uid=i, t_enter=i, t_exit=i) for i in range(rows))
    )
    folder = write(tmp_path_factory.mktemp("h") / "h", sent, delivered, row_group=row_group)
    opened = open_history(str(folder))
    assert equal(opened.all_sends(), sent)
    assert equal(opened.all_deliveries(), delivered)
    parts = opened.parts("delivery", rows=piece)
    assert sum(part.rows for part in parts) == rows
    assert all(part.rows <= max(piece, row_group) for part in parts)
    batches = [read for part in parts for read in part.read(("ridx", "uid"), batch_rows=batch)]
    assert all(set(read) == {"ridx", "uid"} and length(read) <= batch for read in batches)
    assert [int(i) for read in batches for i in read["ridx"]] == list(range(rows))


def test_the_small_tables_and_limits_come_back(tmp_path: Path) -> None:
    with HistoryWriter(tmp_path / "h", run=RUN) as writer:
        events: Columns = {
            "session": np.array([1, -1], np.int32),
            "t": np.array([5, 6]),
            "event": np.array([0, 6], np.int8),
            "arg": np.array([-1, 2], np.int32),
        }
        writer.table("session", events)
        written = writer.finish(
            epsilon=3,
            priority_slack=4,
            checks=("D01", "D05"),
            consumers=(ConsumerPlace(7, 1, 0),),
            truncated={9: 100},
            names={"dest": {"0": "orders"}},
            settings={"provider": "reference"},
            clock_offsets={"host": -5},
        )
    assert read_manifest(tmp_path / "h") == written
    spec = read_spec(tmp_path / "h")
    assert equal(spec.events, events)
    assert equal(spec.subscriptions, empty_table("subscription"))
    assert {name: values.tolist() for name, values in spec.consumers.items()} == {
        "consumer": [7],
        "session": [1],
        "sub": [0],
    }
    assert (spec.epsilon, spec.priority_slack, dict(spec.truncated)) == (3, 4, {9: 100})


def test_a_history_without_deliveries_is_one(tmp_path: Path) -> None:
    with HistoryWriter(tmp_path / "none", run=RUN) as writer:
        writer.finish(epsilon=0, priority_slack=0, checks=())
    for folder in (
        tmp_path / "none",
        write(tmp_path / "empty", empty_table("send"), empty_table("delivery")),
    ):
        opened = open_history(folder)
        assert equal(opened.all_deliveries(), empty_table("delivery"))
        assert equal(opened.all_sends(("uid",)), empty_table("send", ("uid",)))
        assert list(opened.deliveries()) == []


def test_a_history_is_read_by_its_url(history: Path) -> None:
    opened = open_history(history.as_uri())
    assert equal(opened.all_deliveries(), DELIVERED)
    assert length(opened.spec.events) == 0
    with pytest.raises(HistoryError, match="is no place that can be read"):
        open_history("nowhere://bucket/history")


def test_a_writer_that_does_not_finish_leaves_no_history(tmp_path: Path) -> None:
    folder = tmp_path / "h"
    with HistoryWriter(folder, run=RUN) as writer:
        writer.sends().write(SENT)
    with pytest.raises(HistoryError, match=r"manifest.json cannot be read"):
        open_history(folder)
    with pytest.raises(HistoryError, match="holds a history, or an unfinished one, already"):
        HistoryWriter(folder, run=RUN)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"uid": None}, "lacks the columns uid"),
        ({"extra": SENT["uid"]}, "has unknown columns extra"),
        ({"key": np.zeros(3, np.int32)}, "different lengths"),
        ({"priority": np.full(10, 200)}, "column priority of table send"),
        ({"t_inv": np.full(10, 0.5)}, "column t_inv of table send"),
    ],
    ids=["missing", "unknown", "shorter", "out of range", "no integer"],
)
def test_columns_that_do_not_fit_are_refused(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    changed = {name: values for name, values in (SENT | change).items() if values is not None}
    with HistoryWriter(tmp_path / "h", run=RUN) as writer:
        table = writer.sends()
        with pytest.raises(HistoryError, match=said):
            table.write_group(changed)


def test_a_folder_that_cannot_be_written_to_is_told() -> None:
    with pytest.raises(HistoryError, match="/proc/none cannot be written"):
        HistoryWriter(Path("/proc/none"), run=RUN)


def test_an_unknown_compression_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="snappy is not a compression"):
        TableWriter(tmp_path, "a.parquet", "send", run=RUN, compression="snappy")
