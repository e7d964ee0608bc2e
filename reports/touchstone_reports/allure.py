"""Allure results of a run: one result per scenario and combination, a step per requirement."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from allure_commons.model2 import (
    ATTACHMENT_PATTERN,
    TEST_CASE_PATTERN,
    Attachment,
    Status,
    TestResult,
    TestStepResult,
)
from attr import asdict

from touchstone_reports.allure_mapping import STATUS, not_identifying, result_of
from touchstone_reports.legible import legible
from touchstone_reports.results import RunResults, VerdictLine, read_all, sorted_worst_first
from touchstone_reports.verdicts import Verdict

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
    statements = statements_of(requirements)
    all_results = read_all(run_dirs)
    for results in all_results:
        for result, files in results_of(
            results, statements, lambda name: f"{page}#open={name}", statuses
        ):
            for attachment, source in files:
                shutil.copyfile(source, out_dir / attachment.source)
            data = asdict(result, filter=lambda _, value: bool(value) or value is False)
            _write_text(
                out_dir / TEST_CASE_PATTERN.format(prefix=result.uuid),
                json.dumps(data, ensure_ascii=False, indent=1),
            )
    _write_text(out_dir / "environment.properties", _environment(all_results))
    _write_text(out_dir / "executor.json", json.dumps(_executor(all_results), indent=2))
    _write_text(out_dir / "categories.json", json.dumps(CATEGORIES, indent=2))


def statements_of(requirements: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Return the text of each requirement, by its id."""
    return {
        str(requirement["id"]): legible(str(requirement["statement"]))
        for requirement in requirements
    }


def results_of(
    results: RunResults,
    statements: Mapping[str, str],
    address: Callable[[str], str],
    statuses: Mapping[Verdict, str] = STATUS,
) -> Iterator[tuple[TestResult, list[tuple[Attachment, Path]]]]:
    """Yields the results of a run, each with the files that are to be attached to it."""
    for provider in results.run.providers:
        combination = results.run.combination(provider.name)
        for judgements in by_scenario(results.of(provider.name)).values():
            result = result_of(
                *(judgements, combination, statements, address, statuses),
                machine=results.run.machine,
                run=results.run.id,
            )
            named = (legible(results.run.id), result.fullName, legible(provider.name))
            result.uuid = str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(named)))
            result.parameters += not_identifying({"run": results.run.id})
            yield result, list(_attach_files(result, judgements, results))


def by_scenario(judgements: Iterable[VerdictLine]) -> dict[str, list[VerdictLine]]:
    """Return what each scenario showed, the worst first."""
    scenarios: dict[str, list[VerdictLine]] = {}
    for judgement in judgements:
        scenarios.setdefault(judgement.scenario, []).append(judgement)
    return {name: sorted_worst_first(several) for name, several in scenarios.items()}


def attachment_of(prefix: str, path: str) -> Attachment:
    """Return how a file of a run is attached: by its path there, under a name of its own."""
    suffix = Path(path).suffix or ".txt"
    source = ATTACHMENT_PATTERN.format(prefix=prefix, ext=suffix[1:])
    return Attachment(name=legible(path), source=source, type=_MIME.get(suffix, "text/plain"))


def _attach_files(
    result: TestResult, judgements: Sequence[VerdictLine], results: RunResults
) -> Iterator[tuple[Attachment, Path]]:
    """Attach evidence and traces; a step says what is missing."""
    for number, path in enumerate(_files(judgements)):
        source = results.file(path)
        if source is None:
            result.steps.append(
                TestStepResult(
                    name=f"{legible(path)} is missing from the run directory",
                    status=Status.BROKEN,
                    start=result.start,
                    stop=result.start,
                )
            )
            continue
        attachment = attachment_of(f"{result.uuid}-{number}", path)
        result.attachments.append(attachment)
        yield attachment, source


def _files(judgements: Iterable[VerdictLine]) -> list[str]:
    """Evidence and traces of these judgements, each once."""
    return list(
        dict.fromkeys(
            path
            for judgement in judgements
            for path in (judgement.evidence, judgement.trace)
            if path
        )
    )


def _executor(all_results: Sequence[RunResults]) -> dict[str, object]:
    """What made these results: the suite, and as the build the runs, in the order of time."""
    runs = sorted((results.run for results in all_results), key=lambda run: run.started)
    return {
        "name": legible(f"Touchstone {runs[-1].touchstone}"),
        "type": "touchstone",
        "buildName": legible(", ".join(run.id for run in runs)),
        "buildOrder": int(runs[-1].started.timestamp()),
    }


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
        facts |= {"java": run.java} if run.java else {}
        facts |= {f"machine.{name}": str(value) for name, value in run.machine.items()}
        facts |= {
            f"provider.{provider.name}": " ".join(
                filter(None, (provider.version, provider.transport))
            )
            for provider in run.providers
        }
        facts |= {
            f"broker.{broker.family}.{broker.profile or broker.way}": (
                f"{broker.version or ''} {broker.way}"
            )
            for broker in run.brokers
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
