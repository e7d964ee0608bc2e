"""Allure results of a run: one result per scenario and provider, a step per requirement."""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from allure_commons.model2 import (
    ATTACHMENT_PATTERN,
    TEST_CASE_PATTERN,
    Attachment,
    Label,
    Link,
    Parameter,
    Status,
    StatusDetails,
    TestResult,
    TestStepResult,
)
from allure_commons.types import LabelType, LinkType
from attr import asdict

from touchstone_reports.legible import legible, one_line, shortened
from touchstone_reports.results import Judgement, RunResults, read_all, sorted_worst_first
from touchstone_reports.verdicts import Verdict

STATUS = {
    Verdict.VIOLATES: Status.FAILED,
    Verdict.INCONCLUSIVE: Status.BROKEN,
    Verdict.DEVIATES: Status.PASSED,
    Verdict.CONFORMS: Status.PASSED,
    Verdict.NOT_APPLICABLE: Status.SKIPPED,
}
CATEGORIES = (
    {
        "name": "Violates what a document recommends (should)",
        "matchedStatuses": [Status.FAILED],
        "messageRegex": r"(?s)VIOLATES\(should\).*",
    },
    {
        "name": "Deviates as documented",
        "matchedStatuses": [Status.FAILED],
        "messageRegex": r"(?s)DEVIATES-AS-DOCUMENTED.*",
    },
    {"name": "Violates its documentation", "matchedStatuses": [Status.FAILED]},
    {"name": "Could not be judged", "matchedStatuses": [Status.BROKEN]},
    {"name": "Does not apply to this client", "matchedStatuses": [Status.SKIPPED]},
)
_MIME = {".jsonl": "application/x-ndjson", ".json": "application/json", ".png": "image/png"}


def write(
    run_dirs: Path | Sequence[Path],
    requirements: Sequence[Mapping[str, object]],
    out_dir: Path,
    page: str = "../report.html",
    deviating: str = Status.PASSED,
) -> None:
    """Write allure-results of one or several runs into `out_dir`; writing twice changes nothing.

    `page` is the address of the matrix as the finished Allure report sees it: requirement ids
    link there. `deviating` is the status of a known deviation: passed and known, or failed, where
    rules tell Allure that it is accepted.
    """
    statuses = STATUS | {Verdict.DEVIATES: deviating}
    out_dir.mkdir(parents=True, exist_ok=True)
    statements = {str(one["id"]): legible(str(one["statement"])) for one in requirements}
    all_results = read_all(run_dirs)
    for results in all_results:
        for provider in results.run.providers:
            for judgements in by_scenario(results.of(provider.name)).values():
                _write_result(results, judgements, statements, out_dir, page, statuses)
    _write_text(out_dir / "environment.properties", _environment(all_results))
    _write_text(out_dir / "categories.json", json.dumps(CATEGORIES, indent=2))


def by_scenario(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Returns what each scenario showed, the worst first."""
    scenarios: dict[str, list[Judgement]] = {}
    for one in judgements:
        scenarios.setdefault(one.scenario, []).append(one)
    return {name: sorted_worst_first(several) for name, several in scenarios.items()}


def _write_result(
    results: RunResults,
    judgements: Sequence[Judgement],
    statements: Mapping[str, str],
    out_dir: Path,
    page: str,
    statuses: Mapping[Verdict, str],
) -> None:
    first = judgements[0]
    scenario, provider = legible(first.scenario), legible(first.provider)
    run = legible(results.run.id)
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{run}\n{scenario}\n{provider}"))
    started = int(min(one.started for one in judgements).timestamp() * 1000)
    result = TestResult(
        uuid=identity,
        fullName=scenario,
        name=scenario.partition("/")[2],
        testCaseId=stable_id(scenario),
        historyId=stable_id(scenario, provider),
        titlePath=[legible(first.document), legible(first.area)],
        description="\n\n".join(
            f"**{one.requirement}** {statements.get(one.requirement, '')}" for one in judgements
        ),
        status=statuses[first.verdict],
        statusDetails=_details(first, statuses),
        stage="finished",
        start=started,
        stop=started + int(max(one.duration for one in judgements) * 1000),
        parameters=[
            Parameter(name="provider", value=provider),
            *_not_identifying(results, first),
        ],
        labels=_labels(judgements),
        links=_links(judgements, page),
        steps=[_step(one, started, statuses) for one in judgements],
    )
    for number, path in enumerate(_files(judgements)):
        source = results.file(path)
        if source is None:
            result.steps.append(
                TestStepResult(
                    name=f"{legible(path)} is missing from the run directory",
                    status=Status.BROKEN,
                    start=started,
                    stop=started,
                )
            )
            continue
        suffix = source.suffix or ".txt"
        name = ATTACHMENT_PATTERN.format(prefix=f"{identity}-{number}", ext=suffix[1:])
        shutil.copyfile(source, out_dir / name)
        mime = _MIME.get(suffix, "text/plain")
        result.attachments.append(Attachment(name=legible(path), source=name, type=mime))
    data = asdict(result, filter=lambda _, value: bool(value) or value is False)
    _write_text(
        out_dir / TEST_CASE_PATTERN.format(prefix=identity),
        json.dumps(data, ensure_ascii=False, indent=1),
    )


def stable_id(*parts: str) -> str:
    """Returns an id that stays the same over runs (32 hex digits)."""
    return hashlib.md5("\n".join(parts).encode(), usedforsecurity=False).hexdigest()


def _details(one: Judgement, statuses: Mapping[Verdict, str]) -> StatusDetails | None:
    if one.verdict is Verdict.CONFORMS:
        return None
    shown = (
        ("expected", one.expected),
        ("seen", one.seen),
        ("deviation", one.deviation.reason if one.deviation else None),
        ("rerun", one.rerun),
    )
    return StatusDetails(
        message=f"{one.label}: {shortened(one.reason or '', 2000)}",
        trace="\n".join(f"{name}: {shortened(value)}" for name, value in shown if value),
        known=True if one.deviation and statuses[one.verdict] == Status.PASSED else None,
    )


def _not_identifying(results: RunResults, one: Judgement) -> list[Parameter]:
    facts = {
        "run": results.run.id,
        "seed": str(one.seed),
        "broker profile": one.broker_profile or "",
        "worker": one.worker,
    }
    return [
        Parameter(name=name, value=legible(value), excluded=True)
        for name, value in facts.items()
        if value
    ]


def _labels(judgements: Sequence[Judgement]) -> list[Label]:
    first = judgements[0]
    labels = [
        Label(name=LabelType.PARENT_SUITE, value=legible(first.provider)),
        Label(name=LabelType.SUITE, value=legible(first.document)),
        Label(name=LabelType.SUB_SUITE, value=legible(first.area)),
        Label(name=LabelType.EPIC, value=legible(first.document)),
        Label(name=LabelType.FEATURE, value=legible(first.area)),
        Label(name=LabelType.FRAMEWORK, value="touchstone"),
        Label(name=LabelType.LANGUAGE, value="python"),
    ]
    labels += [Label(name=LabelType.STORY, value=one.requirement) for one in judgements]
    tags = dict.fromkeys(one.label for one in judgements)
    tags |= dict.fromkeys(one.deviation.kind for one in judgements if one.deviation)
    return labels + [Label(name=LabelType.TAG, value=legible(tag)) for tag in tags]


def _links(judgements: Iterable[Judgement], page: str) -> list[Link]:
    links = []
    for one in judgements:
        link = Link(
            type=LinkType.TEST_CASE, name=one.requirement, url=f"{page}#open={one.requirement}"
        )
        links.append(link)
        if one.deviation and one.deviation.address:
            issue = Link(
                type=LinkType.ISSUE,
                name=legible(f"{one.deviation.label} ({one.requirement})"),
                url=legible(one.deviation.address),
            )
            links.append(issue)
    return links


def _step(one: Judgement, started: int, statuses: Mapping[Verdict, str]) -> TestStepResult:
    reason = f": {one_line(one.reason)}" if one.reason else ""
    parameters = [
        Parameter(name=legible(name), value=shortened(json.dumps(value), 500))
        for name, value in one.observables.items()
    ]
    return TestStepResult(
        name=f"{one.requirement} {one.label}{reason}",
        status=statuses[one.verdict],
        statusDetails=_details(one, statuses),
        stage="finished",
        parameters=parameters,
        start=started,
        stop=started + int(one.duration * 1000),
    )


def _files(judgements: Iterable[Judgement]) -> list[str]:
    """Evidence and traces of these judgements, each once."""
    return list(
        dict.fromkeys(path for one in judgements for path in (one.evidence, one.trace) if path)
    )


def _environment(all_results: Sequence[RunResults]) -> str:
    """Java properties; facts of the second and later runs carry the run's id."""
    lines = []
    for index, results in enumerate(all_results):
        run = results.run
        prefix = f"{run.id}." if index else ""
        facts = {
            "run": run.id,
            "started": run.started.isoformat(),
            "finished": run.finished.isoformat() if run.finished else "not finished",
            "seed": str(run.seed),
            "touchstone": run.touchstone,
            "python": run.python,
        }
        facts |= {f"machine.{name}": str(value) for name, value in run.machine.items()}
        facts |= {
            f"provider.{one.name}": " ".join(filter(None, (one.version, one.transport)))
            for one in run.providers
        }
        facts |= {
            f"broker.{one.family}.{one.profile or one.way}": f"{one.version or ''} {one.way}"
            for one in run.brokers
        }
        lines += [
            f"{_property(prefix + name, key=True)}={_property(value)}"
            for name, value in facts.items()
        ]
    return "\n".join(lines) + "\n"


def _property(text: str, key: bool = False) -> str:
    escaped = legible(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    for special in " =:#!" if key else "":
        escaped = escaped.replace(special, f"\\{special}")
    return "".join(
        char if ord(char) < 0x7F else "".join(f"\\u{unit:04x}" for unit in _utf16(char))
        for char in escaped
    )


def _utf16(char: str) -> tuple[int, ...]:
    data = char.encode("utf-16-be")
    return tuple(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
