"""Version ranges such as `>=9,<10`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

_COMPARE: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_BOUND = re.compile(r"(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)")


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, without zeros at the end: 9.0.0-rc1 is (9,)."""
    match = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(part) for part in match[0].split(".")] if match else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@dataclass(frozen=True)
class VersionRange:
    """Bounds joined by commas; without any it holds every version. `ValueError` if malformed."""

    text: str = ""

    def __post_init__(self) -> None:
        _ = self._bounds

    @cached_property
    def _bounds(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        bounds = []
        for part in filter(None, (part.strip() for part in self.text.split(","))):
            match = _BOUND.fullmatch(part)
            if match is None:
                raise ValueError(f"{part!r} is no bound of a version, such as >=9.0 or <10")
            bounds.append((match[1], _numbers(match[2])))
        return tuple(bounds)

    def holds(self, version: str) -> bool:
        """Whether `version` lies within all bounds."""
        numbers = _numbers(version)
        return all(_COMPARE[sign](numbers, bound) for sign, bound in self._bounds)


ANY = VersionRange()
"""Every version."""
