"""Starts child processes that never outlive the one they belong to, unless asked to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_DIE_WITH_PARENT = Path(__file__).with_name("die_with_parent.py")

# The kernel's "parent death" is the end of the thread that started the child, so one thread that
# lives as long as the process starts them all.
_starter = ThreadPoolExecutor(1, thread_name_prefix="child-starter")
if hasattr(os, "register_at_fork"):

    def _new_starter() -> None:
        global _starter
        _starter = ThreadPoolExecutor(1, thread_name_prefix="child-starter")

    os.register_at_fork(after_in_child=_new_starter)


def spawn(
    command: Sequence[str],
    *,
    folder: Path,
    log: Path,
    environment: Mapping[str, str],
    outlives_us: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `command` in `folder` with its output appended to `log`; raises OSError.

    The child has its own session, so that Ctrl-C reaches us alone, and dies with this process
    unless it `outlives_us`.
    """
    line = command if outlives_us else ending_with_us(command)

    def start() -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(  # noqa: S603 - the command is ours
                line,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )

    return _starter.submit(start).result()


def ending_with_us(command: Sequence[str]) -> list[str]:
    """`command`, to be killed by the kernel when the thread that starts it ends (on Linux)."""
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", str(_DIE_WITH_PARENT), str(os.getpid()), *command]
