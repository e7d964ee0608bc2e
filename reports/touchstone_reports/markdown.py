"""A run in Markdown, for the page of a job or the description of a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from touchstone_reports.appearance import SYMBOL
from touchstone_reports.legible import legible, one_line
from touchstone_reports.results import RunResults, read_all, worst_first
from touchstone_reports.verdicts import UNEXPECTED, Verdict
from touchstone_reports.wholeness import warnings

MOST_LISTED = 50
"""Unexpected judgements in the table; the page has all."""
_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>|#~&"} | {"@": "@\u200b"})


def write(runs: Sequence[Path], summary: Path) -> None:
    """Write the summary of `runs`. Raises ResultsError."""
    results = [result for result in read_all(runs) if not result.of_pairs]
    summary.write_text(summary_of(results), encoding="utf-8")


def summary_of(runs: Sequence[RunResults]) -> str:
    """Return the summary: counts of each provider, then what was not expected."""
    return "\n".join(_lines(runs)) + "\n"


def _lines(runs: Sequence[RunResults]) -> Iterator[str]:
    yield "## JMS conformance"
    yield ""
    yield "| provider | broker | judged |" + "".join(
        f" {SYMBOL[each]} {each} |" for each in Verdict
    )
    yield "|---|---|--:|" + "--:|" * len(Verdict)
    for run in runs:
        brokers = dict.fromkeys(
            " ".join(filter(None, (each.family, each.version, f"({each.way})")))
            for each in run.run.brokers
        )
        ground = [*brokers, *([f"Java {run.run.java}"] if run.run.java else [])]
        for provider in run.run.providers:
            counts = run.counts(provider.name)
            judged = counts.total() - counts[Verdict.NOT_APPLICABLE]
            yield (
                f"| {_cell(f'{provider.name} {provider.version}')} "
                f"| {_cell(', '.join(ground) or 'none')} | {judged} |"
                + "".join(f" {counts[each]} |" for each in Verdict)
            )
    for run in runs:
        for told in warnings(run):
            yield ""
            yield f"**{_cell(told)}**"
    yield from _unexpected(runs)


def _unexpected(runs: Sequence[RunResults]) -> Iterator[str]:
    unexpected = [
        (judgement, run.run.combination(judgement.provider).title)
        for run in runs
        for judgement in run.judgements
        if judgement.verdict in UNEXPECTED
    ]
    unexpected.sort(key=lambda pair: worst_first(pair[0]))
    if not unexpected:
        if not any(True for run in runs for _ in warnings(run)):
            yield ""
            yield "Nothing unexpected."
        return
    yield ""
    yield f"### {len(unexpected)} unexpected"
    yield ""
    yield from table_lines(
        ("verdict", "requirement", "scenario", "provider", "reason"),
        (
            (
                f"{SYMBOL[judgement.verdict]} {judgement.label}",
                judgement.requirement,
                judgement.scenario,
                provider,
                one_line(judgement.reason or "", 200),
            )
            for judgement, provider in unexpected[:MOST_LISTED]
        ),
    )
    if len(unexpected) > MOST_LISTED:
        yield ""
        yield f"… and {len(unexpected) - MOST_LISTED} more; the report has all of them."


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table; what stands in a cell is shown as it is."""
    yield f"| {' | '.join(map(_cell, head))} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    """`text` as it is, whatever Markdown would make of it; nobody is notified of an `@name`."""
    return legible(text).replace("\n", " ").translate(_SPECIAL)
