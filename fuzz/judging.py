"""What one input does: what it raises, and how much memory and CPU time it takes.

Each is judged in a process of its own, forked for it, so that one that crashes or hangs is judged
like any other. CPU time is what the process itself used, which a busy machine does not change; an
input is slow only if it is so each time.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import traceback
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import NoReturn

from fuzz.targets import Target

CPU = 0.1
"""Seconds of CPU time that an input may take."""
MEMORY = 100 << 20
"""Bytes by which it may make the process grow."""
_HANG = 5
"""Seconds of CPU time after which nothing is waited for any more."""
_STUCK = 120
"""Seconds of any kind after which an input waits for what never comes."""
_TRIES = 4
_ENDINGS = (
    signal.SIGALRM,
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGABRT,
    signal.SIGFPE,
    signal.SIGILL,
)
_OWN = Path("/proc/self")


@dataclass(frozen=True)
class InputResult:
    """What became of an input."""

    fault: str | None = None
    """What is wrong; None where nothing is."""
    kind: str = ""
    """By what it is the same fault as that of another input."""
    cpu: float = 0.0
    memory: int = 0


def judge(target: Target, data: bytes) -> InputResult:
    """What `data` does to the target, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(target, data, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        told = answer.read()
    _, status = os.waitpid(child, 0)
    if told:
        seen: InputResult = pickle.loads(told)
        return seen
    ended = -os.waitstatus_to_exitcode(status)
    if ended in (signal.SIGXCPU, signal.SIGALRM):
        return InputResult(f"it hangs: no end in {_HANG} s of CPU time or {_STUCK} s", "hang")
    return InputResult(f"the process ended by signal {ended}", f"signal {ended}")


def _answer(target: Target, data: bytes, writing: int) -> NoReturn:
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_HANG, _HANG + 1))
        for ending in _ENDINGS:  # whoever handles them in the process that was forked is not here
            signal.signal(ending, signal.SIG_DFL)
        signal.alarm(_STUCK)
        os.write(writing, pickle.dumps(_judge_in_time(target, data)))
    finally:
        os._exit(0)


def _judge_in_time(target: Target, data: bytes) -> InputResult:
    before = _status("VmRSS")
    (_OWN / "clear_refs").write_text("5")  # the peak begins anew
    cpu, raised = _decode(target, data)
    memory = max(_status("VmHWM") - before, 0)
    if raised is not None:
        place = traceback.extract_tb(raised.__traceback__)[-1]
        kind = f"{type(raised).__name__} {place.filename}:{place.lineno}"
        return InputResult("".join(traceback.format_exception(raised, limit=-8)), kind, cpu, memory)
    if memory > MEMORY:
        said = f"it takes {memory >> 20} MiB, {MEMORY >> 20} are allowed"
        return InputResult(said, "memory", cpu, memory)
    for _ in range(_TRIES - 1):
        if cpu > CPU:
            cpu = min(cpu, _decode(target, data)[0])
    if cpu > CPU:
        said = f"it takes {cpu:.2f} s of CPU time, {CPU} s are allowed"
        return InputResult(said, "time", cpu, memory)
    return InputResult(cpu=cpu, memory=memory)


def _decode(target: Target, data: bytes) -> tuple[float, BaseException | None]:
    """The CPU time, and what was raised without having been promised."""
    raised: BaseException | None = None
    began = process_time()
    try:
        target.decode(data)
    except target.promises:
        pass
    except BaseException as error:
        raised = error
    return process_time() - began, raised


def _status(name: str) -> int:
    """Bytes, by name, as the kernel counts them for this process."""
    lines = (_OWN / "status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))
