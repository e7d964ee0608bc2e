"""Small histories on disk for tests, written column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from jms_histories.checks.small_history import DeliveryRow, SendRow
from jms_histories.columns import Columns
from jms_histories.history.reader import empty_table
from jms_histories.history.writer import HistoryWriter

RUN = "run-1"


def columns(table: str, rows: Sequence[Mapping[str, object]]) -> Columns:
    """Rows as columns in the types of their table."""
    return {
        name: np.array([row[name] for row in rows], values.dtype)
        for name, values in empty_table(table).items()
    }


def sends(*rows: SendRow) -> Columns:
    """Columns of sends."""
    return columns("send", [asdict(row) for row in rows])


def deliveries(*rows: DeliveryRow) -> Columns:
    """Columns of deliveries."""
    return columns("delivery", [asdict(row) for row in rows])


def write(folder: Path, sent: Columns, delivered: Columns, *, row_group: int = 1 << 20) -> Path:
    """A history of two tables and nothing else."""
    with HistoryWriter(folder, run=RUN, row_group=row_group) as writer:
        writer.sends().write(sent)
        writer.deliveries().write(delivered)
        writer.finish(epsilon=0, priority_slack=0, checks=("D01",))
    return folder


SENT = sends(*(SendRow(uid=1 << 40 | seq, t_inv=seq, t_ok=seq) for seq in range(10)))
"""Ten sends of one producer."""
DELIVERED = deliveries(
    *(
        DeliveryRow(
            session, ridx, 1, 0, uid=1 << 40 | ridx, t_enter=ridx, t_exit=ridx, s_inv=5, s_ok=7
        )
        for session in (3, 4)
        for ridx in range(5)
    )
)
"""The first five of them, at two sessions."""
