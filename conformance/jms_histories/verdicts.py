"""What is said of a history, and of a check of it."""

from __future__ import annotations

from enum import StrEnum


class HistoryVerdict(StrEnum):
    """The three words, worst first."""

    VIOLATES = "VIOLATES"
    """Something was found that the workload promises not to happen."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """Nothing was found, and nothing could have been."""
    CONFORMS = "CONFORMS"
