"""The command line of a child process that never outlives the one that starts it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_DIE_WITH_PARENT = Path(__file__).with_name("die_with_parent.py")


def ending_with_us(command: Sequence[str]) -> list[str]:
    """`command`, to be killed by the kernel when the thread that starts it ends (on Linux)."""
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", str(_DIE_WITH_PARENT), str(os.getpid()), *command]
