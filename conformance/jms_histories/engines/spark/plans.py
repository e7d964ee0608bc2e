"""How a history is verified by Spark: what is read, what moves, and where it is judged.

screened  every row is scanned once, where it is read. Bits of plain messages and names of others
          move to the tasks that reduce them; of the suspects that these find rows are read again
          and move to be judged exactly.
exact     every message is judged. In layout bucket its rows are together and do not move; in layout
          session, as they were recorded, they move once, in packed pieces.

Sessions are judged while they are scanned. Only summaries and capped findings come to the driver.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from jms_histories.columns import Columns, Findings, Ints, concatenate
from jms_histories.definitions import CHECKS
from jms_histories.engines.spark import scanning, stages, tasks
from jms_histories.engines.spark.exchange import DDL, ExchangedValue, PayloadKind, batch, rows
from jms_histories.engines.spark.linking import divide
from jms_histories.engines.spark.packing import pack, unpack, unpack_as
from jms_histories.engines.spark.resources import Resources, buckets_for
from jms_histories.engines.spark.scanning import SecondLook
from jms_histories.engines.spark.stages import Job
from jms_histories.history.reader import History
from jms_histories.kernels.collecting import no_rows
from jms_histories.kernels.links.merging import merge_findings, merge_sessions, restricted
from jms_histories.kernels.links.partials import IDENTITIES, MessagePartials
from jms_histories.kernels.screening.plan import link_screened, second_look_checks
from jms_histories.kernels.screening.reduction import Reduced, merge_reduced
from jms_histories.kernels.screening.send_scan import MOST_SUBSCRIPTIONS, KnownSends
from jms_histories.kernels.screening.session_scan import Screened
from jms_histories.kernels.screening.suspects import Membership
from jms_histories.kernels.statistics import HistoryStatistics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LINKED_TOGETHER: Final = 2_000_000
"""Messages whose partial results one task links."""
_ROWS_OF_SUSPECT: Final = 4
_NOTHING: Final = Findings(
    no_rows(), *(dict.fromkeys(sorted(CHECKS), 0) for _ in ("counts", "shoulds", "power"))
)
"""What is found in a history without rows: every check has been looked at."""


@dataclass
class Scanned:
    """What the screening found: of sends, of sessions, and which messages need the second look."""

    sent: list[KnownSends] = field(default_factory=list)
    sessions: list[Screened] = field(default_factory=list)
    reduced: Reduced = field(default_factory=lambda: merge_reduced(()))
    doubled: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def statistics(self, further: Iterable[HistoryStatistics]) -> HistoryStatistics:
        """Those of the whole history, with those of whole messages."""
        result = HistoryStatistics()
        for part in self.sent:
            result.sent += part.rows
            result.sends.merge(part.over_time)
        for described in (*(session.statistics for session in self.sessions), *further):
            result.merge(described)
        return result


class Plans:
    """The steps over one history in one session of Spark."""

    def __init__(
        self,
        spark: SparkSession,
        history: History,
        resources: Resources,
        checks: Iterable[str] | None = None,
    ) -> None:
        self._spark, self._history, self._resources = spark, history, resources
        self._checks = None if checks is None else frozenset(checks)

    @property
    def _job(self) -> Job:
        return Job(self._history.location.folder, buckets=1, links=1, checks=self._checks)

    def divided(self, resources: Resources) -> Plans:
        """The same with its rows divided otherwise."""
        return Plans(self._spark, self._history, resources, self._checks)

    def can_screen(self) -> bool:
        """Whether the numbers of the subscriptions are small enough for the screening."""
        return int(self._history.spec.subscriptions["sub"].max(initial=-1)) < MOST_SUBSCRIPTIONS

    def scan(self, *, bits: bool) -> Scanned:
        """Scan every row; without `bits` only for what the exact plan needs as well."""
        job = replace(self._job, bits=bits)
        if is_bucketed(self._history):
            spread = self._moved(self._read(job, "spread sessions"), self._resources.partitions)
            sessions = spread.sortWithinPartitions("key", "place")
            scanned = self._read(job, "scan sends").unionByName(
                sessions.mapInArrow(partial(scanning.scan_arrived, job), DDL)
            )
        else:
            scanned = self._read(job, "scan")
        if bits:
            hashed = scanned.repartition(self._resources.partitions, "key")
            scanned = hashed.mapInArrow(scanning.reduce_arrived, DDL)
        result = Scanned()
        fingerprints, reduced = [result.doubled], list[Reduced]()
        for row in _collect(scanned):
            if row.kind == PayloadKind.SENT:
                result.sent.append(scanning.unpack_sent(row.payload))
            elif row.kind == PayloadKind.SCREENED:
                result.sessions.append(scanning.unpack_screened(row.payload))
            elif row.kind == PayloadKind.FINGERPRINTS:
                fingerprints.append(unpack(row.payload))
            else:
                reduced.append(scanning.unpack_reduced(row.payload))
        result.doubled, result.reduced = np.concatenate(fingerprints), merge_reduced(reduced)
        return result

    def second_look(self, scanned: Scanned) -> tuple[Findings, HistoryStatistics]:
        """Judge the suspects exactly, and put all together."""
        suspects = scanned.reduced.suspects
        judged_rows: list[ExchangedValue] = []
        if len(suspects) or len(scanned.doubled):
            buckets = buckets_for(len(suspects) * _ROWS_OF_SUSPECT)
            job = replace(self._job, buckets=buckets, checks=second_look_checks(self._checks))
            look = SecondLook(Membership(suspects), scanned.doubled)
            judged_rows = _collect(self._judged(self._read(job, "look", look), job))
        identities = [
            IDENTITIES,
            *(unpack(row.payload) for row in _rows_of_kind(judged_rows, PayloadKind.IDENTITIES)),
        ]
        findings = link_screened(
            scanned.sent,
            scanned.sessions,
            scanned.reduced,
            [
                unpack_as(MessagePartials, row.payload)
                for row in _rows_of_kind(judged_rows, PayloadKind.MESSAGES)
            ],
            _join_identities(identities),
            self._history.spec,
        )
        return self._wanted(findings), scanned.statistics(_statistics(judged_rows))

    def exact(self, scanned: Scanned) -> tuple[Findings, HistoryStatistics]:
        """Judge every message, and link in as many tasks as it takes."""
        links = links_for(self._history)
        if is_bucketed(self._history):
            job = replace(self._job, buckets=self._history.manifest.buckets, links=links)
            judged = self._read(job, "bucket")
        else:
            job = replace(self._job, buckets=self._resources.buckets, links=links)
            judged = self._judged(self._read(job, "spread"), job)
        sessions = divide(merge_sessions([session.partials for session in scanned.sessions]), links)
        packed = {task: pack(part) for task, part in enumerate(sessions)}
        link = partial(stages.link_arrived, job, packed)
        linked = _collect(self._moved(judged, links).mapInArrow(link, DDL))
        findings = [
            unpack_as(Findings, row.payload) for row in _rows_of_kind(linked, PayloadKind.FINDINGS)
        ]
        together = self._wanted(merge_findings([_NOTHING, *findings]))
        return together, scanned.statistics(_statistics(linked))

    def _wanted(self, findings: Findings) -> Findings:
        return findings if self._checks is None else restricted(findings, self._checks)

    def _judged(self, spread: DataFrame, job: Job) -> DataFrame:
        at_most = min(job.buckets, self._resources.partitions)
        return self._moved(spread, at_most).mapInArrow(partial(stages.judge_arrived, job), DDL)

    def _read(self, job: Job, stage: str, look: SecondLook | None = None) -> DataFrame:
        """What the tasks of a stage hand on: only their names come from here."""
        rows = tasks.rows_at_once(self._history, self._resources.tasks)
        planned = tasks.pack_tasks(tasks.plan_tasks(stage, self._history, rows))
        named = self._spark.createDataFrame(pa.Table.from_batches([batch(planned)]))
        each = self._moved(named, max(len(planned), 1))
        return each.mapInArrow(partial(tasks.work, job, look), DDL)

    def _moved(self, frame: DataFrame, into: int) -> DataFrame:
        """All rows of a key in one task: of a bucket, a session, results that have to meet."""
        from pyspark.sql import functions

        return frame.repartitionById(into, functions.expr(f"cast(pmod(key, {into}) as int)"))


def is_bucketed(history: History) -> bool:
    """Whether the rows of a message are together already."""
    layout = history.manifest.layout
    return all(layout.get(table) == "bucket" for table in ("send", "delivery"))


def links_for(history: History) -> int:
    """Among how many tasks partial results are divided: what each holds does not grow."""
    return max(1, -(-history.rows("send") // LINKED_TOGETHER))


def _collect(frame: DataFrame) -> list[ExchangedValue]:
    return list(rows(frame.toArrow().to_batches()))


def _rows_of_kind(exchanged: Iterable[ExchangedValue], kind: PayloadKind) -> list[ExchangedValue]:
    return [row for row in exchanged if row.kind == kind]


def _statistics(exchanged: Iterable[ExchangedValue]) -> list[HistoryStatistics]:
    return [
        HistoryStatistics.unpack(row.payload)
        for row in _rows_of_kind(exchanged, PayloadKind.STATISTICS)
    ]


def _join_identities(tables: list[Columns]) -> Columns:
    return concatenate([{name: table[name] for name in IDENTITIES} for table in tables])
