"""How severe Allure is told that a result is: by what a user suffers, else by what was promised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from allure_commons.types import Severity

from touchstone_reports.results import VerdictLine

BY_EFFECT: Final[Mapping[str, Severity]] = {
    "loss": Severity.BLOCKER,
    "duplicates": Severity.BLOCKER,
    "hang": Severity.CRITICAL,
    "wrong delivery": Severity.CRITICAL,
    "wrong data": Severity.CRITICAL,
    "wrong exception": Severity.NORMAL,
    "missing": Severity.NORMAL,
    "wording": Severity.TRIVIAL,
}
"""Of a known deviation, by its effect: see results.schema.json."""

BY_STRENGTH: Final[Mapping[str, Severity]] = {
    "must": Severity.CRITICAL,
    "should": Severity.MINOR,
    "may": Severity.MINOR,
}
"""Of everything else."""

_WORST_FIRST = tuple(Severity)


def severity_of(judgements: Sequence[VerdictLine]) -> Severity:
    """The severity of a scenario: the worst of those judgements, worst first, that decide it."""
    decisive = [line for line in judgements if line.verdict is judgements[0].verdict]
    return min((_severity(line) for line in decisive), key=_WORST_FIRST.index)


def _severity(line: VerdictLine) -> Severity:
    if line.deviation and line.deviation.effect:
        return BY_EFFECT[line.deviation.effect]
    return BY_STRENGTH[line.strength]
