"""What the tasks of the exact plan do, in the workers: read, judge, link. Only pickled by name.

spread   rows of sends and deliveries, on their way to the bucket of their message or their session
judge    whole messages of a bucket, or whole sessions, by the exact kernels
link     partial results that have to meet
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from touchstone.checks.columns import Columns, Spec, length
from touchstone.checks.links import link
from touchstone.checks.messages import judge_messages
from touchstone.checks.partials import MessagePartials, SessionPartials
from touchstone.checks.sessions import COLUMNS as SESSION_COLUMNS
from touchstone.checks.sessions import judge_sessions
from touchstone.history.bucket import bucket_of
from touchstone.history.place import Place
from touchstone.history.reader import Part, read_rows, read_spec
from touchstone.spark.exchange import Kind, Row, batches, gathered, joined, rows, spread, table
from touchstone.spark.linking import Some, divide
from touchstone.spark.packing import pack, unpack_as

SESSION: Final = 1 << 40
"""Keys from here on are sessions, the smaller ones buckets of messages."""


@dataclass(frozen=True)
class Job:
    """What a task has to know besides its rows: numbers and texts, so that it travels.

    links is how many tasks link partial results.
    """

    folder: str
    buckets: int
    links: int


@lru_cache(maxsize=2)
def spec_of(folder: str) -> Spec:
    """The small tables of the history; read once by each worker process."""
    return read_spec(folder)


def spread_part(part: Part, job: Job) -> Iterator[Row]:
    """The rows of a piece of a file on their way to the bucket of their message."""
    for columns in part.read():
        yield from spread(part.table, columns, bucket_of(columns["uid"], job.buckets))


def spread_sessions(part: Part) -> Iterator[Row]:
    """Deliveries on their way to their session, from files that do not hold whole ones."""
    for columns in part.read(SESSION_COLUMNS):
        yield from spread("delivery", columns, columns["session"].astype(np.int64) + SESSION)


def judge_arrived(job: Job, arrived: Iterable[Any]) -> Iterator[Any]:
    """Buckets and sessions that have arrived, key by key."""

    def judged() -> Iterator[Row]:
        spec = spec_of(job.folder)
        for key, payloads in gathered(rows(arrived)):
            deliveries = payloads.get(Kind.DELIVERIES, [])
            if key >= SESSION:
                found = table("delivery", deliveries, SESSION_COLUMNS)
                yield from to_links(judge_sessions(found, spec), Kind.SESSIONS, job.links)
                continue
            sends = table("send", payloads.get(Kind.SENDS, []))
            found = table("delivery", deliveries)
            yield from to_links(judge_messages(sends, found, spec), Kind.MESSAGES, job.links)

    return batches(judged())


def judge_bucket(bucket: int, parts: Iterable[Part], job: Job) -> Iterator[Row]:
    """One bucket of a history in layout bucket: a row group of each file."""
    found: dict[str, list[Columns]] = {"send": [], "delivery": []}
    for part in parts:
        found[part.table] += read_rows(Place(part.folder), part.path, None, (bucket,))
    sends, deliveries = (joined(name, found[name]) for name in ("send", "delivery"))
    partials = judge_messages(sends, deliveries, spec_of(job.folder))
    yield from to_links(partials, Kind.MESSAGES, job.links)


def judge_file(part: Part, job: Job) -> Iterator[Row]:
    """The sessions of one file of a history in layout session."""
    deliveries = joined("delivery", part.read(SESSION_COLUMNS), SESSION_COLUMNS)
    if length(deliveries):
        partials = judge_sessions(deliveries, spec_of(job.folder))
        yield from to_links(partials, Kind.SESSIONS, job.links)


def to_links(partials: Some, kind: Kind, links: int) -> Iterator[Row]:
    """Partial results on their way to the tasks that link them."""
    for task, part in enumerate(divide(partials, links)):
        yield Row(task, kind, pack(part))


def link_arrived(job: Job, arrived: Iterable[Any]) -> Iterator[Any]:
    """Partial results that have arrived: all findings of theirs, merged."""

    def linked() -> Iterator[Row]:
        spec = spec_of(job.folder)
        for key, payloads in gathered(rows(arrived)):
            messages = [unpack_as(MessagePartials, one) for one in payloads.get(Kind.MESSAGES, [])]
            sessions = [unpack_as(SessionPartials, one) for one in payloads.get(Kind.SESSIONS, [])]
            yield Row(key, Kind.FINDINGS, pack(link(messages, sessions, spec)))

    return batches(linked())
