"""The entry of a deviations file that something seen was explained by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Deviation:
    """The entry of a deviations file that a judgement matched."""

    kind: str
    reason: str
    link: str | None = None

    @property
    def address(self) -> str | None:
        """Where the link leads; None for what is no address of the web, such as a script."""
        found = re.match(r"https?://\S+\Z", self.link or "", re.IGNORECASE)
        return found[0] if found else None


def deviation(found: Mapping[str, Any] | None) -> Deviation | None:
    """The value of a record that fits the schema."""
    return Deviation(found["class"], found["reason"], found.get("link")) if found else None
