"""A script: pytest as the process of a run, whose status never speaks of the client by mistake.

pytest's own status where its output breaks, and Python's for an exception, is 1: a violation. What
the output's encoding lacks breaks nothing. A script and not a module, since pytest is to be the
first that imports the harness.

With `--warm` first it collects by its arguments and then forks for each line of its input: a run
that begins where this process stands, which is most of the way that a small run has to go. A line
is a JSON array: a number, the file that gets what the run prints, and pytest's arguments. Once the
run has ended the answer is a line of that number and the run's status. Runs go on side by side.
"""

import ctypes
import gc
import io
import json
import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Iterator

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
    ended = _wake_at_ended_runs()
    runs: dict[int, int] = {}
    begun = b""
    while True:
        ready, _, _ = select.select([0, ended], [], [])
        if ended in ready:
            os.read(ended, 1024)
            for number, status in _ended(runs):
                os.write(answers, b"%d %d\n" % (number, status))
        if 0 in ready:
            if not (more := os.read(0, 2**16)):
                return 0
            *lines, begun = (begun + more).split(b"\n")
            for line in lines:
                number, printed, *asked = json.loads(line)
                if threading.active_count() > 1:
                    raise RuntimeError("a run that is forked would lack the other threads")
                if not (run := os.fork()):
                    os.close(answers)
                    _be_a_run(printed)
                    sys.argv[1:] = asked
                    return main(asked)
                runs[run] = number


def _wake_at_ended_runs() -> int:
    """A file that can be read from whenever a child has ended."""
    read, written = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return read


def _ended(runs: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Take the runs that have ended out of `runs`: the number and the status of each."""
    while runs:
        run, status = os.waitpid(-1, os.WNOHANG)
        if not run:
            return
        yield runs.pop(run), os.waitstatus_to_exitcode(status)


def _be_a_run(printed: str) -> None:
    """Leave what the warm process watches, end with it, and print to a file."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    _print_to(printed)


def _print_to(file: str) -> None:
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for standard in (1, 2):
        os.dup2(opened, standard)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--warm"]:
        sys.exit(stay_warm(sys.argv[2:]))
    sys.exit(main(sys.argv[1:]))
