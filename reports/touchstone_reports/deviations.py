"""The entry of a deviations file that something seen was explained by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class MatchedDeviation:
    """The entry of a deviations file that a judgement matched."""

    kind: str
    reason: str
    link: str | None = None
    fault: str = "client"
    """Who departs from the statement: client, broker, java, document or settings."""
    option: str = ""
    """The setting of the client with which it keeps the statement, as NAME=VALUE."""
    effect: str = field(default="", compare=False)
    """What a user suffers, of those in results.schema.json; empty where nobody said.

    It tells no two entries apart, so that a run from before somebody said it compares as ever.
    """

    @property
    def label(self) -> str:
        """The class, with whose fault it is where that is not the client's."""
        return self.kind if self.fault == "client" else f"{self.kind} ({self.fault})"

    @property
    def address(self) -> str | None:
        """Where the link leads; None for what is no address of the web, such as a script."""
        match = re.match(r"https?://\S+\Z", self.link or "", re.IGNORECASE)
        return match[0] if match else None


def deviation(record: Mapping[str, Any] | None) -> MatchedDeviation | None:
    """The value of a record that fits the schema."""
    if not record:
        return None
    return MatchedDeviation(
        kind=record["class"],
        reason=record["reason"],
        link=record.get("link"),
        fault=record.get("fault", "client"),
        option=record.get("option", ""),
        effect=record.get("effect", ""),
    )
