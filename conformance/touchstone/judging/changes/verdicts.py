"""What becomes of a change: judged by the scenarios that reach it, cheapest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from jms_clients.mutants.changes.changes import Change
from touchstone.judging.changes.reach import Reach
from touchstone.judging.changes.runs import ChangeRuns
from touchstone.judging.changes.task import ChangeTask, ScenarioResult

_FIRST = 25
"""Scenarios of the first run, which notice most changes: few files are collected for it."""
_SLACK = 60.0
"""Seconds that a run may take beyond twice what its scenarios took on the right reference."""


class ChangeFate(StrEnum):
    """What became of a change."""

    NOTICED = "noticed"
    SURVIVED = "survived"
    ARGUED = "argued"
    """It survived, and an argument says why nobody can see it."""
    UNREACHED = "unreached"
    """No scenario reaches its statement."""


@dataclass(frozen=True)
class Judged:
    """One change, and what became of it."""

    change: Change
    fate: ChangeFate
    provider: str = ""
    scenarios: int = 0
    """How many judged it."""
    noticed_by: str = ""
    """The scenario that noticed it."""
    reason: str = ""
    ended: bool = False
    """Whether a run was ended by force, with time or memory used up."""


def reached(change: Change, reaches: Iterable[Reach]) -> bool:
    """Whether a scenario of any of these providers judges it."""
    return any(reach.reaching((change.module, change.line)) for reach in reaches)


def judge(
    change: Change, reaches: Sequence[Reach], runs: Mapping[str, ChangeRuns], budget: float
) -> Judged:
    """What becomes of `change` on the first provider that reaches it.

    No more scenarios are asked than took `budget` seconds together on the right reference.
    """
    for reach in reaches:
        chosen = reach.reaching((change.module, change.line))
        if chosen:
            return _judge(change, reach, _within(budget, chosen, reach), runs[reach.provider])
    return Judged(change, ChangeFate.UNREACHED)


def _within(budget: float, chosen: Sequence[str], reach: Reach) -> list[str]:
    kept: list[str] = []
    spent = 0.0
    for scenario in chosen:
        spent += reach.scenarios[scenario].seconds
        if kept and spent > budget:
            break
        kept.append(scenario)
    return kept


def _judge(change: Change, reach: Reach, chosen: Sequence[str], runs: ChangeRuns) -> Judged:
    judged, ended = 0, False
    for scenarios in (chosen[:_FIRST], chosen[_FIRST:]):
        if not scenarios:
            continue
        took = [reach.scenarios[scenario].seconds for scenario in scenarios]
        known = reach.known(scenarios)
        task = ChangeTask("", _SLACK + 2 * sum(took), change.id, tuple(scenarios), known)
        files = {reach.scenarios[scenario].file for scenario in scenarios}
        told = runs.run(task, files, max(took))
        judged += len(told)
        for result in told:
            if _notices(result, known):
                by, reason = result.scenario, result.reason
                return Judged(change, ChangeFate.NOTICED, reach.provider, judged, by, reason, ended)
        ended = ended or len(told) < len(scenarios)
    return Judged(change, ChangeFate.SURVIVED, reach.provider, judged, ended=ended)


def _notices(told: ScenarioResult, known: Sequence[tuple[str, str]]) -> bool:
    return any(
        verdict == "VIOLATES" and (told.scenario, id_) not in known
        for id_, verdict in told.verdicts.items()
    )
