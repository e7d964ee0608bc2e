"""The screened plan over a small history in memory, cut into parts as a test wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from histories.small_histories import shuffled
from jms_histories.columns import Columns, Findings, HistoryTables, Ints, length, take
from jms_histories.kernels.arrays.segments import order_by
from jms_histories.kernels.arrays.sought import Sought
from jms_histories.kernels.messages.judging import columns_of, judge_messages
from jms_histories.kernels.screening import send_scan, session_scan
from jms_histories.kernels.screening.fingerprints import all_doubled
from jms_histories.kernels.screening.plan import link_screened, namesakes, second_look_checks
from jms_histories.kernels.screening.reduction import Reduced, reduce
from jms_histories.kernels.screening.send_scan import KnownSends, scan_sends
from jms_histories.kernels.screening.session_scan import Screened, scan_sessions
from jms_histories.kernels.screening.suspects import Membership


def pieces(columns: Columns, size: int) -> list[Columns]:
    """Rows in batches of a size."""
    return [take(columns, slice(at, at + size)) for at in range(0, length(columns), size)]


def scanned_sends(
    sends: Columns, spec: HistoryTables, random: Random, parts: int = 1
) -> list[KnownSends]:
    """Sends as several scans see them: any row may go to any scan."""
    where = np.array([random.randrange(parts) for _ in range(length(sends))], np.int64)
    size = random.choice((1, 2, 7, 100_000))
    return [scan_sends(pieces(take(sends, where == part), size), spec) for part in range(parts)]


def scanned_sessions(deliveries: Columns, spec: HistoryTables, random: Random) -> list[Screened]:
    """Deliveries as several scans see them: each session goes to one, in batches of some size.

    The order within a batch is free.
    """
    rows = take(deliveries, order_by(deliveries["session"], deliveries["ridx"]))
    sessions = np.unique(rows["session"]).tolist()
    where = {session: random.randrange(2) for session in sessions}
    of_rows = np.array([where[session] for session in rows["session"].tolist()], np.int64)
    size = random.choice((1, 2, 3, 5, 100_000))
    parts = [pieces(take(rows, of_rows == part), size) for part in range(2)]
    if random.random() < 0.5:
        parts = [[shuffled(batch, random) for batch in part] for part in parts]
    return [scan_sessions(part, spec) for part in parts]


def suspects_of(sent: Sequence[KnownSends], sessions: Sequence[Screened]) -> Reduced:
    """What the bits of all scans say together."""
    return reduce(
        (block for part in sent for block in part.blocks),
        (block for part in sessions for block in part.delivered),
        [*(part.suspects for part in sent), *(part.suspects for part in sessions)],
    )


def rows_of(messages: Membership, rows: Columns) -> Columns:
    """The rows of some messages, from parts whose bounds are known."""
    uid = rows["uid"]
    parts = [slice(at, at + 5) for at in range(0, len(uid), 5)]
    near = [
        part for part in parts if messages.may_contain(int(uid[part].min()), int(uid[part].max()))
    ]
    near_rows = [part.start + messages.rows(uid[part]) for part in near]
    return take(rows, np.concatenate([np.zeros(0, np.int64), *near_rows]))


def columns_read(
    sends: Columns, deliveries: Columns, spec: HistoryTables
) -> tuple[Columns, Columns]:
    """The columns of both that are read where whole messages are judged."""
    return _only(columns_of("send", spec), sends), _only(columns_of("delivery", spec), deliveries)


def _only(names: Sequence[str], rows: Columns) -> Columns:
    return {name: rows[name] for name in names}


@dataclass(frozen=True)
class Judged:
    """The findings by the screened plan, what the scans saw, and who had a second look."""

    found: Findings
    suspects: Ints
    sent: Sequence[KnownSends]
    sessions: Sequence[Screened]


def judged_screened(
    sends: Columns, deliveries: Columns, spec: HistoryTables, random: Random
) -> Judged:
    """The findings by the screened plan; what is judged has the columns that are read of files."""
    seen = _only(send_scan.columns_of(spec), sends)
    sent = scanned_sends(seen, spec, random, random.choice((1, 2)))
    sessions = scanned_sessions(_only(session_scan.columns_of(spec), deliveries), spec, random)
    random.shuffle(sent)
    random.shuffle(sessions)
    reduced = suspects_of(sent, sessions)
    cut = random.randrange(len(reduced.suspects) + 1)
    again = replace(spec, checks=second_look_checks(spec.checks))
    chosen = [some for some in np.split(reduced.suspects, [cut]) if len(some)]
    judged = [
        judge_messages(*columns_read(rows_of(some, sends), rows_of(some, deliveries), again), again)
        for some in map(Membership, chosen)
    ]
    twice = Sought(all_doubled([part.fingerprints for part in sent]))
    same_name = namesakes(sends, twice, spec)
    findings = link_screened(sent, sessions, reduced, judged, same_name, spec)
    return Judged(findings, reduced.suspects, sent, sessions)
