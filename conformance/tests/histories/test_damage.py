"""What is damaged in a history is refused by its name, and what nobody can have recorded."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from histories.history_samples import DELIVERED, SENT, write
from jms_histories.columns import Columns, length, take
from jms_histories.errors import HistoryError
from jms_histories.history.checksums import checksums_of
from jms_histories.history.location import Location
from jms_histories.history.manifest import NAME
from jms_histories.history.reader import open_history
from jms_histories.history.rows import read_rows
from jms_histories.history.writer import HistoryWriter


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return write(tmp_path / "history", SENT, DELIVERED, row_group=4)


def everything(folder: Path, batch_rows: int = 10) -> None:
    """Open a history and read all its rows."""
    opened = open_history(folder)
    for table, batches in (
        ("send", opened.sends(batch_rows=batch_rows)),
        ("delivery", opened.deliveries(batch_rows=batch_rows)),
    ):
        assert sum(length(batch) for batch in batches) == opened.rows(table)


SEND, DELIVERY = "send/00000.parquet", "delivery/00000.parquet"


def rewritten(path: str, change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    """Other rows or columns, and a manifest whose checksums fit them."""

    def damage(folder: Path) -> None:
        table = pq.read_table(folder / path)
        pq.write_table(change(table), folder / path)
        forge(folder, lambda values: None)

    return damage


def forge(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """A manifest of another content, whose checksums fit itself and the files that are there."""
    values = json.loads((folder / NAME).read_text())
    for file in values["files"]:
        if (folder / file["path"]).exists():
            sums = asdict(checksums_of(folder / file["path"]))
            file["checksums"] = sums
    change(values)
    values = json.loads(json.dumps(values))
    values.pop("crc32")
    values["crc32"] = f"{crc32(json.dumps(values, sort_keys=True).encode()):08x}"
    (folder / NAME).write_text(json.dumps(values))


def manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    return lambda folder: forge(folder, change)


def cut_off(folder: Path) -> None:
    data = (folder / DELIVERY).read_bytes()
    (folder / DELIVERY).write_bytes(data[: len(data) - 10])


def half(folder: Path) -> None:
    data = (folder / DELIVERY).read_bytes()
    (folder / DELIVERY).write_bytes(data[: len(data) // 2])


def nothing(folder: Path) -> None:
    (folder / DELIVERY).write_bytes(b"")


def wrong_bit(folder: Path) -> None:
    with pq.ParquetFile(folder / DELIVERY) as file:
        chunk = file.metadata.row_group(1).column(4)
    data = bytearray((folder / DELIVERY).read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size - 1] ^= 0x10
    (folder / DELIVERY).write_bytes(data)


def mixed_runs(folder: Path) -> None:
    other = folder.with_name("other")
    with HistoryWriter(other, run="run-2") as writer:
        writer.deliveries().write(DELIVERED)
        writer.finish(epsilon=0, priority_slack=0, checks=())
    shutil.copy(other / DELIVERY, folder / DELIVERY)
    forge(folder, lambda values: None)


def retyped(table: pa.Table) -> pa.Table:
    at = table.schema.get_field_index("key")
    return table.set_column(
        at, pa.field("key", pa.int64(), nullable=False), table["key"].cast("i8")
    )


def folder_in_place_of(path: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / path).unlink()
        (folder / path).mkdir()

    return damage


def file_in_place_of_folder(folder: Path) -> None:
    shutil.rmtree(folder / "delivery")
    (folder / "delivery").write_text("")


def pipe_in_place_of_file(folder: Path) -> None:
    (folder / SEND).unlink()
    os.mkfifo(folder / SEND)


def changed_by_hand(folder: Path) -> None:
    text = (folder / NAME).read_text()
    (folder / NAME).write_text(text.replace('"epsilon": 0', '"epsilon": 9'))


def other_column_sums(folder: Path) -> None:
    forge(folder, lambda v: v["files"][0]["checksums"]["groups"].update({1: "00"}))


def with_nulls(table: pa.Table) -> pa.Table:
    fields = [field.with_nullable(True) for field in table.schema]
    return table.cast(pa.schema(fields, metadata=table.schema.metadata))


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (lambda f: (f / NAME).unlink(), "manifest.json cannot be read"),
    "manifest a folder": (folder_in_place_of(NAME), "manifest.json cannot be read"),
    "no text": (lambda f: (f / NAME).write_bytes(b"\xff\xfe"), "is not text"),
    "no JSON": (lambda f: f.joinpath(NAME).write_text("{"), "is not the manifest"),
    "nested": (lambda f: f.joinpath(NAME).write_text("[" * 100_000), "nested too deep"),
    "a list": (lambda f: f.joinpath(NAME).write_text("[]"), "has format None"),
    "sparse": (lambda f: os.truncate(f / NAME, 1 << 40), "which no such file has"),
    "other format": (manifest(lambda v: v.update(format=1)), "has format 1; this version reads 2"),
    "changed": (changed_by_hand, "it was changed"),
    "a key less": (manifest(lambda v: v.pop("epsilon")), "it lacks epsilon"),
    "a key more": (manifest(lambda v: v.update(more=1)), "it has the unknown more"),
    "a text for a number": (manifest(lambda v: v.update(epsilon="1")), "it.epsilon is '1'"),
    "a bit for a number": (manifest(lambda v: v.update(epsilon=True)), "it.epsilon is True"),
    "a large number": (manifest(lambda v: v.update(epsilon=1 << 63)), "it.epsilon is 92233"),
    "files are none": (manifest(lambda v: v.update(files=[1])), r"it.files\[0\] is 1"),
    "other promises": (manifest(lambda v: v["settings"].update(promises=[])), "promises is"),
    "no such check": (manifest(lambda v: v.update(checks=["D99"])), "there is no check 'D99'"),
    "a large consumer": (
        manifest(lambda v: v.update(consumers=[{"consumer": 1 << 31, "session": 1, "sub": 1}])),
        "more than 32 bits",
    ),
    "no such layout": (
        manifest(lambda v: v["layout"].update(send="heap")),
        "there is no layout .*heap",
    ),
    "no buckets": (manifest(lambda v: v.update(buckets=0)), "0 buckets"),
    "fewer row groups": (
        manifest(lambda v: v.update(layout={"delivery": "bucket"}, buckets=8)),
        "has 3 row groups, and the history 8 buckets",
    ),
    "a file elsewhere": (
        manifest(lambda v: v["files"][0].update(path="../h/tx.parquet")),
        "no file of a history is called",
    ),
    "unknown table": (
        manifest(lambda v: v["files"][0].update(table="orders")),
        "is of an unknown table, 'orders'",
    ),
    "two tables changed": (
        manifest(lambda v: v["files"][0].update(table="send")),
        "holds table delivery, not send",
    ),
    "no small table": (
        manifest(lambda v: v.update(files=[f for f in v["files"] if f["table"] != "tx"])),
        "names 0 files of table tx",
    ),
    "a file twice": (
        manifest(lambda v: v["files"].append(v["files"][0])),
        "names 'delivery/00000.parquet' twice",
    ),
    "file missing": (lambda f: (f / DELIVERY).unlink(), "delivery/00000.parquet cannot be read"),
    "small file missing": (lambda f: (f / "tx.parquet").unlink(), "tx.parquet cannot be read"),
    "a folder for a file": (folder_in_place_of("tx.parquet"), "tx.parquet cannot be read"),
    "a file for a folder": (file_in_place_of_folder, "delivery/00000.parquet cannot be read"),
    "a pipe for a file": (pipe_in_place_of_file, "send/00000.parquet cannot be read"),
    "footer cut off": (cut_off, r"has \d+ bytes, \d+ were sealed"),
    "half of a file": (half, r"has \d+ bytes, \d+ were sealed"),
    "empty file": (nothing, r"has 0 bytes, \d+ were sealed"),
    "a wrong bit": (wrong_bit, "delivery/00000.parquet is damaged: from byte"),
    "other checksums": (other_column_sums, "has other columns than were sealed"),
    "of two runs": (mixed_runs, "belongs to run run-2, the manifest to run run-1"),
    "stray file": (
        lambda f: shutil.copy(f / SEND, f / "send/00007.parquet"),
        "send/00007.parquet is not in the manifest",
    ),
    "fewer rows": (
        rewritten(DELIVERY, lambda t: t.slice(0, 9)),
        "has 9 rows, the manifest says 10",
    ),
    "a column less": (
        rewritten(DELIVERY, lambda t: t.drop_columns(["ridx", "tx"])),
        "lacks the columns ridx, tx",
    ),
    "a column more": (
        rewritten(SEND, lambda t: t.append_column("more", t["uid"])),
        "has the unknown columns more",
    ),
    "a wrong type": (rewritten(SEND, retyped), r"wrong type: key \(int64 instead of int32\)"),
    "with nulls": (
        rewritten(SEND, with_nulls),
        "has columns twice, with nulls or in another order",
    ),
    "another order": (
        rewritten(SEND, lambda t: t.select(t.schema.names[::-1])),
        "has columns twice, with nulls or in another order",
    ),
    "without a run": (
        rewritten(SEND, lambda t: t.replace_schema_metadata({})),
        "belongs to run unknown",
    ),
}


@pytest.mark.parametrize(("damage", "said"), BAD.values(), ids=BAD)
def test_a_damaged_history_is_refused_by_name_and_with_advice(
    damage: Callable[[Path], object], said: str, history: Path
) -> None:
    everything(history)
    damage(history)
    with pytest.raises(HistoryError, match=said) as refused:
        everything(history)
    assert refused.value.hint


def changed(rows: Columns, column: str, at: int, value: int) -> Columns:
    values = rows[column].copy()
    values[at] = value
    return rows | {column: values}


BAD_ROWS: dict[str, tuple[Columns, Columns, str]] = {
    "sent twice": (
        changed(SENT, "uid", 5, 1 << 40 | 4),
        DELIVERED,
        "send 4 of producer 1 .* twice",
    ),
    "sent twice, batches apart": (
        changed(SENT, "uid", 8, 1 << 40),
        DELIVERED,
        "send 0 of producer",
    ),
    "send ends before": (changed(SENT, "t_ok", 5, 4), DELIVERED, "t_ok 4 is before t_inv 5"),
    "ridx left out": (
        SENT,
        changed(DELIVERED, "ridx", 4, 5),
        "session 3 has ridx 5 where 4 is due",
    ),
    "ridx twice": (SENT, changed(DELIVERED, "ridx", 7, 1), "session 4 has ridx 1 where 2 is due"),
    "begins later": (SENT, take(DELIVERED, slice(1, None)), "session 3 has ridx 1 where 0 is due"),
    "session again": (
        SENT,
        changed(DELIVERED, "session", 8, 3),
        "session 3 has ridx 3 where 5 is due",
    ),
    "clock of a session": (
        SENT,
        changed(changed(DELIVERED, "t_enter", 8, 1), "t_exit", 8, 1),
        "the clock of session 4 runs backwards: t_enter 1 after 2",
    ),
    "listener": (SENT, changed(DELIVERED, "t_exit", 4, 3), "t_exit 3 is before t_enter 4"),
    "settlement": (SENT, changed(DELIVERED, "s_ok", 4, 4), r"s_ok 4 is before s_inv 5 \(session 3"),
}


@pytest.mark.parametrize(("sent", "delivered", "said"), BAD_ROWS.values(), ids=BAD_ROWS)
@pytest.mark.parametrize("batch_rows", [1, 3, 100])
def test_rows_that_nobody_can_have_recorded_are_refused(
    sent: Columns, delivered: Columns, said: str, batch_rows: int, tmp_path: Path
) -> None:
    folder = write(tmp_path / "h", sent, delivered, row_group=4)
    with pytest.raises(HistoryError, match=said) as refused:
        everything(folder, batch_rows)
    assert refused.value.hint


def test_a_part_within_a_session_may_begin_anywhere_but_has_no_holes(history: Path) -> None:
    [whole] = open_history(history).parts("delivery")
    later = replace(whole, groups=(1, 2), checksums=whole.checksums.of((1, 2)))
    [rows] = later.read(("session", "ridx"), batch_rows=10)
    assert rows["ridx"].tolist() == [4, 0, 1, 2, 3, 4]
    holes = replace(whole, groups=(0, 2), checksums=whole.checksums.of((0, 2)))
    with pytest.raises(HistoryError, match="session 4 has ridx 3"):
        list(holes.read(("session", "ridx")))


def test_row_groups_that_have_been_read_are_let_go(tmp_path: Path) -> None:
    rows, groups = 10_000, 100
    table = pa.table({"uid": np.random.default_rng(1).integers(0, 1 << 62, groups * rows)})
    pq.write_table(table, tmp_path / "many.parquet", row_group_size=rows, use_dictionary=False)
    del table
    sums = checksums_of(tmp_path / "many.parquet")
    before = pa.total_allocated_bytes()
    held = [
        pa.total_allocated_bytes() - before
        for _ in read_rows(Location(str(tmp_path)), "many.parquet", sums, None, rows)
    ]

    assert len(held) == groups
    assert 0 < max(held) < 8 * rows * groups / 4
