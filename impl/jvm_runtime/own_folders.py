"""Folders for temporary files that never pile up, however the process ends that they belong to.

Each folder has a lock that its process holds while it lives. A folder whose lock is free belonged
to a process that was killed, and the next one to make a folder in the same place removes it. Who
starts a process that may be killed gives it a folder of its own (`environment`), and removes that.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from jvm_runtime.jvm_errors import FolderError

_LOCK = "owner.lock"
_HINT = "Free some space there, or name another folder with TMPDIR"
_REMOVED_WITHIN = 10.0
"""Seconds in which processes that were killed write no more."""
_POLL = 0.05


class OwnFolder:
    """A new folder of this process; `remove` ends it, as do the block and the process's end."""

    def __init__(self, name: str, within: Path | None = None) -> None:
        """It lies below `within`, by default the temporary directory; raises FolderError."""
        parent = place(within)
        try:
            with _alone(parent):
                abandoned = _claim_abandoned(parent)
                self.path = Path(tempfile.mkdtemp(prefix=f"{name}-{os.getpid()}-", dir=parent))
                self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._lock, fcntl.LOCK_EX)
        except OSError as error:
            raise FolderError(f"No folder in {parent} ({error.strerror})", hint=_HINT) from error
        self._process = os.getpid()
        atexit.register(self.remove)
        _remove_all(abandoned)

    def remove(self) -> None:
        """Remove the folder and all in it; a second call does nothing."""
        if self._lock < 0 or self._process != os.getpid():  # a forked child's end is not ours
            return
        deadline = time.monotonic() + _REMOVED_WITHIN
        shutil.rmtree(self.path, ignore_errors=True)
        while self.path.exists() and time.monotonic() < deadline:
            time.sleep(_POLL)
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)
        self._lock = -1
        atexit.unregister(self.remove)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


def environment(folder: Path, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a process whose temporary files are to be in `folder`, and go with it."""
    return {**inherited, "TMPDIR": str(folder)}


def place(within: Path | None = None) -> Path:
    """The folder of this user below `within` that holds such folders; raises FolderError."""
    parent = (within or Path(tempfile.gettempdir())) / f"touchstone-{os.getuid()}"
    try:
        parent.mkdir(mode=0o700, exist_ok=True)
        status = parent.lstat()
    except OSError as error:
        raise FolderError(f"{parent} cannot be made ({error.strerror})", hint=_HINT) from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise FolderError(
            f"{parent} belongs to somebody else", hint="Name another folder with TMPDIR"
        )
    return parent


def sweep(parent: Path) -> None:
    """Remove the folders in `parent` whose processes are gone."""
    with _alone(parent):
        abandoned = _claim_abandoned(parent)
    _remove_all(abandoned)


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Keeps folders from being made and swept at once: a new one is not locked yet."""
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _claim_abandoned(parent: Path) -> list[tuple[Path, int]]:
    """The folders that nobody owns, with the lock of each, now ours (-1: it has none any more)."""
    abandoned = []
    for folder in parent.iterdir():
        try:
            descriptor = os.open(folder / _LOCK, os.O_RDWR)
        except FileNotFoundError:  # its removal was begun, and not ended
            abandoned.append((folder, -1))
            continue
        except NotADirectoryError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            abandoned.append((folder, descriptor))
    return abandoned


def _remove_all(abandoned: list[tuple[Path, int]]) -> None:
    for folder, descriptor in abandoned:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor >= 0:
            os.close(descriptor)
