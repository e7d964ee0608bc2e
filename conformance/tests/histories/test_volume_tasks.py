"""What one process does of a verification: rows that are looked for in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from histories.history_samples import deliveries, sends, write
from jms_histories.checks.small_history import DeliveryRow, SendRow
from jms_histories.columns import Columns, concatenate, length
from jms_histories.engines.local import tasks
from jms_histories.history.reader import open_history
from jms_histories.kernels.arrays.sought import Sought

ROWS = 40
SENT = sends(*(SendRow(uid=1 << 40 | seq, t_inv=seq, t_ok=seq) for seq in range(ROWS)))
DELIVERED = deliveries(
    *(
        DeliveryRow(3, ridx, 1, 0, uid=1 << 40 | ridx, t_enter=ridx, t_exit=ridx)
        for ridx in range(ROWS)
    )
)


@pytest.mark.parametrize("many", [1, 3, 1000])
@pytest.mark.parametrize("columns", [None, ("uid", "t_inv")])
@pytest.mark.parametrize(
    "wanted", [[], [0], [ROWS - 1], [5, 6, 30], [*range(10, 20)], [*range(ROWS)]], ids=str
)
def test_rows_that_are_sought(
    wanted: list[int],
    columns: tuple[str, ...] | None,
    many: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Row groups with none, few and many of them, in any turn."""
    monkeypatch.setattr(tasks, "_MANY", many)
    monkeypatch.setattr(tasks, "_BATCH", 3)
    history = open_history(write(tmp_path / "h", SENT, DELIVERED, row_group=8))
    sought = {"uid": Sought(np.array([1 << 40 | seq for seq in wanted], np.int64))}
    batches: list[Columns] = []
    for part in history.parts("send"):
        batches += tasks.chosen_rows(part, sought, columns)
    assert all(map(length, batches))
    rows = concatenate(batches) if batches else {"uid": np.zeros(0, np.int64)}
    assert (rows["uid"] & 0xFF).tolist() == wanted
    if wanted:
        assert rows["t_inv"].tolist() == wanted
        assert rows.keys() == set(SENT if columns is None else columns)
