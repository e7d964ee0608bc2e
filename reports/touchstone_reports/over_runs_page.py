"""The verdicts of scenarios over the runs of a folder as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from touchstone_reports.over_runs import Track
from touchstone_reports.side_by_side import Group, Row, SideBySide, Statements
from touchstone_reports.templating import moment

PAGE: Final = "verdicts.html"


def over_runs_page(title: str, chosen: Sequence[Track], statements: Statements) -> SideBySide:
    """What the page says of these; `title` names what was asked for."""
    return SideBySide(
        title=title,
        lead="Each verdict in order of time, and what changed in which run.",
        heads=("Verdict",),
        groups=tuple(_group(track, statements) for track in chosen),
        labels="Run",
        texts="Client and broker",
    )


def name_of(track: Track) -> str:
    """In words, what was judged of whom."""
    who = f"{track.client} on {track.family}" if track.family else track.client
    return f"{track.requirement} {track.scenario}, {who}"


def how_often(track: Track) -> str:
    """In words, how often the verdict changed."""
    times, runs = len(track.changes), len(track.steps)
    counted = "once" if times == 1 else f"{times} times"
    return f"changed {counted} in {'1 run' if runs == 1 else f'{runs} runs'}"


def _group(track: Track, statements: Statements) -> Group:
    rows = [
        Row(
            moment(step.judged.results.run.started),
            step.judged.combination.title,
            step.judged.results.run.id,
            (step.line,),
            kind or "",
        )
        for step, kind in zip(track.steps, track.kinds, strict=True)
    ]
    told = [how_often(track), statements.texts.get(track.requirement, "")]
    return Group(name_of(track), tuple(rows), told=" · ".join(filter(None, told)))
