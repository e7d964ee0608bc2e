"""Which anomalies are planted, and how many: a small TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from jms_histories.definitions import CHECKS
from jms_histories.errors import HistoryError
from jms_histories.history.simulation.sites import FAULTABLE

PLANTABLE: Final = tuple(check for check in CHECKS if check != "D33")
MOST_UNFINISHED: Final = 6
"""D28 is found once for a subscription; there are six."""
_HINT: Final = 'Give a number to a check or to all of them: "all = 10" or "D05 = 3".'


@dataclass(frozen=True)
class PlantedFaults:
    """Numbers of plants by check; those of `faulted` are at faults, so that they are shoulds."""

    counts: Mapping[str, int] = field(default_factory=dict)
    faulted: Mapping[str, int] = field(default_factory=dict)


NO_FAULTS: Final = PlantedFaults()


def read_faults(path: Path) -> PlantedFaults:
    """What to plant, from a TOML file.

    Raises HistoryError if it cannot be read, names an unknown check, or a number is none.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise HistoryError(f"{path} cannot be read: {error}", hint=_HINT) from error
    return fault_counts(values, str(path))


def fault_counts(values: Mapping[str, Any], name: str = "faults") -> PlantedFaults:
    """Numbers of plants by check, where `all` stands for every check that is not named.

    D28 can be planted at each subscription once; `all` plants it no more often than that. A table
    `faulted` has the numbers of plants at faults, in the same way.
    """
    rest = dict(values)
    faulted = rest.pop("faulted", {})
    if not isinstance(faulted, dict):
        raise HistoryError(f"{name}: faulted is no table", hint=_HINT)
    counts = _numbers(rest, PLANTABLE, name, "cannot be planted")
    every = int(rest.get("all", 0))
    if "D28" not in rest:
        counts["D28"] = min(every, MOST_UNFINISHED)
    at_faults = _numbers(faulted, FAULTABLE, f"{name}: faulted", "cannot be planted at a fault")
    return PlantedFaults(counts, at_faults)


def _numbers(
    values: Mapping[str, Any], allowed: Sequence[str], name: str, fails: str
) -> dict[str, int]:
    for check, number in values.items():
        if check != "all" and check not in allowed:
            known = "" if check in CHECKS else " is no check, so it"
            raise HistoryError(f"{name}: {check}{known} {fails}", hint=_HINT)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise HistoryError(f"{name}: {check} = {number!r} is no number of plants", hint=_HINT)
    counts = dict.fromkeys(allowed, int(values.get("all", 0)))
    counts.update({check: int(number) for check, number in values.items() if check != "all"})
    return counts
