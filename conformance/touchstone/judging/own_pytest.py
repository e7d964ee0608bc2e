"""A script: pytest as the process of a run, whose status never speaks of the client by mistake.

pytest's own status where its output breaks, and Python's for an exception, is 1: a violation. What
the output's encoding lacks breaks nothing. A script and not a module, since pytest is to be the
first that imports the harness.
"""

import io
import os
import sys
import traceback

import pytest

_FAULT = 3


def main() -> int:
    """Run pytest with the arguments of this process, as `python -m pytest` does; its status."""
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()  # noqa: PTH109 - as text
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = int(pytest.main())
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


if __name__ == "__main__":
    sys.exit(main())
