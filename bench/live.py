"""A workload on a live broker, recorded, and its history verified by Spark: the commands as given.

What people run is measured: `touchstone workload run` with its broker, processes and sealing, and
`touchstone verify` with the start of Java and Spark.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from jms_histories.history.seal import HISTORY
from touchstone.verdicts import ExitStatus

_JUDGED: Final = ("promised", "verdict", "violations", "shoulds", "power")


class Live(NamedTuple):
    """Of one run: what the two commands reported, and their wall times in seconds."""

    driven: Mapping[str, Any]
    """What `workload run --json` reported: messages sent and received, seconds of each part."""
    report: Mapping[str, Any]
    """What `verify --json` reported."""
    recording: float
    verifying: float

    @property
    def bytes(self) -> int:
        """Of the history on disk."""
        return int(self.report["plan"]["bytes"])

    @property
    def checks(self) -> list[Mapping[str, Any]]:
        """Those of the 33 that the workload promises anything about, or that found something."""
        return [
            check for check in self.report["checks"] if check["promised"] or check["violations"]
        ]

    def described(self) -> dict[str, object]:
        """What is kept: figures and verdicts, without the findings."""
        return {
            "load": os.getloadavg(),
            "processors": os.cpu_count(),
            "workload": self.report["settings"],
            "received": self.driven["received"],
            "seconds": {"workload run": self.recording, "verify": self.verifying},
            "verdict": self.report["verdict"],
            "checks": {
                check["id"]: {name: check[name] for name in _JUDGED} for check in self.checks
            },
            "redeliveries": self.report["statistics"]["redelivery_causes"],
            "plan": {name: self.report["plan"][name] for name in ("name", "bytes", "seconds")},
        }


def measure(provider: str, messages: int, seed: int) -> Live:
    """Run both commands; what they leave is removed. CalledProcessError if one cannot judge."""
    with tempfile.TemporaryDirectory(prefix="bench-live-") as results:
        run = ("workload", "run", "--provider", provider, "--messages", str(messages))
        begun = time.monotonic()
        driven = _report(*run, "--seed", str(seed), "--results", results, "--no-verify")
        recorded = time.monotonic()
        history = str(Path(driven["folder"]) / HISTORY)
        report = _report("verify", history, "--engine", "spark", "--master", "local[*]")
        return Live(driven, report, recorded - begun, time.monotonic() - recorded)


def _report(*arguments: str) -> Any:
    command = [sys.executable, "-m", "touchstone", *arguments, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode > ExitStatus.UNEXPECTED:
        raise subprocess.CalledProcessError(done.returncode, command)
    return json.loads(done.stdout)
