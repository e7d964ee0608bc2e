"""Runs a command that the kernel kills when the thread that started this script ends (Linux).

A script and not a `preexec_fn`, since running Python between fork and exec of a process with
threads can hang. Usage: die_with_parent.py PARENT_PID COMMAND [ARGUMENT ...]
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1

parent, *command = sys.argv[1:]
if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
    sys.exit(f"prctl(PR_SET_PDEATHSIG): {os.strerror(ctypes.get_errno())}")
if os.getppid() != int(parent):
    sys.exit("The parent ended before its child had begun")
os.execv(command[0], command)  # noqa: S606 - no shell is wanted
