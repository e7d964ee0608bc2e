"""The jars that a program in Java needs, as Maven resolves them; only for who writes a lock."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from xml.sax.saxutils import escape

from jvm_runtime.jvm_errors import LockFileError
from jvm_runtime.locks import platform_tag

_PLUGIN: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:list"
_LOGGING: Final = re.compile(r"org\.slf4j:slf4j-api:jar:(?P<version>[\w.-]+)")
_BRIDGE: Final = "org.slf4j:slf4j-jdk14"
"""What makes slf4j log by java.util.logging, which Touchstone shows."""
_BACKENDS: Final = re.compile(
    r"^.*(?:org\.slf4j:slf4j-(?:jdk14|simple|log4j12|reload4j)|ch\.qos\.logback:logback-classic"
    r"|org\.apache\.logging\.log4j:log4j-slf4j).*$",
    re.MULTILINE,
)
_OF_A_PLATFORM: Final = re.compile(
    r"^.*:jar:(?P<platform>(?:linux|osx|windows)-\w+):.*\n?", re.MULTILINE
)
_ERROR: Final = re.compile(r"\[ERROR\] (\S.*)")
"""A line with a reason; Maven may write something for a terminal before the first one."""
_COORDINATES: Final = re.compile(r"[\w.-]+:[\w.-]+:[\w.+-]+\Z")


def list_jars(wanted: Sequence[str]) -> str:
    """Return what `mvn dependency:list` says of `wanted`, each `GROUP:ARTIFACT:VERSION`.

    Native libraries of other platforms are left out. A program that logs through slf4j gets
    slf4j-jdk14 of the same version, unless it brings another end for it. Raises LockFileError
    without Maven, for a bad name, and with Maven's own words where it cannot resolve one.
    """
    listing = _of_this_platform(_run_maven(wanted))
    logging = _LOGGING.search(listing)
    if logging is None or _BACKENDS.search(listing):
        return listing
    bridge = f"{_BRIDGE}:{logging['version']}"
    return _of_this_platform(_run_maven([*wanted, bridge]))


def _of_this_platform(listing: str) -> str:
    """The list without what is for others: a native library may bring classes with it."""
    ours = platform_tag().replace("darwin", "osx").replace("aarch64", "aarch_64")
    return _OF_A_PLATFORM.sub(lambda line: line[0] if line["platform"] == ours else "", listing)


def _run_maven(wanted: Sequence[str]) -> str:
    maven = shutil.which("mvn")
    if maven is None:
        raise LockFileError(
            "Maven is not installed: `mvn` is not on the PATH",
            hint="Install it, or write the list elsewhere: `mvn dependency:list -DoutputFile=FILE`",
        )
    with TemporaryDirectory(prefix="touchstone-lock-") as folder:
        project, listing = Path(folder, "pom.xml"), Path(folder, "jars.txt")
        project.write_text(_project(wanted), encoding="utf-8")
        ended = subprocess.run(  # noqa: S603 - the command is ours
            [maven, "-B", "-q", "-f", project, _PLUGIN, f"-DoutputFile={listing}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            error = _ERROR.search(ended.stdout)
            reason = error[1] if error else ended.stderr.strip() or "it said nothing"
            raise LockFileError(
                f"Maven cannot resolve {', '.join(wanted)}: {reason}",
                hint="Look at group, artifact and version, and at Maven's settings for a mirror",
            )
        return listing.read_text(encoding="utf-8")


def _project(wanted: Sequence[str]) -> str:
    dependencies = "".join(_dependency(coordinates) for coordinates in wanted)
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>touchstone</groupId><artifactId>lock</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>"
    )


def _dependency(coordinates: str) -> str:
    if _COORDINATES.match(coordinates) is None:
        raise LockFileError(
            f"{coordinates!r} is no jar of a Maven repository",
            hint="It reads GROUP:ARTIFACT:VERSION, as org.apache.qpid:qpid-jms-client:2.10.0",
        )
    group, artifact, version = map(escape, coordinates.split(":"))
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version></dependency>"
    )
