"""What the first look at a history costs in a fresh process, beside a second one.

Two things cost a first call more. pyarrow imports pandas, where it is installed, when it first
converts an array (`to_numpy`), in every process: the reader takes the buffers instead. And new
memory costs page faults: the screening works on chunks of 64 Ki rows, whose arrays are used again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jms_histories.history.simulation.making import make_history
from jms_histories.history.simulation.settings import preset

_CHILD = """
import json, resource, sys, time
import pyarrow
from jms_histories.history.reader import open_history
from jms_histories.engines.local.tasks import screen_sends, screen_sessions

history = open_history(sys.argv[1])
rows = history.rows("send") + history.rows("delivery")

def conversion():
    pyarrow.nulls(1, pyarrow.bool_()).fill_null(True).to_numpy(zero_copy_only=False)

def screening():
    for part in history.parts("send"):
        screen_sends(part)
    for part in history.parts("delivery"):
        screen_sessions(part)

def measured(work):
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "cpu": cpu, "faults": after.ru_minflt - before.ru_minflt}

work = {"conversion": conversion, "screening": screening}[sys.argv[2]]
print(json.dumps({"rows": rows, "calls": [measured(work) for _ in range(2)]}))
"""


@dataclass(frozen=True)
class MeasuredCall:
    """One call: seconds of wall and of processor time; page faults; rows of the history."""

    seconds: float
    cpu: float
    faults: int
    rows: int


def measure(messages: int, seed: int) -> dict[str, tuple[MeasuredCall, MeasuredCall]]:
    """The first and the second call of a process, for a conversion and for the screening."""
    with TemporaryDirectory(prefix="touchstone-bench-") as name:
        folder = Path(name) / "history"
        make_history(folder, preset("plain", messages, seed))
        return {what: _calls(folder, what) for what in ("conversion", "screening")}


def _calls(folder: Path, what: str) -> tuple[MeasuredCall, MeasuredCall]:
    command = [sys.executable, "-c", _CHILD, str(folder), what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said: dict[str, Any] = json.loads(done.stdout)
    first, second = (MeasuredCall(**call, rows=said["rows"]) for call in said["calls"])
    return first, second
