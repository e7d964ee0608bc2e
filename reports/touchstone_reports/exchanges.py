"""Exchanges between two clients: the values of exchanges.jsonl, and a table of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from touchstone_reports.deviations import MatchedDeviation, deviation
from touchstone_reports.verdicts import Verdict, rank, worst


@dataclass(frozen=True, slots=True)
class ReportedDifference:
    """A field that was seen otherwise than documents want it."""

    field: str
    requirement: str
    expected: str
    seen: str
    verdict: Verdict
    deviation: MatchedDeviation | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one message, or one thing done together, showed: a line of exchanges.jsonl."""

    id: str
    producer: str
    consumer: str
    verdict: Verdict
    reason: str | None
    fields: int
    differences: tuple[ReportedDifference, ...]
    rerun: str

    @property
    def name(self) -> str:
        """The id without what all have in common."""
        return self.id.partition("/")[2]


@dataclass(frozen=True, slots=True)
class PairCell:
    """A producer and a consumer: how they got on."""

    producer: str
    consumer: str
    exchanges: tuple[Exchange, ...]

    @property
    def verdict(self) -> Verdict | None:
        """The worst of what was judged; None when nothing was."""
        return worst(line.verdict for line in self.exchanges) if self.exchanges else None

    @property
    def counts(self) -> Counter[Verdict]:
        """Exchanges by verdict."""
        return Counter(line.verdict for line in self.exchanges)

    @property
    def judged(self) -> int:
        """How many exchanges the pair has."""
        return sum(line.verdict is not Verdict.NOT_APPLICABLE for line in self.exchanges)

    @property
    def conforming(self) -> int:
        """How many of them conform."""
        return self.counts[Verdict.CONFORMS]

    @property
    def fields(self) -> int:
        """How many fields were compared in all."""
        return sum(line.fields for line in self.exchanges)

    @property
    def telling(self) -> tuple[Exchange, ...]:
        """What did not conform, worst first."""
        told = [line for line in self.exchanges if line.verdict is not Verdict.CONFORMS]
        return tuple(sorted(told, key=lambda line: rank(line.verdict)))


@dataclass(frozen=True, slots=True)
class PairTable:
    """Producers down, consumers across."""

    clients: tuple[str, ...]
    rows: tuple[tuple[PairCell, ...], ...]

    @property
    def counts(self) -> Counter[Verdict]:
        """Pairs by their worst verdict."""
        cells = (cell.verdict for row in self.rows for cell in row)
        return Counter(verdict for verdict in cells if verdict is not None)


def exchange(record: Mapping[str, Any]) -> Exchange:
    """The value of an exchange record that fits the schema."""
    return Exchange(
        id=record["exchange"],
        producer=record["producer"],
        consumer=record["consumer"],
        verdict=Verdict(record["verdict"]),
        reason=record["reason"],
        fields=record["fields"],
        differences=tuple(
            ReportedDifference(
                difference["field"],
                difference["requirement"],
                difference["expected"],
                difference["seen"],
                Verdict(difference["verdict"]),
                deviation(difference["deviation"]),
            )
            for difference in record["differences"]
        ),
        rerun=record["rerun"],
    )


def pair_table(clients: Sequence[str], exchanges: Sequence[Exchange]) -> PairTable:
    """The table of `clients`, each with each."""
    of_pair: dict[tuple[str, str], list[Exchange]] = {}
    for line in exchanges:
        of_pair.setdefault((line.producer, line.consumer), []).append(line)
    return PairTable(
        tuple(clients),
        tuple(
            tuple(
                PairCell(producer, consumer, tuple(of_pair.get((producer, consumer), ())))
                for consumer in clients
            )
            for producer in clients
        ),
    )
