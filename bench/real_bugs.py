"""Which real bugs of released clients are noticed, by the release that had one and the next.

`real_bugs.toml` has the bugs, each from the public tracker of its client. One is noticed where a
scenario, or programs that nobody wrote, judge a statement that it breaks otherwise than CONFORMS on
the one release, and CONFORMS on the other. Releases that are not locked are resolved by Maven.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import kept
from bench.catalogue import run
from jms_clients.readiness import versions
from jms_clients.registry import load_provider
from touchstone.verdicts import Verdict

TABLE: Final = Path(__file__).with_suffix(".toml")
_NOT_RIGHT: Final = (Verdict.VIOLATES, Verdict.DEVIATES)


@dataclass(frozen=True)
class Bug:
    """A bug of a released client; `mended` is empty where no release has mended it."""

    client: str
    tracker: str
    """Its id there, as QPIDJMS-617; `#N` is a pull request or an issue."""
    fault: str
    statements: tuple[str, ...]
    """The requirements that it breaks."""
    broken: str
    """A release that has it."""
    mended: str = ""
    shown_by: str = ""
    """Part of the reason in which it shows; needed where no release has mended it."""


@dataclass(frozen=True)
class BugResult:
    """What became of a bug: the scenarios that noticed it, with the statement and the reason."""

    bug: Bug
    scenarios: tuple[tuple[str, str, str], ...]
    unjudged: tuple[str, ...]
    """Statements without any verdict that says something on either release."""


Verdicts = Mapping[tuple[str, str], tuple[Verdict, str]]
"""By scenario and requirement: verdict and reason."""


def bugs(client: str | None = None) -> tuple[Bug, ...]:
    """The bugs of the table, or of one client."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["bug"]
    every = (Bug(**{**row, "statements": tuple(row["statements"])}) for row in rows)
    return tuple(bug for bug in every if client in (None, bug.client))


def measure(chosen: Sequence[Bug]) -> Iterator[BugResult]:
    """Judge the releases of the bugs on the statements that they break."""
    ids: dict[str, set[str]] = defaultdict(set)
    for bug in chosen:
        for version in filter(None, (bug.broken, bug.mended)):
            ids[f"{bug.client}@{version}"].update(bug.statements)
    judged = {provider: _judge(provider, sorted(wanted)) for provider, wanted in ids.items()}
    for bug in chosen:
        mended = judged[f"{bug.client}@{bug.mended}"] if bug.mended else None
        yield result_of(bug, judged[f"{bug.client}@{bug.broken}"], mended)


def result_of(bug: Bug, broken: Verdicts, mended: Verdicts | None) -> BugResult:
    """What became of a bug, by the verdicts on both releases."""
    seen = tuple(
        (scenario, requirement, reason)
        for (scenario, requirement), (verdict, reason) in sorted(broken.items())
        if requirement in bug.statements
        and verdict in _NOT_RIGHT
        and bug.shown_by in reason
        and (mended is None or _conforms(mended, scenario, requirement))
    )
    said = {
        requirement
        for verdicts in (broken, mended or broken)
        for (_, requirement), (verdict, _) in verdicts.items()
        if verdict in (Verdict.CONFORMS, *_NOT_RIGHT)
    }
    return BugResult(bug, seen, tuple(id_ for id_ in bug.statements if id_ not in said))


def _conforms(verdicts: Verdicts, scenario: str, requirement: str) -> bool:
    verdict, _ = verdicts.get((scenario, requirement), (None, ""))
    return verdict is Verdict.CONFORMS


def _judge(provider: str, ids: Sequence[str]) -> Verdicts:
    _lock(provider)
    options = [word for id_ in ids for word in ("--requirement", id_)]
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
        options += ["--drawn", "--touchstone-seed", "1"]
        _, _, results = run(provider, 2, Path(folder), *options)
    return {
        (line.scenario, line.requirement): (line.verdict, line.reason or "")
        for line in results.judgements
    }


def _lock(provider: str) -> None:
    name, _, version = provider.partition("@")
    if version in versions(load_provider(name)):
        return
    clients = tomllib.loads(TABLE.read_text(encoding="utf-8"))["clients"]
    locked = [
        coordinates if coordinates.count(":") > 1 else f"{coordinates}:{version}"
        for coordinates in clients[name]
    ]
    command = [sys.executable, "-m", "touchstone", "lock", *locked, "--as", name]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def keep(client: str | None, notices: Sequence[BugResult]) -> Path:
    """Write what was noticed to bench/results; gives the file."""
    rows = [
        {
            "client": each.bug.client,
            "tracker": each.bug.tracker,
            "broken": each.bug.broken,
            "mended": each.bug.mended,
            "noticed_by": [
                {"scenario": scenario, "requirement": requirement, "reason": reason}
                for scenario, requirement, reason in each.scenarios
            ],
            "unjudged": list(each.unjudged),
        }
        for each in notices
    ]
    return kept.keep("real-bugs", {"client": client, "bugs": len(rows)}, {"bugs": rows})
