"""Data folders of brokers, in the temporary directory; none piles up, however a run ends.

Each folder has a lock that its process holds while it lives. A folder whose lock is free belonged
to a process that was killed, and the next one to make a folder removes it.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from touchstone.errors import BrokerError

_LOCK = "owner.lock"
NEEDED_BYTES = 100_000_000


class RunFolder:
    """A new folder for one broker of this process; `remove` ends it, as does the process's end."""

    def __init__(self, name: str) -> None:
        parent = _parent()
        sweep(parent)
        require_space(parent, NEEDED_BYTES)
        try:
            self.path = Path(tempfile.mkdtemp(prefix=f"{name}-{os.getpid()}-", dir=parent))
            self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        except OSError as error:
            raise BrokerError(
                f"No data folder for the broker in {parent} ({error.strerror})",
                hint="Free some space there, or name another folder with TMPDIR",
            ) from error
        self._process = os.getpid()
        atexit.register(self.remove)

    def remove(self) -> None:
        """Removes the folder and all in it; a second call does nothing."""
        if self._lock < 0 or self._process != os.getpid():  # a forked child's end is not ours
            return
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)
        self._lock = -1
        atexit.unregister(self.remove)


def require_space(folder: Path, size: int) -> None:
    """Raises BrokerError if the disk of `folder` has less than `size` bytes left.

    A broker on a full disk starts all the same, and then keeps every message waiting.
    """
    free = shutil.disk_usage(folder).free
    if free < size:
        raise BrokerError(
            f"The disk of {folder} is too full: a broker needs {size / 1e6:.0f} MB, "
            f"{free / 1e6:.0f} MB are free",
            hint="Free some space there, or name a folder on another disk with TMPDIR",
        )


def sweep(parent: Path) -> None:
    """Removes the folders in `parent` whose processes are gone."""
    for folder in parent.iterdir():
        with suppress(FileNotFoundError, NotADirectoryError, BlockingIOError):
            descriptor = os.open(folder / _LOCK, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


def _parent() -> Path:
    parent = Path(tempfile.gettempdir()) / f"touchstone-{os.getuid()}"
    try:
        parent.mkdir(mode=0o700, exist_ok=True)
        status = parent.lstat()
    except OSError as error:
        raise BrokerError(
            f"{parent} cannot be made ({error.strerror})",
            hint="Free some space there, or name another folder with TMPDIR",
        ) from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise BrokerError(
            f"{parent} belongs to somebody else", hint="Name another folder with TMPDIR"
        )
    return parent
