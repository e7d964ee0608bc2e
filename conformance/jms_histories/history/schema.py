"""The tables of a sealed history as Parquet schemas, and how they are encoded.

Every column is required, integer or boolean; -1 stands for none and names live in the manifest.
Times are nanoseconds of one monotone clock. docs/volume.md explains each column.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa


def _table(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns.items()])


I8, I16, I32, I64, BOOL = pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.bool_()

SEND: Final = _table(
    uid=I64,
    dest=I32,
    key=I32,
    gseq=I64,
    priority=I8,
    mode=I8,
    t_inv=I64,
    t_ok=I64,
    deliver_at=I64,
    expire_at=I64,
    fate=I8,
    tx=I64,
    t_visible=I64,
    body64=I64,
    head64=I64,
    mid64=I64,
    cause=I64,
    match=I64,
)

DELIVERY: Final = _table(
    session=I32,
    ridx=I64,
    consumer=I32,
    sub=I32,
    uid=I64,
    dest=I32,
    key=I32,
    gseq=I64,
    priority=I8,
    mode=I8,
    deliver_at=I64,
    expire_at=I64,
    t_sent=I64,
    t_enter=I64,
    t_exit=I64,
    redelivered=BOOL,
    count=I16,
    settle=I8,
    s_out=I8,
    s_inv=I64,
    s_ok=I64,
    tx=I64,
    intact=I8,
    body64=I64,
    head64=I64,
)

TRANSACTION: Final = _table(tx=I64, session=I32, t_inv=I64, t_ok=I64, outcome=I8)

SUBSCRIPTION: Final = _table(
    sub=I32,
    dest=I32,
    t_from=I64,
    t_to=I64,
    t_drained=I64,
    t_dlq_drained=I64,
    durable=BOOL,
    shared=BOOL,
    exclusive=BOOL,
    no_local=BOOL,
    grouped=BOOL,
    through=BOOL,
    ordering=I8,
    selector_id=I32,
    bit=I8,
    max_deliveries=I16,
)

SESSION: Final = _table(session=I32, t=I64, event=I8, arg=I32)

FINDING: Final = pa.schema(
    [
        pa.field("check", pa.string(), nullable=False),
        pa.field("uid", I64, nullable=False),
        pa.field("sub", I32, nullable=False),
        pa.field("a", I64, nullable=False),
        pa.field("b", I64, nullable=False),
        pa.field("should", BOOL, nullable=False),
    ]
)

TABLES: Final = {
    "send": SEND,
    "delivery": DELIVERY,
    "tx": TRANSACTION,
    "subscription": SUBSCRIPTION,
    "session": SESSION,
}

DICTIONARY: Final = frozenset(
    {"session", "consumer", "sub", "dest", "key", "priority", "mode", "count", "settle", "s_out"}
    | {"intact", "fate", "event", "arg", "redelivered"}
)
"""Columns with few values: encoded by dictionary; other 64-bit columns by their differences."""

HASHES: Final = frozenset({"body64", "head64", "mid64"})
"""Columns of random bits: plain."""
