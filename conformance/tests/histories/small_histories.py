"""Small histories drawn at random, as values and as what the kernels read.

`histories()` draws a legal run of the tiny provider and then some changes of it; `legal_table` is
many legal runs as one history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from numpy.typing import NDArray

from histories.history_changes import changed
from jms_histories.checks.findings import Finding
from jms_histories.checks.small_history import SmallHistory
from jms_histories.columns import Columns, Findings, HistoryTables
from jms_histories.history.schema import DELIVERY, SEND, SESSION, SUBSCRIPTION
from tiny_provider import NUMBERS_OF_ONE, legal

CONSUMER = pa.schema([(name, pa.int32()) for name in ("consumer", "session", "sub")])


def _columns(rows: Iterable[Any], schema: pa.Schema) -> Columns:
    rows = list(rows)
    return {
        column.name: np.array(
            [int(getattr(row, column.name)) for row in rows], dtype=column.type.to_pandas_dtype()
        )
        for column in schema
    }


def sends_of(history: SmallHistory) -> Columns:
    """The sends as columns, in the types of the schema."""
    return _columns(history.sends, SEND)


def deliveries_of(history: SmallHistory) -> Columns:
    """The deliveries as columns, in the types of the schema."""
    return _columns(history.deliveries, DELIVERY)


def spec_of(history: SmallHistory) -> HistoryTables:
    """The small tables and limits of a history."""
    return HistoryTables(
        subscriptions=_columns(history.subscriptions, SUBSCRIPTION),
        events=_columns(history.events, SESSION),
        consumers=_columns(history.consumers, CONSUMER),
        epsilon=history.epsilon,
        priority_slack=history.priority_slack,
        truncated=dict(history.truncated),
    )


def findings_of(findings: Findings) -> list[Finding]:
    """What kernels found, as the oracle writes it; sorted."""
    names = ("check", "uid", "sub", "a", "b", "should")
    rows = zip(*(findings.rows[name].tolist() for name in names), strict=True)
    return sorted(Finding(*row) for row in rows)


def shuffled(columns: Columns, random: Random) -> Columns:
    """The same rows in another order."""
    order = list(range(len(next(iter(columns.values())))))
    random.shuffle(order)
    chosen: NDArray[np.int64] = np.array(order, dtype=np.int64)
    return {name: values[chosen] for name, values in columns.items()}


def joined(histories: Sequence[SmallHistory]) -> SmallHistory:
    """Histories that share nothing, as one."""
    truncated: dict[int, int] = {}
    for history in histories:
        truncated.update(history.truncated)
    return SmallHistory(
        tuple(send for history in histories for send in history.sends),
        tuple(row for history in histories for row in history.deliveries),
        tuple(at for history in histories for at in history.subscriptions),
        tuple(event for history in histories for event in history.events),
        tuple(reader for history in histories for reader in history.consumers),
        epsilon=max((history.epsilon for history in histories), default=0),
        priority_slack=max((history.priority_slack for history in histories), default=0),
        truncated=truncated,
    )


def legal_table(count: int, seed: int) -> SmallHistory:
    """So many legal histories without faults as one: the oracle finds nothing in it.

    History number n has the subscriptions, sessions, consumers, destinations and transactions from
    n * NUMBERS_OF_ONE on, so each row tells its history; the same seed gives the same rows.
    """
    return joined(
        [
            legal(Random(f"{seed}/{number}"), numbers=number * NUMBERS_OF_ONE)
            for number in range(count)
        ]
    )


@st.composite
def histories(draw: st.DrawFn, *, most_changes: int = 12) -> SmallHistory:
    """A small history with all that can be wrong with one; shrinks to fewer steps and changes."""
    random = draw(st.randoms(use_true_random=False))
    steps = draw(st.integers(0, 60))
    faults = draw(st.booleans())
    changes = draw(st.integers(0, most_changes))
    return changed(legal(random, faults=faults, steps=steps), random, changes)
