"""Which settings that a client is shipped with depart from a statement, and what mends that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from touchstone_reports.grid import Column
from touchstone_reports.results import VerdictLine


@dataclass(frozen=True, slots=True)
class MendedDefault:
    """One setting of a client with which it keeps statements that it else does not."""

    client: str
    """As its column is called."""
    option: str
    """NAME=VALUE."""
    requirements: tuple[str, ...]
    """The statements that were seen not to be kept without it, in order, each once."""
    reasons: tuple[str, ...]
    """Why, each once."""


def mended_defaults(columns: Iterable[Column]) -> tuple[MendedDefault, ...]:
    """Those that known deviations of these runs name, by client and option."""
    groups: dict[tuple[str, str], list[VerdictLine]] = {}
    for column in columns:
        for line in column.results.judgements:
            entry = line.deviation
            if line.provider == column.provider.name and entry is not None and entry.option:
                groups.setdefault((column.title, entry.option), []).append(line)
    return tuple(
        MendedDefault(
            client,
            option,
            tuple(sorted({line.requirement for line in lines})),
            tuple(dict.fromkeys(line.deviation.reason for line in lines if line.deviation)),
        )
        for (client, option), lines in sorted(groups.items())
    )
