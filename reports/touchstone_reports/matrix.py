"""The HTML matrix: one self-contained page of requirements by providers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from touchstone_reports.appearance import PLURAL, SYMBOL, WORDS
from touchstone_reports.defaults import mended_defaults
from touchstone_reports.differences import observations
from touchstone_reports.exchanges import pair_table
from touchstone_reports.grid import (
    KEYS,
    Cell,
    Column,
    Grid,
    RequirementRow,
    Standing,
    document_of,
    grid,
)
from touchstone_reports.legible import legible, shorten
from touchstone_reports.results import Run, RunResults, VerdictLine, read_all
from touchstone_reports.run_facts import duration, label, run_facts, settings_text
from touchstone_reports.templating import environment, in_one_file
from touchstone_reports.verdicts import Verdict

STATES = {
    KEYS[verdict]: {
        "symbol": SYMBOL[verdict] if verdict else "○",
        "words": WORDS[verdict] if verdict else "not yet judged",
        "plural": PLURAL[verdict] if verdict else "not yet judged",
        "short": {Verdict.DEVIATES: "deviates", Verdict.NOT_APPLICABLE: "n/a"}.get(
            verdict, WORDS[verdict]
        )
        if verdict
        else "not yet",
    }
    for verdict in (*Verdict, None)
}
"""How each state of a cell is written, worst first."""
SHOWN_FIELDS = ("support", "strength", "observes", "verify", "note", "tck", "assertion")


@dataclass(frozen=True, slots=True)
class Beside:
    """A site in which the matrix stands: each requirement has a page of its own there."""

    home: str
    """The address of its first page."""
    page_of: Callable[[str], str]
    """The address of the page of a requirement, to which its row leads."""


_JUDGED = ("violates", "inconclusive", "deviates", "conforms")


def write(
    run_dirs: Path | Sequence[Path],
    requirements: Sequence[Mapping[str, object]],
    out: Path,
    titles: Mapping[str, str] | None = None,
) -> None:
    """Write the matrix of one or several runs, providers side by side, to the file `out`.

    `requirements` are the catalogue's entries as plain mappings; `titles` names a document for
    people by its prefix. Links to traces and evidence are relative to `out`.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    runs = read_all(run_dirs)
    pairs = [results for results in runs if results.of_pairs]
    page = render(grid(runs, requirements), out.parent, titles or {}, pairs)
    out.write_text(page, encoding="utf-8", newline="\n")


def render(
    matrix: Grid,
    beside: Path | Beside,
    titles: Mapping[str, str],
    pairs: Sequence[RunResults] = (),
) -> str:
    """The page as text; `pairs` are runs of pairs.

    Links to traces and evidence are relative to the folder `beside`, where it is one.
    """
    templates = environment()
    sheets = ("page.css", "matrix.css", "differences.css")
    scripts = ("matrix.js", "theme.js", "differences.js")
    shown = [*(column.results for column in matrix.columns), *pairs]
    return templates.get_template("matrix.html.j2").render(
        columns=[_head(matrix, index) for index in range(len(matrix.columns))],
        runs=[run_facts(run) for run in _runs(matrix)],
        pairs=[_pairs(results) for results in pairs],
        name=_name(matrix, pairs),
        home="" if isinstance(beside, Path) else beside.home,
        keys=KEYS,
        grid=matrix,
        standings=Standing,
        states=STATES,
        judged=_JUDGED,
        titles=titles,
        documents=list(dict.fromkeys(section.document for section in matrix.sections)),
        areas=sorted({section.area for section in matrix.sections}),
        notices=list(dict.fromkeys(n for results in shown for n in results.notices)),
        observations=observations(matrix.columns),
        defaults=mended_defaults(matrix.columns),
        data=_data_block(_details(matrix, beside, titles)),
        **in_one_file(templates, sheets, scripts),
    )


def _head(matrix: Grid, index: int) -> dict[str, Any]:
    """What the page says on top about one column."""
    column = matrix.columns[index]
    provider, tally = column.provider, matrix.tally(index)
    brokers = dict.fromkeys(
        " ".join(filter(None, ("on", each.family, each.version)))
        for each in column.results.run.brokers
    )
    java = label("Java", column.java)
    return {
        "title": column.title,
        "client": " · ".join(filter(None, (provider.version, provider.transport, *brokers, java))),
        "tally": tally,
        "judged": sum(tally[state] for state in _JUDGED),
    }


def _name(matrix: Grid, pairs: Sequence[RunResults]) -> str:
    """The name of the page: its clients."""
    clients = [column.title for column in matrix.columns]
    of_pairs = [provider.name for results in pairs for provider in results.run.providers]
    return ", ".join(dict.fromkeys(clients or of_pairs))


def _pairs(results: RunResults) -> dict[str, Any]:
    """What the page says of a run of pairs."""
    clients = [provider.name for provider in results.run.providers]
    return {
        "facts": {name: value for name, value in run_facts(results.run).items() if name != "Seed"},
        "versions": {provider.name: provider.version for provider in results.run.providers},
        "table": pair_table(clients, results.exchanges),
    }


def _runs(matrix: Grid) -> list[Run]:
    return list({id(column.results): column.results.run for column in matrix.columns}.values())


def _details(matrix: Grid, beside: Path | Beside, titles: Mapping[str, str]) -> dict[str, Any]:
    """What a row opens to, for the page's script."""
    return {
        "states": STATES,
        "columns": [legible(column.title) for column in matrix.columns],
        "rows": {
            row.id: {
                **_requirement(row, titles),
                "cells": [
                    _cell(column, cell, beside)
                    for column, cell in zip(matrix.columns, row.cells, strict=True)
                ],
            }
            if isinstance(beside, Path)
            else {
                "statement": legible(str(row.requirement["statement"])),
                "document": legible(titles.get(document_of(row.requirement), "")),
                "page": beside.page_of(row.id),
            }
            for section in matrix.sections
            for row in section.rows
        },
    }


def _requirement(row: RequirementRow, titles: Mapping[str, str]) -> dict[str, Any]:
    given = row.requirement
    sources = given.get("source")
    fields = {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name in SHOWN_FIELDS
        if (value := given.get(name))
    }
    fields.setdefault("strength", "must")
    flags = [name for name in ("negative", "derived") if given.get(name)]
    document = document_of(given)
    return {
        "statement": legible(str(given["statement"])),
        "document": legible(titles.get(document, document)),
        "sources": [
            {name: legible(str(source.get(name, ""))) for name in ("title", "address", "section")}
            for source in (sources if isinstance(sources, list | tuple) else ())
        ],
        "fields": {name: legible(value) for name, value in fields.items()},
        "flags": flags,
    }


def _cell(column: Column, cell: Cell, directory: Path) -> dict[str, Any]:
    return {
        "state": cell.key,
        "judgements": [_judgement(column, judgement, directory) for judgement in cell.judgements],
    }


def _judgement(column: Column, judgement: VerdictLine, directory: Path) -> dict[str, Any]:
    texts = {"reason": judgement.reason, "expected": judgement.expected, "seen": judgement.seen}
    files = {"evidence": judgement.evidence, "trace": judgement.trace}
    links = {
        name: file for name, path in files.items() if path and (file := column.results.file(path))
    }
    facts = {
        **{name: "missing" for name, path in files.items() if path and name not in links},
        "took": duration(judgement.duration),
        "broker profile": judgement.broker_profile,
        "with the presets": ", ".join(
            _preset(name, column.provider.presets.get(name, {})) for name in judgement.presets
        ),
        "worker": judgement.worker,
        "seed": str(judgement.seed),
    }
    return {
        "scenario": legible(judgement.scenario),
        "state": KEYS[judgement.verdict],
        "label": judgement.strength if judgement.unmet_should else "",
        "permissive": judgement.permissive,
        **{name: shorten(text) for name, text in texts.items() if text},
        "deviation": {
            "kind": legible(judgement.deviation.label),
            "reason": shorten(judgement.deviation.reason),
            "link": legible(judgement.deviation.link or ""),
            "option": legible(judgement.deviation.option),
        }
        if judgement.deviation
        else None,
        "observables": {
            legible(name): shorten(
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 2000
            )
            for name, value in judgement.observables.items()
        },
        "links": {name: _relative(path, directory) for name, path in links.items()},
        "facts": {name: legible(value) for name, value in facts.items() if value},
        "rerun": legible(judgement.rerun),
    }


def _preset(name: str, settings: Mapping[str, object]) -> str:
    """A preset with what it sets."""
    return f"{name} ({settings_text(settings)})" if settings else name


def _relative(path: Path, directory: Path) -> str:
    """Address of a file as a page in `directory` links it."""
    return quote(Path(os.path.relpath(path.absolute(), directory.absolute())).as_posix())


def _data_block(data: object) -> Markup:
    """JSON that may stand inside a script element: nothing in it can end the element."""
    text = json.dumps(data, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704  (escaped above)
