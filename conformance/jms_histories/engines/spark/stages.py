"""What Spark's tasks do with messages and sessions, in the workers: move, judge, link.

spread   rows on their way to the bucket of their message, or to their session
judge    whole messages of a bucket by the exact kernel
link     partial results that have to meet
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from jms_histories.columns import Columns, HistoryTables
from jms_histories.engines.local.tasks import Checks, spec_of
from jms_histories.engines.spark.exchange import (
    KIND_OF,
    ExchangedValue,
    PayloadKind,
    address_rows,
    batches,
    gather_by_key,
    join_parts,
    rows,
    table,
)
from jms_histories.engines.spark.linking import divide
from jms_histories.engines.spark.packing import pack, unpack_as
from jms_histories.history.bucket import bucket_of
from jms_histories.history.reader import Part
from jms_histories.kernels.links.judging import link
from jms_histories.kernels.links.partials import MessagePartials, SessionPartials
from jms_histories.kernels.messages.judging import columns_of, judge_messages
from jms_histories.kernels.screening import session_scan
from jms_histories.kernels.statistics import lost_runs, redelivery_statistics

NO_MESSAGE: Final = -(1 << 62)
"""The key of what concerns no message, such as statistics: no message, bucket or task has it."""


@dataclass(frozen=True)
class Job:
    """What a task has to know besides its rows: numbers and texts, so that it travels.

    links is how many tasks link partial results; bits: whether the screening hands on its bits, or
    only what all plans need of it. checks are those that are judged, all if it is None.
    """

    folder: str
    buckets: int
    links: int
    bits: bool = True
    checks: Checks = None

    @property
    def spec(self) -> HistoryTables:
        """The small tables of the history, and what is to be judged."""
        return spec_of(self.folder, self.checks)


def spread_part(part: Part, job: Job) -> Iterator[ExchangedValue]:
    """The rows of a piece of a file on their way to the bucket of their message."""
    for columns in part.read(columns_of(part.table, job.spec)):
        yield from address_rows(part.table, columns, bucket_of(columns["uid"], job.buckets))


def spread_sessions(part: Part, job: Job) -> Iterator[ExchangedValue]:
    """Deliveries on their way to their session, from files that do not hold whole ones."""
    for columns in part.read(session_scan.columns_of(job.spec)):
        yield from address_rows("delivery", columns, columns["session"].astype(np.int64), "ridx")


def judge_arrived(job: Job, arrived: Iterable[Any]) -> Iterator[Any]:
    """Buckets that have arrived, one by one; message ids to compare pass."""

    def judged() -> Iterator[ExchangedValue]:
        for key, payloads in gather_by_key(rows(arrived)):
            if key == NO_MESSAGE:
                for kind, those in payloads.items():
                    yield from (ExchangedValue(key, kind, payload) for payload in those)
                continue
            sends, deliveries = (
                table(name, payloads.pop(kind, []), columns_of(name, job.spec))
                for name, kind in KIND_OF.items()
            )  # what has been unpacked is let go of before it is judged
            yield from judge(sends, deliveries, job)

    return batches(judged())


def judge_bucket(bucket: int, parts: Iterable[Part], job: Job) -> Iterator[ExchangedValue]:
    """One bucket of a history in layout bucket: a row group of each file."""
    columns_read: dict[str, list[Columns]] = {"send": [], "delivery": []}
    for part in parts:
        columns = columns_of(part.table, job.spec)
        columns_read[part.table] += part.read_unchecked(columns)
    sends, deliveries = (
        join_parts(name, columns_read.pop(name), columns_of(name, job.spec)) for name in KIND_OF
    )
    yield from judge(sends, deliveries, job)


def judge(sends: Columns, deliveries: Columns, job: Job) -> Iterator[ExchangedValue]:
    """Whole messages: partial results for each of the tasks that link, and statistics."""
    spec = job.spec
    for task, part in enumerate(divide(judge_messages(sends, deliveries, spec), job.links)):
        yield ExchangedValue(task, PayloadKind.MESSAGES, pack(part))
    statistics = redelivery_statistics(deliveries)
    statistics.lost = lost_runs(sends, deliveries, spec)
    yield ExchangedValue(NO_MESSAGE, PayloadKind.STATISTICS, statistics.pack())


def link_arrived(job: Job, sessions: Mapping[int, bytes], arrived: Iterable[Any]) -> Iterator[Any]:
    """All findings from the partial results that have arrived, and those of sessions by task."""

    def linked() -> Iterator[ExchangedValue]:
        for key, payloads in gather_by_key(rows(arrived)):
            if key == NO_MESSAGE:
                yield from (
                    ExchangedValue(key, PayloadKind.STATISTICS, payload)
                    for payload in payloads[PayloadKind.STATISTICS]
                )
                continue
            messages = [
                unpack_as(MessagePartials, payload) for payload in payloads[PayloadKind.MESSAGES]
            ]
            of_sessions = [unpack_as(SessionPartials, sessions[key])]
            findings = link(messages, of_sessions, job.spec)
            yield ExchangedValue(key, PayloadKind.FINDINGS, pack(findings))

    return batches(linked())
