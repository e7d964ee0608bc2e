"""How much of each document is judged, and with which outcome: pure counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass

from touchstone.catalogue.requirements import Requirement
from touchstone.verdicts import Verdict


@dataclass(frozen=True)
class Coverage:
    """One document's area: counts of requirements.

    `judged` have a verdict other than NOT-APPLICABLE; `not_judged` have a scenario but no verdict
    in the run that was read. An area without any scenario is `not_yet`: none of it counts.
    """

    document: str
    area: str
    total: int
    with_scenario: int
    permissive: int
    conforms: int
    deviates: int
    violates: int
    inconclusive: int
    not_applicable: int
    not_judged: int

    @property
    def not_yet(self) -> bool:
        """Whether no requirement here has a scenario."""
        return self.with_scenario == 0

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {**asdict(self), "not_yet": self.not_yet}


@dataclass(frozen=True)
class DrawnCoverage:
    """What drawn programs say of one document's area."""

    document: str
    area: str
    total: int
    without: tuple[str, ...]
    """The statements that no drawn program judges."""
    undecided: tuple[str, ...]
    """Those that drawn programs judge, and that none of the run that was read has decided."""
    decided: int | None
    """How often those of the run have decided one; None without a run of drawn programs."""

    @property
    def judged(self) -> int:
        """How many statements drawn programs judge."""
        return self.total - len(self.without)

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {**asdict(self), "judged": self.judged}


def drawn_coverage(
    requirements: Iterable[Requirement],
    judged_by_drawn: Collection[str],
    decided: Mapping[str, int] | None,
) -> tuple[DrawnCoverage, ...]:
    """One row for each document and area; `decided` has the counts of a run by statement."""

    def row(document: str, area: str, ids: list[str]) -> DrawnCoverage:
        judged = [id_ for id_ in ids if id_ in judged_by_drawn]
        return DrawnCoverage(
            document,
            area,
            len(ids),
            without=tuple(id_ for id_ in ids if id_ not in judged_by_drawn),
            undecided=()
            if decided is None
            else tuple(id_ for id_ in judged if not decided.get(id_)),
            decided=None if decided is None else sum(decided.get(id_, 0) for id_ in judged),
        )

    return tuple(row(document, area, ids) for (document, area), ids in _by_area(requirements))


def _by_area(requirements: Iterable[Requirement]) -> Iterable[tuple[tuple[str, str], list[str]]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for requirement in requirements:
        groups.setdefault((requirement.document, requirement.area), []).append(requirement.id)
    return groups.items()


def coverage(
    requirements: Iterable[Requirement],
    judged_by: Mapping[str, object],
    permissive: Iterable[str],
    verdicts: Mapping[str, Verdict],
) -> tuple[Coverage, ...]:
    """One row for each document and area, in the order of the requirements.

    `judged_by` has an entry for each requirement with a scenario; `verdicts` has the worst verdict
    of each requirement that a run judged.
    """
    loose = frozenset(permissive)
    return tuple(
        _row(document, area, ids, judged_by, loose, verdicts)
        for (document, area), ids in _by_area(requirements)
    )


def total(rows: Iterable[Coverage], document: str) -> Coverage:
    """The sum of a document's rows."""
    sums = Counter[str]()
    for row in rows:
        if row.document == document:
            sums.update({name: n for name, n in asdict(row).items() if isinstance(n, int)})
    return Coverage(document, "all areas", **{name: sums[name] for name in _COUNTS})


_COUNTS = (
    "total",
    "with_scenario",
    "permissive",
    "conforms",
    "deviates",
    "violates",
    "inconclusive",
    "not_applicable",
    "not_judged",
)


def _row(
    document: str,
    area: str,
    ids: list[str],
    judged_by: Mapping[str, object],
    permissive: frozenset[str],
    verdicts: Mapping[str, Verdict],
) -> Coverage:
    counts = Counter(verdicts.get(id_) for id_ in ids if id_ in judged_by)
    return Coverage(
        document=document,
        area=area,
        total=len(ids),
        with_scenario=sum(id_ in judged_by for id_ in ids),
        permissive=sum(id_ in permissive for id_ in ids),
        conforms=counts[Verdict.CONFORMS],
        deviates=counts[Verdict.DEVIATES],
        violates=counts[Verdict.VIOLATES],
        inconclusive=counts[Verdict.INCONCLUSIVE],
        not_applicable=counts[Verdict.NOT_APPLICABLE],
        not_judged=counts[None],
    )
