"""A run that did not finish goes on: what of it counts, and what must not have changed.

What it has judged stays as it was judged; what has no verdict, or only that its process ended, is
judged. So nothing but the moment may be other: client, broker, catalogue, harness, seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from touchstone.catalogue import Library
from touchstone.errors import UsageError
from touchstone.judging.crashes import LOST
from touchstone.results.run_folder import PART, RUN, VERDICTS, is_written
from touchstone.verdicts import Verdict
from touchstone_reports.results import read

_SAME = ("seed", "touchstone", "python", "java")
_SAME_OF_CLIENT = ("name", "version", "transport", "documents", "capabilities")
_SAME_OF_BROKER = ("family", "way", "version")
_SOURCES = frozenset({".py", ".toml"})

Pair = tuple[str, str]
"""A scenario and a requirement that it judges."""


@dataclass(frozen=True)
class Earlier:
    """What there is of a run that goes on."""

    folder: Path
    facts: Mapping[str, Any]
    """run.json."""
    lines: Sequence[dict[str, Any]]


_EARLIER = pytest.StashKey[Earlier]()


def earlier(folder: Path) -> Earlier:
    """The run in a folder; `UsageError` where it still goes on, `ResultsError` if it is damaged."""
    read(folder)
    if is_written(folder):
        raise UsageError(f"{folder} still goes on", hint="Wait until it ends, or end it.")
    facts = json.loads((folder / RUN).read_text("utf-8"))
    files = [file for name in (VERDICTS, PART) if (file := folder / name).exists()]
    lines = files[0].read_bytes().split(b"\n") if files else []
    return Earlier(folder, facts, [json.loads(line) for line in lines[:-1]])


def earlier_of(config: pytest.Config) -> Earlier | None:
    """The run that this process goes on with, read once; None for a run of its own."""
    if not config.option.touchstone_resume:
        return None
    if _EARLIER not in config.stash:
        config.stash[_EARLIER] = earlier(Path(config.option.touchstone_resume))
    return config.stash[_EARLIER]


def pairs_of(config: pytest.Config) -> list[Pair]:
    """What counts of the run that this process, or the controller of this worker, goes on with."""
    told = getattr(config, "workerinput", {}).get("touchstone", {})
    if "judged" in told:
        return [(scenario, requirement) for scenario, requirement in told["judged"]]
    before = earlier_of(config)
    return [_pair(line) for line in _counting(before.lines)] if before is not None else []


def judged(asked: Mapping[str, Iterable[str]], pairs: Collection[Pair]) -> frozenset[str]:
    """Those of the scenarios in `asked`, with their requirements, that are judged on all of them.

    A run may have been ended between two lines of one.
    """
    there = frozenset(pairs)
    return frozenset(
        scenario for scenario, ids in asked.items() if all((scenario, id_) in there for id_ in ids)
    )


def lines_kept(
    lines: Iterable[dict[str, Any]], scenarios: Collection[str], excused: Collection[Pair]
) -> list[dict[str, Any]]:
    """The lines that count: those of `scenarios`, which are judged, and of what was `excused`."""
    return [
        line for line in _counting(lines) if line["scenario"] in scenarios or _pair(line) in excused
    ]


def refuse_what_changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """`UsageError` says in a line what differs between run.json as it was and as it would be."""
    told = [f"{what} was {old}, is {new}" for what, old, new in _changes(before, now)]
    if told:
        raise UsageError(f"{before['id']} cannot go on as one run: {'; '.join(told)}")


def fingerprint(library: Library, further: Iterable[Path]) -> str:
    """What tells catalogues, with their known deviations and `further` files, from changed ones."""
    roots = [Path(str(catalogue.files)) for catalogue in library.catalogues]
    sources = [file for root in roots for file in sorted(root.rglob("*")) if _is_source(file)]
    whole = hashlib.sha256()
    for file in (*sources, *further):
        whole.update(f"{file.name}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()[:16]


def _is_source(file: Path) -> bool:
    return file.suffix in _SOURCES and file.is_file()


def _counting(lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for line in lines:
        lost = line["verdict"] == Verdict.INCONCLUSIVE and line["reason"].startswith(LOST)
        if not lost:
            yield line


def _pair(line: Mapping[str, Any]) -> Pair:
    return line["scenario"], line["requirement"]


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What is known of both and differs."""
    yield from _differing("", _SAME, before, now)
    for whose, names, part in (
        ("the client's ", _SAME_OF_CLIENT, "providers"),
        ("the broker's ", _SAME_OF_BROKER, "brokers"),
    ):
        yield from _differing(whose, names, before[part][0], now[part][0])
    yield from _differing(
        "the catalogue's ", ("fingerprint",), *(x["catalogue"] for x in (before, now))
    )
    if (selection := now.get("selection")) and selection != before["selection"]:
        yield "what was asked for", _asked(before), _asked(now)


def _differing(
    whose: str, names: Iterable[str], before: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    for name in names:
        old, new = before.get(name), now.get(name)
        if old and new and old != new:
            yield f"{whose}{name}", old, new


def _asked(facts: Mapping[str, Any]) -> str:
    selection = facts["selection"]
    narrowed = "; ".join(selection["narrowed_by"])
    return f"{len(selection['scenarios'])} scenarios" + f" ({narrowed})" * bool(narrowed)
