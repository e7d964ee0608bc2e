"""What the views of messages and of sessions hand to the links: small tables that can be merged.

Each table is a dict of columns. docs/volume.md says what the checks make of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from jms_histories.columns import Columns, Findings


def table(**types: type[np.generic]) -> Columns:
    """A table without rows."""
    return {name: np.zeros(0, kind) for name, kind in types.items()}


_I32, _I64 = np.int32, np.int64

LOST: Final = table(uid=_I64, sub=_I32, key=_I32, priority=np.int8, mode=np.int8)
"""Ordered D01 findings of exclusive subscriptions; key is -1 unless the order is by key."""

TRANSACTIONS: Final = table(tx=_I64, sub=_I32, pairs=_I64, visible=_I64, missing=_I64)
"""Of each transaction and subscription: due pairs, those visible, the least uid of the others
(2^63 - 1 if there is none)."""

IDENTITIES: Final = table(mid64=_I64, uid=_I64)
"""The message id of each send that has one."""

KEPT: Final = table(sub=_I32, owed=_I64, kept=_I64)
"""Of each subscription: pairs with lo, and those of them that are done or dead-lettered."""

INPUTS: Final = table(uid=_I64, sub=_I32)
"""Pairs of a subscription that is `through`, with a fin row."""

OUTPUTS: Final = table(cause=_I64, outputs=_I64, visible=_I64)
"""Of each cause: the sends that name it, and those of them that have a row with sub >= 0."""

SCOPE: Final = ("session", "consumer", "sub", "producer", "priority", "mode", "key")
"""What makes a scope of order."""

SCOPES: Final = table(
    session=_I32,
    consumer=_I32,
    sub=_I32,
    producer=_I64,
    priority=np.int8,
    mode=np.int8,
    key=_I32,
    least=_I64,
    largest=_I64,
)
"""Scopes of order with their least and largest sequence; key is -1 unless the order is by key."""

CELL: Final = ("sub", "key", "epoch", "consumer")
"""What makes a cell of a group."""

CELLS: Final = table(
    sub=_I32,
    key=_I32,
    epoch=_I64,
    consumer=_I32,
    rows=_I64,
    t_first=_I64,
    t_last=_I64,
    gseq_most=_I64,
    gseq_least=_I64,
    least_session=_I32,
    least_ridx=_I64,
    least_uid=_I64,
    least_faulted=np.bool_,
    calm=_I64,
    calm_t=_I64,
    calm_session=_I32,
    calm_ridx=_I64,
    calm_uid=_I64,
    calm_faulted=np.bool_,
)
"""Cells of groups. least_*: the first row by (session, ridx) with the least gseq. calm: rows with
t_enter before the epoch's end; calm_*: the first of them by (t_enter, session, ridx), else 2^63 - 1
as its time, and what nobody looks at."""


@dataclass
class MessagePartials:
    """What judge_messages hands on of one set of messages.

    findings are those of D01 to D08, D11, D13, D14, D18, D19, D21 and D24 to D26. skippable is the
    power of D10.
    """

    findings: Findings
    skippable: int = 0
    lost: Columns = field(default_factory=lambda: LOST)
    transactions: Columns = field(default_factory=lambda: TRANSACTIONS)
    identities: Columns = field(default_factory=lambda: IDENTITIES)
    kept: Columns = field(default_factory=lambda: KEPT)
    inputs: Columns = field(default_factory=lambda: INPUTS)
    outputs: Columns = field(default_factory=lambda: OUTPUTS)


@dataclass
class SessionPartials:
    """What judge_sessions hands on of one set of sessions.

    findings are those of D09, D12, D15, D16, D20, D29, D30, D32, of D21 and D33 the power alone,
    and those of D23 within a consumer, whose power comes with the cells.
    """

    findings: Findings
    scopes: Columns = field(default_factory=lambda: SCOPES)
    cells: Columns = field(default_factory=lambda: CELLS)
