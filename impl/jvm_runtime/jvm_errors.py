"""Errors of the Java side: each says what happened, on which object, and what to do about it."""

from __future__ import annotations


class JvmRuntimeError(Exception):
    """A Java artifact, a Java runtime or a Java process is not what is needed.

    `hint` is one sentence that says what to do; it is part of `str(error)`.
    """

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(f"{message}. {hint}")
        self.message = message
        self.hint = hint


class LockFileError(JvmRuntimeError):
    """A lock file is missing for this platform, or a line of it cannot be read."""


class FetchError(JvmRuntimeError):
    """A jar of a lock could not be had."""


class OfflineError(FetchError):
    """A jar is not in the cache and the network may not be used."""


class NetworkError(FetchError):
    """The Maven repository does not answer, or does not have the jar."""


class CorruptJarError(FetchError):
    """What the repository sends is not the locked content."""


class CacheError(FetchError):
    """The cache folder cannot be used: full disk, missing permission, or everybody may write it."""


class FolderError(JvmRuntimeError):
    """A folder for temporary files cannot be made."""


class JavaError(JvmRuntimeError):
    """No Java runtime that is new enough."""
