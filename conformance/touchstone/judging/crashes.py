"""How a worker ended that died: its signal or status, and the crash log of its JVM as evidence."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

LOST = "its process ended"
"""How the reason begins why a scenario has no verdict whose worker was ended."""
_LIMIT = 300_000
"""Characters of a crash log that are kept."""
_UNKNOWN = "it left no word; was it killed, or short of memory?"
_ENDS_WITHIN = 10.0
"""Seconds from the end of its pipe to the end of the process."""
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
    parts = [match[1].strip() for pattern in (_SIGNAL, _FRAME) if (match := pattern.search(log))]
    return f"its JVM crashed: {' in '.join(parts) or 'see its log'}"


def ending_of(worker: Any) -> str:
    """How the process of a worker of xdist's ended, in words."""
    process = getattr(getattr(worker.gateway, "_io", None), "popen", None)
    if process is None:
        return _UNKNOWN
    try:
        return ending(process.wait(_ENDS_WITHIN))
    except TimeoutExpired:
        return _UNKNOWN


def ending(code: int) -> str:
    """What the return code of a process says, as `subprocess` gives it: negative for a signal."""
    if code >= 0:
        return f"it exited with status {code}"
    known = -code in set(signal.Signals)
    told = f"it was ended by {signal.Signals(-code).name if known else f'signal {-code}'}"
    return f"{told}; was it killed, or short of memory?" if -code == signal.SIGKILL else told
