"""What a JVM that crashed in a worker left behind: its crash log, as evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_LIMIT = 300_000
"""Characters of a crash log that are kept."""
_SIGNAL = re.compile(r"^#\s+((?:SIG\w+|Internal Error|Out of Memory)[^\n]*)", re.MULTILINE)
_FRAME = re.compile(r"^# Problematic frame:\n#\s+([^\n]+)", re.MULTILINE)


@dataclass(frozen=True)
class Crash:
    """How a JVM crashed, in one line, and its own log."""

    what: str
    log: str


def crash_log(folder: Path, worker: str) -> Path:
    """Where the JVM of a worker writes how it crashed."""
    return folder / f"hs_err-{worker}.log"


def crash_of(folder: Path, worker: str) -> Crash | None:
    """How the JVM of the worker crashed; None where it left no log."""
    try:
        log = crash_log(folder, worker).read_text(encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    return Crash(summary(log), log[:_LIMIT])


def summary(log: str) -> str:
    """The signal and the frame of a crash log, in one line."""
    parts = [found[1].strip() for pattern in (_SIGNAL, _FRAME) if (found := pattern.search(log))]
    return f"its JVM crashed: {' in '.join(parts) or 'see its log'}"
