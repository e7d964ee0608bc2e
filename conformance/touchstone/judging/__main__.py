"""pytest as the process of a run: whatever breaks it, its status never speaks of the client.

pytest's own status for a broken output, and Python's for an exception, is 1: that of a violation.
"""

from __future__ import annotations

import os
import sys
import traceback

import pytest

from touchstone.verdicts import ExitStatus


def main() -> int:
    """Run pytest with the arguments of this process; its status."""
    try:
        status = pytest.main()
        sys.stdout.flush()
    except OSError as error:  # nobody reads what it prints, or there is no room for it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"touchstone: the output cannot be written: {error.strerror}\n")
        return ExitStatus.FAULT
    except Exception:
        traceback.print_exc()
        return ExitStatus.FAULT
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
