"""Writing a lock: from the list of jars that Maven prints, and the jars in its local repository."""

from __future__ import annotations

import re
from pathlib import Path

from jvm_runtime.cache import sha256
from jvm_runtime.jvm_errors import LockFileError
from jvm_runtime.locks import Jar

_COORDINATES = re.compile(
    r"^(?:\[INFO\])?\s*(?P<group>[\w.-]+):(?P<artifact>[\w.-]+):jar"
    r"(?::(?P<classifier>[\w.-]+))?:(?P<version>[\w.+-]+):(?P<scope>compile|runtime)\b",
    re.MULTILINE,
)
"""A line of `mvn dependency:list`; jars of other scopes are no part of the program."""


def lock_text(listing: str, repository: Path) -> str:
    """Return the lock of the jars that `mvn dependency:list` printed, by name.

    They are read in `repository`, laid out as Maven's own is. Raises LockFileError where the list
    has none, and for one that is not there.
    """
    coordinates = {
        line.group(0): line.groupdict(default="") for line in _COORDINATES.finditer(listing)
    }
    if not coordinates:
        raise LockFileError(
            "The list names no jar to run with",
            hint="It is what `mvn dependency:list -DoutputFile=FILE` writes: lines such as"
            " org.example:client:jar:1.0:compile",
        )
    jars = (
        Jar(each["group"], each["artifact"], each["version"], each["classifier"], sha256="", size=0)
        for each in coordinates.values()
    )
    return "".join(sorted({lock_line(jar, repository) for jar in jars}))


def lock_line(jar: Jar, repository: Path) -> str:
    """Return the line of one jar, with the size and SHA-256 that it has in `repository`.

    Raises LockFileError where it is not there.
    """
    path = repository / jar.path
    try:
        size, digest = path.stat().st_size, sha256(path)
    except OSError as error:
        raise LockFileError(
            f"{jar.coordinates} cannot be read: {error}",
            hint="`mvn dependency:list` brings the jars into ~/.m2/repository; where it is"
            " elsewhere, name it in M2_REPO",
        ) from error
    kind = ":".join(filter(None, ("jar", jar.classifier)))
    return f"{jar.group}:{jar.artifact}:{kind}:{jar.version} sha256:{digest} {size}\n"
