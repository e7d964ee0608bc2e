"""All that the pages of a site tell of, found out once: who was judged, where they stand, why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from touchstone_reports.grid import Cell, Column, Grid, RequirementRow, document_of, lay_out
from touchstone_reports.results import RunResults, VerdictLine
from touchstone_reports.site.facts import (
    ClientFacts,
    FindingCase,
    FindingFacts,
    Known,
    finding_id,
)
from touchstone_reports.site.judged import Judged, by_client, columns, current, judged_by

_DEFECT = "known-defect"


@dataclass(frozen=True, slots=True)
class Told:
    """A client in one version on one broker: what the site tells of it now."""

    judged: Judged
    column: Column
    index: int
    """Of its column in the matrix."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A verdict of the current runs that a finding explains."""

    told: Told
    line: VerdictLine


@dataclass(frozen=True)
class Contents:
    """What every page is made from."""

    known: Known
    judged: Sequence[Judged]
    """Every client of every run, the newest first."""
    told: Sequence[Told]
    """By client, the newest version of each first."""
    matrix: Grid
    findings: Sequence[FindingFacts]
    """Of the clients that were judged, the worst first."""
    sightings: Mapping[str, Sequence[Sighting]]
    """By the id of a finding."""
    pairs: Sequence[RunResults]
    """The runs of pairs of clients."""

    @cached_property
    def clients(self) -> Sequence[str]:
        """The clients by name, without versions."""
        return list(dict.fromkeys(told.judged.client for told in self.told))

    @cached_property
    def newest(self) -> Sequence[Told]:
        """The newest version of each client, on its broker."""
        return [next(iter(self.told_of(client))) for client in self.clients]

    @cached_property
    def history(self) -> Mapping[str, Sequence[Judged]]:
        """By client each time that it was judged, the newest first."""
        return by_client(self.judged)

    def told_of(self, client: str) -> Iterable[Told]:
        """What is told of a client, the newest version first."""
        return (told for told in self.told if told.judged.client == client)

    def client(self, name: str) -> ClientFacts:
        """What a client is, by its name."""
        return self.known.clients.get(name) or ClientFacts(name)

    def title(self, document: str) -> str:
        """What a document is called, by its prefix."""
        return self.known.titles.get(document, document)

    def findings_of(self, client: str) -> Sequence[FindingFacts]:
        """Those of a client, the worst first."""
        return [finding for finding in self.findings if finding.client == client]

    def findings_on(self, requirement: str) -> Sequence[FindingFacts]:
        """Those on a requirement, of every client, the worst first."""
        return self._by_requirement.get(requirement, ())

    def cell(self, row: RequirementRow, told: Told) -> Cell:
        """Where a client stands with a requirement."""
        return row.cells[told.index]

    def finding_of(self, client: str, line: VerdictLine) -> FindingFacts | None:
        """The finding that explains a verdict."""
        if line.deviation is None:
            return None
        return self._by_reason.get((client, line.deviation.reason))

    @cached_property
    def _by_requirement(self) -> Mapping[str, Sequence[FindingFacts]]:
        found: dict[str, list[FindingFacts]] = {}
        for finding in self.findings:
            for id_ in finding.requirements:
                found.setdefault(id_, []).append(finding)
        return found

    @cached_property
    def _by_reason(self) -> Mapping[tuple[str, str], FindingFacts]:
        return _findings_by_reason(self.findings)


def contents(runs: Iterable[RunResults], known: Known) -> Contents:
    """Find it out from the runs, and from what is known besides."""
    all_runs = list(runs)
    judged = judged_by(all_runs)
    chosen = current(judged)
    told = [
        Told(one, column, index)
        for index, (one, column) in enumerate(zip(chosen, columns(chosen), strict=True))
    ]
    matrix = lay_out([each.column for each in told], known.requirements)
    names = {one.client for one in judged}
    of_catalogue = [finding for finding in known.findings if finding.client in names]
    by_reason = _findings_by_reason(of_catalogue)
    unknown: dict[tuple[str, str], list[VerdictLine]] = {}
    sightings: dict[tuple[str, str], list[Sighting]] = {}
    for each in told:
        for line in each.judged.results.of(each.judged.provider.name):
            if line.deviation is not None:
                key = each.judged.client, line.deviation.reason
                sightings.setdefault(key, []).append(Sighting(each, line))
                if key not in by_reason and line.deviation.kind == _DEFECT:
                    unknown.setdefault(key, []).append(line)
    findings = [*of_catalogue, *(_recorded(*key, lines) for key, lines in unknown.items())]
    return Contents(
        known=known,
        judged=judged,
        told=told,
        matrix=matrix,
        findings=findings,
        sightings={
            finding.id: sightings.get((finding.client, finding.reason), ()) for finding in findings
        },
        pairs=[results for results in all_runs if results.of_pairs],
    )


def documents_of(matrix: Grid) -> list[str]:
    """The prefixes of the documents, in the order of the matrix."""
    return list(dict.fromkeys(document_of(row.requirement) for row in rows_of(matrix)))


def rows_of(matrix: Grid) -> list[RequirementRow]:
    """Every requirement."""
    return [row for section in matrix.sections for row in section.rows]


def _findings_by_reason(
    findings: Iterable[FindingFacts],
) -> dict[tuple[str, str], FindingFacts]:
    return {(finding.client, finding.reason): finding for finding in findings}


def _recorded(client: str, reason: str, lines: Sequence[VerdictLine]) -> FindingFacts:
    """A defect of which only the runs know, as those of others may: by what their lines say."""
    places = dict.fromkeys((line.requirement, line.scenario) for line in lines)
    known = [line.deviation for line in lines if line.deviation is not None]
    return FindingFacts(
        id=finding_id(client, "recorded", reason),
        client=client,
        reason=reason,
        cases=tuple(FindingCase(*place) for place in places),
        faults=tuple(sorted({each.fault for each in known})),
        options=tuple(sorted({each.option for each in known if each.option})),
        links=tuple(sorted({each.address for each in known if each.address})),
    )
