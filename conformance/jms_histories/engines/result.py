"""What an engine hands back of a history."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from jms_histories.columns import Findings
from jms_histories.kernels.statistics import HistoryStatistics

Setting = str | int | float | bool | None


@dataclass
class ExecutedPlan:
    """What was done: seconds of each step; suspects are messages that needed the second look."""

    engine: Literal["local", "spark"]
    name: Literal["screened", "exact"]
    sends: int
    deliveries: int
    bytes: int
    master: str | None = None
    suspects: int = 0
    steps: list[tuple[str, float]] = field(default_factory=list)
    settings: dict[str, Setting] = field(default_factory=dict)
    seconds: float = 0.0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Times what is done meanwhile."""
        begun = time.perf_counter()
        yield
        self.steps.append((name, time.perf_counter() - begun))


@dataclass(frozen=True)
class VerificationResult:
    """Findings of all checks, statistics, and the plan that produced them."""

    findings: Findings
    statistics: HistoryStatistics
    plan: ExecutedPlan
