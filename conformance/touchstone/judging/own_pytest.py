"""A script: pytest as the process of a run, whose status never speaks of the client by mistake.

pytest's own status where its output breaks, and Python's for an exception, is 1: a violation. What
the output's encoding lacks breaks nothing. A script and not a module, since pytest is to be the
first that imports the harness.

With `--warm` first it collects by its arguments and then forks for each line of its input: a run
that begins where this process stands, which is most of the way that a small run has to go. A line
is a JSON array, the file that gets what the run prints and pytest's arguments; the answer is the
run's status, in a line.
"""

import ctypes
import gc
import io
import json
import os
import signal
import sys
import threading
import traceback

import pytest

_FAULT = 3
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments, as `python -m pytest` does; its status."""
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()  # noqa: PTH109 - as text
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = int(pytest.main(arguments))
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, SystemExit) as error:  # nobody reads what it prints, or there is no room
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        why = error if isinstance(error, OSError) else "nobody reads its output"
        print(f"touchstone: the run cannot go on: {why}", file=sys.stderr)  # noqa: T201
        return _FAULT
    except KeyboardInterrupt:  # while it wrote down what there is
        return _FAULT
    except Exception:
        traceback.print_exc()
        return _FAULT
    return status


def stay_warm(arguments: list[str]) -> int:
    """Collect, then fork a run for each line of the input until it ends."""
    answers = os.dup(1)
    os.dup2(2, 1)
    if main([*arguments, "--collect-only"]):
        return _FAULT
    gc.freeze()  # else each run copies all that is here, to look whether it can be thrown away
    for line in sys.stdin:
        printed, *asked = json.loads(line)
        if threading.active_count() > 1:
            raise RuntimeError("a run that is forked would lack the other threads")
        if not (child := os.fork()):
            _die_with_parent()
            _print_to(printed)
            sys.argv[1:] = asked
            return main(asked)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(answers, b"%d\n" % status)
    return 0


def _print_to(file: str) -> None:
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for standard in (1, 2):
        os.dup2(opened, standard)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--warm"]:
        sys.exit(stay_warm(sys.argv[2:]))
    sys.exit(main(sys.argv[1:]))
