"""Which anomalies are planted, and how many: a small TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from touchstone.checks.definitions import CHECKS
from touchstone.history.errors import HistoryError

PLANTABLE: Final = tuple(check for check in CHECKS if check != "D33")
MOST_UNFINISHED: Final = 6
"""D28 is found once for a subscription; there are six."""
_HINT: Final = 'Give a number to a check or to all of them: "all = 10" or "D05 = 3".'


def read_faults(path: Path) -> dict[str, int]:
    """The numbers of plants by check, from a TOML file.

    Raises HistoryError if it cannot be read, names an unknown check, or a number is none.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise HistoryError(f"{path} cannot be read: {error}", hint=_HINT) from error
    return fault_counts(values, str(path))


def fault_counts(values: Mapping[str, Any], name: str = "faults") -> dict[str, int]:
    """Numbers of plants by check, where `all` stands for every check that is not named.

    D28 can be planted at each subscription once; `all` plants it no more often than that.
    """
    for check, number in values.items():
        if check != "all" and check not in PLANTABLE:
            reason = "has no findings" if check in CHECKS else "is no check"
            raise HistoryError(f"{name}: {check} {reason}, so it cannot be planted", hint=_HINT)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise HistoryError(f"{name}: {check} = {number!r} is no number of plants", hint=_HINT)
    every = int(values.get("all", 0))
    counts = dict.fromkeys(PLANTABLE, every)
    counts["D28"] = min(every, MOST_UNFINISHED)
    counts.update({check: int(number) for check, number in values.items() if check != "all"})
    return counts
