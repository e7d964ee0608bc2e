"""The columns of sends and deliveries by NumPy types: tables without rows.

jms_histories.history.schema has the same columns for Parquet; kernels do without it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from jms_histories.kernels.links.partials import table

_I8, _I16, _I32, _I64 = np.int8, np.int16, np.int32, np.int64

EMPTY_SENDS: Final = table(
    uid=_I64,
    dest=_I32,
    key=_I32,
    gseq=_I64,
    priority=_I8,
    mode=_I8,
    t_inv=_I64,
    t_ok=_I64,
    deliver_at=_I64,
    expire_at=_I64,
    fate=_I8,
    tx=_I64,
    t_visible=_I64,
    body64=_I64,
    head64=_I64,
    mid64=_I64,
    cause=_I64,
    match=_I64,
)

EMPTY_DELIVERIES: Final = table(
    session=_I32,
    ridx=_I64,
    consumer=_I32,
    sub=_I32,
    uid=_I64,
    dest=_I32,
    key=_I32,
    gseq=_I64,
    priority=_I8,
    mode=_I8,
    deliver_at=_I64,
    expire_at=_I64,
    t_sent=_I64,
    t_enter=_I64,
    t_exit=_I64,
    redelivered=np.bool_,
    count=_I16,
    settle=_I8,
    s_out=_I8,
    s_inv=_I64,
    s_ok=_I64,
    tx=_I64,
    intact=_I8,
    body64=_I64,
    head64=_I64,
)
