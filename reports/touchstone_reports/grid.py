"""The matrix as values: which requirement, of which section, stands where for which provider."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from touchstone_reports.combination import titles
from touchstone_reports.results import RunProvider, RunResults, VerdictLine, sorted_worst_first
from touchstone_reports.verdicts import Verdict


class Standing(StrEnum):
    """What a section's requirements are to the providers shown."""

    JUDGED = "judged"
    NOT_YET = "not-yet"
    OTHER_DOCUMENT = "other-document"


@dataclass(frozen=True, slots=True)
class Column:
    """One provider of one run."""

    results: RunResults
    provider: RunProvider
    title: str

    @property
    def broker(self) -> str:
        """The brokers' families and versions."""
        brokers = self.results.run.brokers
        return ", ".join(
            dict.fromkeys(" ".join(filter(None, (b.family, b.version))) for b in brokers)
        )

    @property
    def java(self) -> str:
        """See `Run.java_of`."""
        return self.results.run.java_of(self.provider.name)

    def speaks(self, document: str) -> bool:
        """False when that document does not speak of this client."""
        return (
            document in self.provider.documents
            or document not in self.results.run.not_applicable_documents
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """A requirement for a column: its worst verdict and what led there, worst first."""

    state: Verdict | None
    """None: no scenario has judged it yet."""
    judgements: tuple[VerdictLine, ...] = ()

    @property
    def key(self) -> str:
        """The state as an identifier for pages: `violates`, ..., `not-yet`."""
        return KEYS[self.state]


KEYS: dict[Verdict | None, str] = {
    Verdict.VIOLATES: "violates",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.DEVIATES: "deviates",
    Verdict.CONFORMS: "conforms",
    Verdict.NOT_APPLICABLE: "not-applicable",
    None: "not-yet",
}


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """A requirement across the columns."""

    requirement: Mapping[str, object]
    cells: tuple[Cell, ...]

    @property
    def id(self) -> str:
        """The requirement's id."""
        return str(self.requirement["id"])


@dataclass(frozen=True, slots=True)
class Section:
    """The requirements of one area of one document."""

    document: str
    area: str
    standing: Standing
    rows: tuple[RequirementRow, ...]

    def tally(self, column: int) -> Counter[str]:
        """Requirements per state of one column, keyed as `Cell.key`."""
        return Counter(row.cells[column].key for row in self.rows)


@dataclass(frozen=True, slots=True)
class Grid:
    """The whole matrix; sections judged first, then those to come, then other documents'."""

    columns: tuple[Column, ...]
    sections: tuple[Section, ...]

    def of(self, standing: Standing) -> tuple[Section, ...]:
        """The sections of one standing."""
        return tuple(section for section in self.sections if section.standing is standing)

    def tally(self, column: int) -> Counter[str]:
        """Requirements per state of one column over all sections."""
        total: Counter[str] = Counter()
        for section in self.sections:
            total.update(section.tally(column))
        return total


def document_of(requirement: Mapping[str, object]) -> str:
    """The prefix of a requirement's document: its `document`, else the first part of its id."""
    return str(requirement.get("document") or str(requirement["id"]).partition("-")[0])


def grid(all_results: Sequence[RunResults], requirements: Iterable[Mapping[str, object]]) -> Grid:
    """Lay out requirements, and every judged one that the catalogue does not know, as a matrix."""
    return lay_out(columns_of(all_results), requirements)


def lay_out(columns: Sequence[Column], requirements: Iterable[Mapping[str, object]]) -> Grid:
    """The same of columns that were named before."""
    judged = [_by_requirement(column.results.of(column.provider.name)) for column in columns]
    known = {str(entry["id"]): entry for entry in requirements}
    for by_requirement in judged:
        for name, judgements in by_requirement.items():
            known.setdefault(name, _unknown(judgements[0]))

    sections: dict[tuple[str, str], list[RequirementRow]] = {}
    for requirement in known.values():
        cells = tuple(
            _cell(column, document_of(requirement), by_requirement.get(str(requirement["id"]), ()))
            for column, by_requirement in zip(columns, judged, strict=True)
        )
        key = document_of(requirement), str(requirement["area"])
        sections.setdefault(key, []).append(RequirementRow(requirement, cells))
    laid_out = [
        Section(document, area, _standing(columns, document, rows), tuple(rows))
        for (document, area), rows in sections.items()
    ]
    order = list(Standing)
    return Grid(
        tuple(columns), tuple(sorted(laid_out, key=lambda section: order.index(section.standing)))
    )


def columns_of(all_results: Sequence[RunResults]) -> tuple[Column, ...]:
    """One column for each provider of each run, named by what distinguishes it from the others.

    That is its broker or its Java, and its run where these are the same. Runs of pairs of clients
    have none.
    """
    judged = [
        (results, provider)
        for results in all_results
        if not results.of_pairs
        for provider in results.run.providers
    ]
    named = titles([results.run.combination(provider.name) for results, provider in judged])
    count = Counter(named)
    return tuple(
        Column(results, provider, title if count[title] == 1 else f"{title} · {results.run.id}")
        for (results, provider), title in zip(judged, named, strict=True)
    )


def _by_requirement(judgements: Iterable[VerdictLine]) -> dict[str, tuple[VerdictLine, ...]]:
    lines: dict[str, list[VerdictLine]] = {}
    for judgement in judgements:
        lines.setdefault(judgement.requirement, []).append(judgement)
    return {name: tuple(sorted_worst_first(several)) for name, several in lines.items()}


def _cell(column: Column, document: str, judgements: tuple[VerdictLine, ...]) -> Cell:
    if judgements:
        return Cell(judgements[0].verdict, judgements)
    return Cell(None if column.speaks(document) else Verdict.NOT_APPLICABLE)


def _standing(columns: Sequence[Column], document: str, rows: Iterable[RequirementRow]) -> Standing:
    if not any(column.speaks(document) for column in columns):
        return Standing.OTHER_DOCUMENT
    judged = any(cell.judgements for row in rows for cell in row.cells)
    return Standing.JUDGED if judged else Standing.NOT_YET


def _unknown(judgement: VerdictLine) -> Mapping[str, object]:
    return {
        "id": judgement.requirement,
        "area": judgement.area,
        "document": judgement.document,
        "statement": "Not in the catalogue that this report was made with.",
        "source": [],
        "strength": judgement.strength,
    }
