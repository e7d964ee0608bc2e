"""The end of a run on a terminal: counts, what was not expected, where to read on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from touchstone_reports.appearance import SYMBOL, count_text
from touchstone_reports.legible import legible, one_line
from touchstone_reports.results import RunResults, VerdictLine, sorted_worst_first
from touchstone_reports.verdicts import Verdict
from touchstone_reports.wholeness import narrowing_reasons, remarks, warnings

STYLE = {
    Verdict.VIOLATES: "bold red",
    Verdict.INCONCLUSIVE: "bold yellow",
    Verdict.DEVIATES: "blue",
    Verdict.CONFORMS: "green",
    Verdict.NOT_APPLICABLE: "dim",
}
MOST_LISTED = 25
"""Unexpected judgements listed one by one; the page has all."""
_HINT = "hint:"
"""What the line of a reason begins with that says what to do."""


def print_summary(
    results: RunResults | Sequence[RunResults], console: Console, html_path: Path | None
) -> None:
    """Print the summary of one or several runs.

    Coloured on a terminal; plain text, which no line of is wrapped, in CI and in files.
    """
    plain = not console.is_terminal or "CI" in os.environ
    runs = (results,) if isinstance(results, RunResults) else tuple(results)
    for line in _lines([run for run in runs if not run.of_pairs], html_path):
        shown = Text(line.plain) if plain else line
        console.print(shown, soft_wrap=True, highlight=False, markup=False)


def _lines(runs: Sequence[RunResults], html_path: Path | None) -> Iterator[Text]:
    for results in runs:
        yield Text()
        yield _headline(results)
        for provider in results.run.providers:
            yield from _counts(results, provider.name)
        for told in (*narrowing_reasons(results), *remarks(results)):
            yield Text(f"  {told}", style="dim")
        yield from (Text(f"  ! {told}", style="bold yellow") for told in warnings(results))
        yield from _unexpected(results)
    if html_path is not None:
        yield Text()
        address = html_path.resolve().as_uri()
        yield Text("Report  ", style="bold").append(str(html_path), style=f"link {address}")


def _headline(results: RunResults) -> Text:
    run = results.run
    line = Text("Run ", style="bold").append(legible(run.id), style="bold")
    seconds = f"{run.seconds:.1f} s" if run.seconds is not None else "not finished"
    went_on = ", with a pause" * bool(run.resumed)
    return line.append(f"  seed {run.seed}, {seconds}{went_on}", style="dim")


def _counts(results: RunResults, provider: str) -> Iterator[Text]:
    counts = results.counts(provider)
    title = results.run.combination(provider).title
    total = counts.total() - counts[Verdict.NOT_APPLICABLE]
    yield Text(f"  {legible(title)}", style="bold").append(
        f"  {total} requirement{'' if total == 1 else 's'} judged", style="dim"
    )
    for verdict in Verdict:
        if count := counts[verdict]:
            line = f"  {SYMBOL[verdict]} {count:>5} {count_text(verdict, count)}"
            yield Text(f"  {line}", style=STYLE[verdict])


def _unexpected(results: RunResults) -> Iterator[Text]:
    unexpected = [
        judgement
        for judgement in sorted_worst_first(results.judgements)
        if judgement.verdict in (Verdict.VIOLATES, Verdict.INCONCLUSIVE)
    ]
    alike = _group_alike(unexpected)
    for first, *others in alike[:MOST_LISTED]:
        yield Text()
        yield from _judgement_lines(first, several=len(results.run.providers) > 1)
        if others:
            yield Text(f"      … and {len(others)} more for the same reason")
    rest = sum(map(len, alike[MOST_LISTED:]))
    if rest > 0:
        yield Text()
        yield Text(f"  … and {rest} more that were not expected; the report has all of them")


def _group_alike(unexpected: Sequence[VerdictLine]) -> list[list[VerdictLine]]:
    """In order, each violation alone, and together what one reason kept from being judged."""
    groups: dict[tuple[str, str] | int, list[VerdictLine]] = {}
    for place, judgement in enumerate(unexpected):
        alone = judgement.verdict is Verdict.VIOLATES or not judgement.reason
        groups.setdefault(
            place if alone else (judgement.provider, judgement.reason or ""), []
        ).append(judgement)
    return list(groups.values())


def _judgement_lines(judgement: VerdictLine, several: bool) -> Iterator[Text]:
    head = Text("  ").append(
        f"{SYMBOL[judgement.verdict]} {judgement.label}", style=STYLE[judgement.verdict]
    )
    head.append(f"  {judgement.requirement}", style="bold").append(
        f"  {legible(judgement.scenario)}"
    )
    if several:
        head.append(f"  {legible(judgement.provider)}", style="dim")
    yield head
    reason = judgement.reason or ""
    yield Text(f"      {one_line(reason)}")
    for hint in (line for line in reason.splitlines()[1:] if line.strip().startswith(_HINT)):
        yield Text(f"      {one_line(hint)}")
    yield Text(f"      {legible(judgement.rerun)}", style="cyan")
