"""Where clients differ from each other: what scenarios observed, value by value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from touchstone_reports.grid import Column


@dataclass(frozen=True, slots=True)
class Observation:
    """One named value of one scenario, as each column has it; None where it was not observed."""

    scenario: str
    area: str
    name: str
    values: tuple[str | None, ...]

    @property
    def differs(self) -> bool:
        """Whether two clients were seen to differ."""
        return len({value for value in self.values if value is not None}) > 1


def observations(columns: Sequence[Column]) -> tuple[Observation, ...]:
    """Everything that was observed, by area, scenario and name.

    A scenario's lines carry the same values, but for those that concern a requirement of its own.
    """
    values_of: dict[tuple[str, str, str], dict[int, str]] = {}
    for index, column in enumerate(columns):
        for judgement in column.results.of(column.provider.name):
            for name, value in judgement.observables.items():
                values_of.setdefault((judgement.area, judgement.scenario, name), {})[index] = (
                    as_text(value)
                )
    return tuple(
        Observation(scenario, area, name, tuple(map(values.get, range(len(columns)))))
        for (area, scenario, name), values in sorted(values_of.items())
    )


def as_text(value: object) -> str:
    """A value for people, the same text for equal values."""
    return (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )
