"""The cache folder: jars and AOT caches, shared by every process of this user.

`TOUCHSTONE_CACHE` names another folder than the platform's usual one.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from jvm_runtime.jvm_errors import CacheError
from jvm_runtime.locks import Jar

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def cache_folder() -> Path:
    """Return the cache folder, `TOUCHSTONE_CACHE` or the platform's; it may not exist yet.

    Raises CacheError for one that every user of the machine may write: what is in it is run.
    """
    named = os.environ.get("TOUCHSTONE_CACHE")
    folder = Path(named).expanduser().absolute() if named else _platform_folder()
    with suppress(OSError):
        if folder.stat().st_mode & stat.S_IWOTH:
            raise CacheError(
                f"Every user of this machine may write {folder}, and what is in it is run",
                hint=f"`chmod o-w {folder}`, or name a folder of your own with TOUCHSTONE_CACHE",
            )
    return folder


def _platform_folder() -> Path:
    return Path(platformdirs.user_cache_dir("jms-touchstone", appauthor=False))


def cache_error(error: OSError, path: Path) -> CacheError:
    """Return a text for people about `error`, which happened while writing `path`."""
    if error.errno in _FULL:
        return CacheError(
            f"The disk is full: {path} cannot be written ({error.strerror})",
            hint="Free some space, or name a folder on another disk with TOUCHSTONE_CACHE",
        )
    if error.errno in _FORBIDDEN:
        return CacheError(
            f"{path} cannot be written ({error.strerror})",
            hint="Give yourself write permission, or name another folder with TOUCHSTONE_CACHE",
        )
    return CacheError(
        f"{path} cannot be written ({error})",
        hint="Look at that path, or name another folder with TOUCHSTONE_CACHE",
    )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the OSErrors of the block, which writes `path`, into CacheError."""
    try:
        yield
    except OSError as error:
        raise cache_error(error, path) from error


@contextmanager
def process_lock(file: Path) -> Iterator[None]:
    """Hold `file` locked against other processes; wait for them; raises CacheError."""
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with writing(file):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_atomically(file: Path, content: bytes) -> None:
    """Write `file` so that readers see all of it or the old one; raises CacheError."""
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def sha256(file: Path) -> str:
    """Return the SHA-256 of `file` in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Verified:
    """Remembers which files had their locked content, so that a warm start hashes nothing.

    A record holds while size, modification time and change time of the file stay the same. A record
    that is lost or cannot be written costs one more hash, nothing else.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._records: dict[str, list[object]] = {}
        self._changed = False
        with suppress(OSError, ValueError):  # lost records are made anew
            records = json.loads(file.read_bytes())
            if isinstance(records, dict):
                self._records = records

    def matches(self, path: Path, jar: Jar) -> bool:
        """Return whether `path` exists and holds exactly `jar`."""
        try:
            status = path.stat()
            if status.st_size != jar.size:
                return False
            record = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, jar.sha256]
            if self._records.get(str(path)) == record:
                return True
            if sha256(path) != jar.sha256:
                return False
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return False
        self._records[str(path)] = record
        self._changed = True
        return True

    def save(self) -> None:
        """Write what was learnt since the start."""
        if not self._changed:
            return
        # A read-only cache, made beforehand by somebody else, is a good cache.
        with suppress(CacheError):
            write_atomically(self._file, json.dumps(self._records).encode())
            self._changed = False
