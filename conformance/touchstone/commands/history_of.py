"""Judges a row of releases of one client, and shows which statement changed in which of them.

Name the oldest release first. One that is not there yet is locked by Maven, as `touchstone lock`
does. Every other option goes to the runs and stands behind the releases: --area, -k, --draw 25,
-n 2, --broker, … All runs draw by the same seed.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from jms_clients.registry import Spelling
from jvm_runtime.jvm_errors import JvmRuntimeError
from touchstone.catalogue import load_library
from touchstone.commands.lock import lock_missing
from touchstone.commands.matrix import COUNTS, counted
from touchstone.commands.output import add_json, console, print_json, print_table
from touchstone.commands.pages import statements_of, write_page
from touchstone.commands.run import judge_into
from touchstone.errors import UsageError
from touchstone.results.reporting import write_reports
from touchstone.verdicts import ExitStatus, severest
from touchstone_reports.grid import columns_of
from touchstone_reports.markdown import table_lines
from touchstone_reports.releases import ReleaseRow, RowKind, counts_of, release_rows
from touchstone_reports.releases_page import PAGE, changes_told, releases_page, word
from touchstone_reports.results import RunResults, read
from touchstone_reports.wholeness import remarks

PASSES_ON = True

_SEED = "--touchstone-seed"
_CHANGES = "changes.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which releases, and where to."""
    parser.add_argument("provider", metavar="PROVIDER", help="a client, without a version")
    parser.add_argument("releases", nargs="+", metavar="RELEASE", help="its versions, oldest first")
    parser.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge each release and show what changed; the severest status counts.

    Where a release cannot be had, none is judged.
    """
    client = Spelling.parse(arguments.provider)
    versions = list(dict.fromkeys(arguments.releases))
    if client.version or len(versions) < 2:
        raise UsageError(
            "A history needs one client, and two releases or more",
            hint="touchstone history-of qpid 1.0.0 2.10.0",
        )
    try:
        lock_missing(client, versions)
    except JvmRuntimeError as error:
        console(stderr=True).print(
            f"touchstone: {error.message}\n  hint: {error.hint}", markup=False
        )
        return ExitStatus.COULD_NOT_JUDGE
    library = load_library()
    with redirect_stdout(sys.stderr if arguments.json else sys.stdout):
        runs = dict(_judge_each(client, versions, arguments, library))
    judged = {version: read(folder) for version, (_, folder) in runs.items() if folder is not None}
    rows = release_rows(list(judged.values()))
    out: Path = arguments.results_dir / f"history-of-{client.base.replace('/', '-')}"
    if judged:
        out.mkdir(parents=True, exist_ok=True)
        write_reports([results.directory for results in judged.values()], library, out)
        statements = {id_: each.statement for id_, each in library.requirements.items()}
        _write(out / _CHANGES, str(client), list(judged), rows, statements)
        columns = columns_of(list(judged.values()))
        page = releases_page(str(client), list(judged), columns, rows, statements_of(library))
        write_page(page, out / PAGE)
    if arguments.json:
        print_json(_as_dict(client, runs, judged, rows))
    else:
        _print(runs, judged, rows)
        if judged:
            written = ", ".join(str(out / name) for name in ("report.html", PAGE, _CHANGES))
            console().print(f"\nReport  {written}", markup=False)
    return severest(status for status, _ in runs.values())


Runs = Mapping[str, tuple[ExitStatus, Path | None]]


def _judge_each(
    client: Spelling, versions: Sequence[str], arguments: argparse.Namespace, library: Any
) -> Iterator[tuple[str, tuple[ExitStatus, Path | None]]]:
    packages = [catalogue.package for catalogue in library.catalogues]
    options = list(arguments.rest)
    if not any(option.startswith(_SEED) for option in options):
        options += [_SEED, str(secrets.randbelow(2**31))]
    for version in versions:
        spelled = str(replace(client, version=version))
        console().print(f"\n{spelled}", markup=False)
        yield (
            version,
            judge_into(arguments.results_dir, spelled, packages, options, on_stderr=arguments.json),
        )


def _print(runs: Runs, judged: Mapping[str, RunResults], rows: Sequence[ReleaseRow]) -> None:
    print_table(
        "",
        ("release", *COUNTS),
        [(version, *counted(judged.get(version), status)) for version, (status, _) in runs.items()],
    )
    for version, results in judged.items():
        for told in remarks(results):
            console().print(f"{version}: {told}", markup=False)
    versions = list(judged)
    for kind in RowKind:
        of_kind = [row for row in rows if row.kind is kind]
        told = f"\n{kind}: {len(of_kind)}"
        if of_kind and kind is not RowKind.SAME:
            head = ("requirement", "scenario", *versions, "changed in")
            print_table(told, head, [_cells(row, versions) for row in of_kind])
        elif kind in (RowKind.CHANGED, RowKind.SAME):
            console().print(told, markup=False)


def _cells(row: ReleaseRow, versions: Sequence[str]) -> Sequence[str]:
    return row.requirement, row.scenario, *map(word, row.lines), changes_told(row, versions)


def _write(
    page: Path,
    client: str,
    versions: Sequence[str],
    rows: Sequence[ReleaseRow],
    statements: Mapping[str, str],
) -> None:
    told = [f"# {client}: {', '.join(versions)}", ""]
    told += [f"- {kind}: {count}" for kind, count in counts_of(rows).items() if count]
    for kind in RowKind:
        of_kind = [row for row in rows if row.kind is kind]
        if of_kind and kind is not RowKind.SAME:
            head = ("requirement", "scenario", *versions, "changed in", "statement")
            lines = [
                (*_cells(row, versions), statements.get(row.requirement, "")) for row in of_kind
            ]
            told += ["", f"## {kind}", "", *table_lines(head, lines)]
    page.write_text("\n".join(told) + "\n", encoding="utf-8")


def _as_dict(
    client: Spelling,
    runs: Runs,
    judged: Mapping[str, RunResults],
    rows: Sequence[ReleaseRow],
) -> dict[str, object]:
    versions = list(judged)
    return {
        "format": 1,
        "provider": str(client),
        "releases": [
            {
                "version": version,
                "run": folder.name if folder else None,
                "status": int(status),
                "not_shown": list(judged[version].run.not_shown) if folder else [],
            }
            for version, (status, folder) in runs.items()
        ],
        "counts": {kind.name.lower(): count for kind, count in counts_of(rows).items()},
        "rows": [
            {
                "kind": row.kind.name.lower(),
                "requirement": row.requirement,
                "scenario": row.scenario,
                "verdicts": {
                    version: {"verdict": line.verdict.value, "reason": line.reason}
                    if line
                    else None
                    for version, line in zip(versions, row.lines, strict=True)
                },
                "changed_in": [versions[place] for place in row.changed_at],
            }
            for row in rows
            if row.kind is not RowKind.SAME
        ],
    }
