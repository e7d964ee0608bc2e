"""The entry of a deviations file that something seen was explained by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Deviation:
    """The entry of a deviations file that a judgement matched."""

    kind: str
    reason: str
    link: str | None = None


def deviation(found: Mapping[str, Any] | None) -> Deviation | None:
    """The value of a record that fits the schema."""
    return Deviation(found["class"], found["reason"], found.get("link")) if found else None
