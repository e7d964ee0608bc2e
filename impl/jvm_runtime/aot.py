"""AOT caches (Java 25 and newer): classes loaded and linked beforehand halve a program's start.

A cache is valid for one combination of Java, options and jars, which its file name is a digest of;
a training start writes it. It is never needed: without it the program starts more slowly.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from jvm_runtime.cache import cache_folder, process_lock, writing
from jvm_runtime.jvm_errors import JvmRuntimeError
from jvm_runtime.launch import JavaCommand

FIRST_JAVA = 25
_KEPT = 3
_CHECKED = "-XX:+VerifySharedSpaces"
"""Has Java compare a cache's checksums: one that is damaged it leaves, and does not crash."""
_log = logging.getLogger(__name__)


def with_aot_cache(
    command: JavaCommand, program: str, train: Callable[[JavaCommand], None]
) -> JavaCommand:
    """Return `command` with its AOT cache, which `train` makes by running what it is given to its
    normal end; `command` as it is where that is not possible (the log says why).
    """
    if command.jre.major < FIRST_JAVA:
        _log.info("Java %s has no AOT cache: %s starts more slowly", command.jre.version, program)
        return command
    file = folder() / f"{program}-{cache_key(command)}.aot"
    try:
        if not file.exists():
            with process_lock(folder() / f"{program}.lock"):
                if not file.exists():
                    _make(command, program, file, train)
                    _forget_old(program)
    except JvmRuntimeError as error:
        _log.warning("No AOT cache, so %s starts more slowly: %s", program, error)
        return command
    with suppress(OSError):  # marks it as used, for _forget_old; a read-only cache is fine too
        os.utime(file)
    return command.with_options(_CHECKED, f"-XX:AOTCache={file}")


def folder() -> Path:
    """Return where the caches are; all of it may be removed at any time."""
    return cache_folder() / "aot"


def cache_key(command: JavaCommand) -> str:
    """Return a digest of all that an AOT cache depends on: Java, options, jars and their times."""
    digest = hashlib.sha256()
    for word in (command.jre.identity, *command.options, command.main):
        digest.update(f"{word}\n".encode())
    for jar in command.class_path:
        status = jar.stat()
        digest.update(f"{jar}\n{status.st_size}\n{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _make(
    command: JavaCommand, program: str, file: Path, train: Callable[[JavaCommand], None]
) -> None:
    for leftover in file.parent.glob(f".{program}-*"):  # of a run that was killed: we hold the lock
        leftover.unlink(missing_ok=True)
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        train(command.with_options(f"-XX:AOTCacheOutput={unfinished}"))
        with writing(file), unfinished.open("rb") as stream:
            os.fsync(stream.fileno())  # the JVM does not notice a cache with holes, and crashes
            unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _forget_old(program: str) -> None:
    newest_first = sorted(
        folder().glob(f"{program}-*.aot"), key=lambda file: file.stat().st_mtime, reverse=True
    )
    for file in newest_first[_KEPT:]:
        file.unlink(missing_ok=True)
