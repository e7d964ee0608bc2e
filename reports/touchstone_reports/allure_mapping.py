"""What a scenario showed with one client, as Allure has it: the result that every writer takes.

What distinguishes a result from others is the scenario and the combination it was judged with: the
client, the broker, the Java. It stays the same over runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from allure_commons.model2 import (
    Label,
    Link,
    Parameter,
    Status,
    StatusDetails,
    TestResult,
    TestStepResult,
)
from allure_commons.types import LabelType, LinkType

from touchstone_reports.allure_severity import severity_of
from touchstone_reports.combination import Combination
from touchstone_reports.legible import legible, one_line, shorten
from touchstone_reports.results import VerdictLine
from touchstone_reports.verdicts import Verdict

STATUS = {
    Verdict.VIOLATES: Status.FAILED,
    Verdict.INCONCLUSIVE: Status.BROKEN,
    Verdict.DEVIATES: Status.PASSED,
    Verdict.CONFORMS: Status.PASSED,
    Verdict.NOT_APPLICABLE: Status.SKIPPED,
}


def result_of(
    judgements: Sequence[VerdictLine],
    combination: Combination,
    statements: Mapping[str, str],
    address: Callable[[str], str],
    statuses: Mapping[Verdict, str] = STATUS,
    *,
    machine: Mapping[str, object],
    run: str = "",
) -> TestResult:
    """Return the result of one scenario from its judgements, worst first; nothing is attached.

    `statements` has the texts of requirements by id, `address` where one is to be read. `machine`
    is that of run.json, `run` the id of the run where results of others stand beside it.
    """
    first = judgements[0]
    scenario = legible(first.scenario)
    identifying = identity(combination)
    started = int(min(judgement.started for judgement in judgements).timestamp() * 1000)
    return TestResult(
        fullName=scenario,
        name=scenario.partition("/")[2],
        testCaseId=stable_id(scenario),
        historyId=stable_id(scenario, *identifying.values()),
        titlePath=[legible(first.document), legible(first.area)],
        description="\n\n".join(
            f"**{judgement.requirement}** {statements.get(judgement.requirement, '')}"
            for judgement in judgements
        ),
        status=statuses[first.verdict],
        statusDetails=_details(first, statuses),
        stage="finished",
        start=started,
        stop=started + int(max(judgement.duration for judgement in judgements) * 1000),
        parameters=[
            *(Parameter(name=name, value=value) for name, value in identifying.items()),
            *not_identifying(
                {
                    "seed": str(first.seed),
                    "broker profile": first.broker_profile or "",
                    "worker": first.worker,
                }
            ),
        ],
        labels=[*_labels(judgements, combination), *_place(first, machine, run)],
        links=_links(judgements, address),
        steps=[_step(judgement, started, statuses) for judgement in judgements],
    )


def identity(combination: Combination) -> dict[str, str]:
    """Return the parameters that distinguish results of one scenario."""
    return {name: legible(value) for name, value in combination.parameters.items()}


def not_identifying(facts: Mapping[str, str]) -> list[Parameter]:
    """Return those of the facts that there are, as parameters that distinguish no results."""
    return [
        Parameter(name=name, value=legible(value), excluded=True)
        for name, value in facts.items()
        if value
    ]


def stable_id(*parts: str) -> str:
    """Return an id that stays the same over runs (32 hex digits)."""
    return hashlib.md5("\n".join(parts).encode(), usedforsecurity=False).hexdigest()


def _details(judgement: VerdictLine, statuses: Mapping[Verdict, str]) -> StatusDetails | None:
    if judgement.verdict is Verdict.CONFORMS:
        return None
    known = judgement.deviation
    shown = (
        ("expected", judgement.expected),
        ("seen", judgement.seen),
        ("deviation", f"{known.label}: {known.reason}" if known else None),
        ("rerun", judgement.rerun),
    )
    return StatusDetails(
        message=f"{judgement.label}: {shorten(judgement.reason or '', 2000)}",
        trace="\n".join(f"{name}: {shorten(value)}" for name, value in shown if value),
        known=True if known and statuses[judgement.verdict] == Status.PASSED else None,
    )


def _labels(judgements: Sequence[VerdictLine], combination: Combination) -> list[Label]:
    first = judgements[0]
    labels = [
        Label(name=LabelType.PARENT_SUITE, value=legible(combination.title)),
        Label(name=LabelType.SUITE, value=legible(first.document)),
        Label(name=LabelType.SUB_SUITE, value=legible(first.area)),
        Label(name=LabelType.EPIC, value=legible(first.document)),
        Label(name=LabelType.FEATURE, value=legible(first.area)),
        Label(name=LabelType.SEVERITY, value=severity_of(judgements).value),
        Label(name=LabelType.FRAMEWORK, value="touchstone"),
        Label(name=LabelType.LANGUAGE, value="python"),
    ]
    labels += [Label(name=LabelType.STORY, value=judgement.requirement) for judgement in judgements]
    tags = dict.fromkeys(judgement.label for judgement in judgements)
    tags |= dict.fromkeys(
        judgement.deviation.kind for judgement in judgements if judgement.deviation
    )
    return labels + [Label(name=LabelType.TAG, value=legible(tag)) for tag in tags]


def _place(judgement: VerdictLine, machine: Mapping[str, object], run: str) -> Iterable[Label]:
    """Where it ran, for Allure's timeline: a machine by what it is, as its name is nobody's."""
    threads = " of ".join(filter(None, (judgement.worker, run)))
    for name, value in ((LabelType.HOST, machine.get("platform")), (LabelType.THREAD, threads)):
        if value:
            yield Label(name=name, value=legible(str(value)))


def _links(judgements: Iterable[VerdictLine], address: Callable[[str], str]) -> list[Link]:
    links = []
    for judgement in judgements:
        name = judgement.requirement
        links.append(Link(type=LinkType.TEST_CASE, name=name, url=address(name)))
        if judgement.deviation and judgement.deviation.address:
            issue = Link(
                type=LinkType.ISSUE,
                name=legible(f"{judgement.deviation.label} ({judgement.requirement})"),
                url=legible(judgement.deviation.address),
            )
            links.append(issue)
    return links


def _step(judgement: VerdictLine, started: int, statuses: Mapping[Verdict, str]) -> TestStepResult:
    reason = f": {one_line(judgement.reason)}" if judgement.reason else ""
    parameters = [
        Parameter(name=legible(name), value=shorten(json.dumps(value), 500))
        for name, value in judgement.observables.items()
    ]
    return TestStepResult(
        name=f"{judgement.requirement} {judgement.label}{reason}",
        status=statuses[judgement.verdict],
        statusDetails=_details(judgement, statuses),
        stage="finished",
        parameters=parameters,
        start=started,
        stop=started + int(judgement.duration * 1000),
    )
