"""What all processes of Spark hold, by kind: where rows are screened, move, or lie in buckets.

Each plan has a process of its own, one turn, two tasks at a time; all counts must be equal.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Final

from bench.volume import make, require_equal
from bench.volume_processes import Held, run_turn, start_engine, watch_memory
from jms_histories.history.bucket import bucket

AIM: Final = 3.0
"""GiB in all."""
KINDS: Final = ("driver", "Java", "workers")
_BUCKETS: Final = "Spark, buckets"
PLANS: Final = ("Spark", "Spark, every message", _BUCKETS)
"""Engines of bench.volume_turns."""


def measure(messages: int, seed: int, scratch: Path | None = None) -> dict[str, Held]:
    """Make a history and judge it by each plan; raises DifferentCounts."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-", dir=scratch) as name:
        folder = Path(name)
        history = make(folder / "history", messages, seed)
        bucket(history, folder / "buckets")
        by_plan: dict[str, Held] = {}
        answers: dict[str, Any] = {}
        for plan in PLANS:
            place = folder / "buckets" if plan == _BUCKETS else history
            with start_engine(plan, place) as process, watch_memory(process) as by_plan[plan]:
                answers[plan] = run_turn(process)
    require_equal(answers)
    return by_plan


def memory_as_dict(by_plan: dict[str, Held]) -> dict[str, object]:
    """What is kept."""
    return {
        "load": os.getloadavg(),
        "plans": {
            plan: {"GiB": held.parts, "in all": held.gibibytes, "CPU": held.seconds}
            for plan, held in by_plan.items()
        },
    }
