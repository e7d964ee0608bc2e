"""What one process does at a time: screen a part of a history, fetch rows, judge a bucket.

Everything here can be called in any process: arguments and results are plain data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from jms_histories.columns import Columns, HistoryTables, Ints, concatenate, take
from jms_histories.engines.local.spill import Spill, read_spilled
from jms_histories.errors import HistoryError
from jms_histories.history.reader import Part, empty_table, read_spec
from jms_histories.kernels.arrays.sought import Sought, Values, rows_with
from jms_histories.kernels.links.partials import MessagePartials
from jms_histories.kernels.messages.judging import columns_of, judge_messages
from jms_histories.kernels.screening import send_scan, session_scan
from jms_histories.kernels.screening.plan import namesakes
from jms_histories.kernels.screening.send_scan import KnownSends, SendScan, SentTwiceError
from jms_histories.kernels.screening.session_scan import OutOfOrderError, Screened, SessionScan
from jms_histories.kernels.screening.suspects import Membership
from jms_histories.kernels.statistics import HistoryStatistics, lost_runs, redelivery_statistics

Checks: TypeAlias = frozenset[str] | None
"""Which checks are judged; None: all."""

_BATCH: Final = 1 << 18
_MANY: Final = 64
"""So many rows found in a row group are no accident: the next one will have some as well."""
_DAMAGED: Final = "The history is damaged or made wrongly: seal or make it again."


@lru_cache(maxsize=2)
def spec_of(folder: str, checks: Checks = None) -> HistoryTables:
    """The small tables of a history, and what is to be judged; read once by each process."""
    return replace(read_spec(folder), checks=checks)


def screen_sends(part: Part, checks: Checks = None) -> KnownSends:
    """Screen the sends of a part. Raises HistoryError if one is there twice."""
    spec = spec_of(part.folder, checks)
    scan = SendScan(spec)
    for batch in part.read(send_scan.columns_of(spec), batch_rows=_BATCH):
        try:
            scan.feed(batch)
        except SentTwiceError as error:
            raise HistoryError(f"{part.folder}/{part.path}: {error}", hint=_DAMAGED) from error
    return scan.partials()


def screen_sessions(part: Part, checks: Checks = None) -> Screened:
    """Screen the deliveries of a part, which holds whole sessions in order."""
    spec = spec_of(part.folder, checks)
    scan = SessionScan(spec)
    for batch in part.read(session_scan.columns_of(spec), batch_rows=_BATCH):
        try:
            scan.feed(batch)
        except OutOfOrderError as error:
            raise HistoryError(f"{part.folder}/{part.path}: {error}", hint=_DAMAGED) from error
    return scan.partials()


def screen_gathered(
    parts: Sequence[Part], sessions: Sequence[int], checks: Checks = None
) -> Screened:
    """Screen some sessions whose rows are spread over many parts, in any order."""
    spec = spec_of(parts[0].folder, checks)
    scan, columns = SessionScan(spec), session_scan.columns_of(spec)
    wanted = np.array(sessions, np.int32)
    rows = [empty_table("delivery", columns)]
    for part in parts:
        for batch in part.read(columns, batch_rows=_BATCH):
            chosen = np.flatnonzero(np.isin(batch["session"], wanted))
            if len(chosen):
                rows.append(take(batch, chosen))
    scan.feed(concatenate(rows))
    return scan.partials()


def sessions_in(part: Part) -> dict[int, int]:
    """How many deliveries each session has in a part."""
    counted: dict[int, int] = {}
    for batch in part.read(["session"], batch_rows=_BATCH):
        for session, rows in zip(*np.unique(batch["session"], return_counts=True), strict=True):
            counted[int(session)] = counted.get(int(session), 0) + int(rows)
    return counted


def chosen_rows(
    part: Part, sought: Mapping[str, Values], columns: Sequence[str] | None = None
) -> Iterator[Columns]:
    """The rows (all columns, or those named) that have a value that is sought in some of these.

    Read are the columns and row groups that may have one, whole rows only where one was found, and
    at once where the row group before had many.
    """
    with part.open() as file:
        many = False
        for group in part.groups:
            near = {
                name: values
                for name, values in sought.items()
                if values.may_contain(*file.bounds(group, name))
            }
            if not near:
                continue
            if many:
                total = 0
                for batch in file.rows(columns, (group,), _BATCH):
                    if len(rows := rows_with(near, batch)):
                        total += len(rows)
                        yield take(batch, rows)
                many = total >= _MANY
                continue
            chosen = {
                place: rows
                for place, batch in enumerate(file.rows(list(near), (group,), _BATCH))
                if len(rows := rows_with(near, batch))
            }
            many = sum(map(len, chosen.values())) >= _MANY
            for place, batch in enumerate(file.rows(columns, (group,), _BATCH)) if chosen else ():
                if place in chosen:
                    yield take(batch, chosen[place])


def rows_of(part: Part, membership: Membership, checks: Checks = None) -> Iterator[Columns]:
    """The rows of some messages to judge, from those row groups that have any."""
    columns = columns_of(part.table, spec_of(part.folder, checks))
    return chosen_rows(part, {"uid": membership}, columns)


def spill_part(
    part: Part,
    suspects: Path | None,
    folder: Path,
    name: str,
    buckets: int,
    checks: Checks = None,
) -> None:
    """Write the rows of suspects (an .npy file; all rows, if there is none) by bucket."""
    spill = Spill(folder, f"{part.table}-{name}", buckets)
    if suspects is None:
        columns = columns_of(part.table, spec_of(part.folder, checks))
        for batch in part.read(columns, batch_rows=_BATCH):
            spill.add(batch)
    else:
        for rows in rows_of(part, _membership(suspects), checks):
            spill.add(rows)
    spill.flush()


@lru_cache(maxsize=1)
def _membership(suspects: Path) -> Membership:
    """The suspects in a file; read once by each process."""
    return Membership(np.load(suspects, allow_pickle=False))


def find_namesakes(part: Part, twice: Ints) -> Columns:
    """mid64 and uid of the sends whose message id has one of these fingerprints."""
    columns = ("mid64", "uid")
    identities = [empty_table("send", columns)]
    spec = spec_of(part.folder)
    batches = part.read_unchecked(columns, batch_rows=_BATCH)
    sought = Sought(twice)
    return concatenate(identities + [namesakes(batch, sought, spec) for batch in batches])


def judge_spilled(
    folder: Path, history: str, bucket: int, checks: Checks = None
) -> tuple[MessagePartials, HistoryStatistics]:
    """Judge the messages of a bucket whose rows were spilled."""
    spec = spec_of(history, checks)
    sends, deliveries = (
        read_spilled(folder, table, bucket, columns_of(table, spec))
        for table in ("send", "delivery")
    )
    partials = judge_messages(sends, deliveries, spec)
    statistics = redelivery_statistics(deliveries)
    statistics.lost = lost_runs(sends, deliveries, spec)
    return partials, statistics
