"""Lock files: which jars, bit for bit, make up a Java program.

One line is one jar: `group:artifact:jar[:classifier]:version sha256:<hex> <bytes>`. The order of
the lines is the order of the class path. `#` starts a comment.

A program that is published as a whole is `group:artifact:zip[:classifier]:version` with, behind the
size, the paths of the jars inside that are wanted on the class path (`jvm_runtime.unpack`).
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from jvm_runtime.jvm_errors import LockFileError

SUFFIX = ".lock"
_OURS: Traversable = resources.files("jvm_runtime") / "locks"
_SHA256 = re.compile(r"sha256:([0-9a-f]{64})\Z")
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_ELSEWHERE = re.compile(r"-(linux|darwin|win32)-\w+\Z")
_INSIDE = re.compile(r"(?![/.]|.*/[/.])[\w./+-]+\.jar\Z", re.ASCII)
"""The path of a jar in an archive; none leads out of it."""
_COORDINATE_PART = re.compile(r"[A-Za-z0-9_.+-]+\Z")


@dataclass(frozen=True)
class Jar:
    """One locked jar: its Maven coordinates, SHA-256 (hex) and size in bytes.

    Or an archive of several: `inside` are the paths of those that are wanted.
    """

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int
    inside: tuple[str, ...] = field(default=(), compare=False)

    @property
    def coordinates(self) -> str:
        """The jar as `group:artifact[:classifier]:version`, for people."""
        return ":".join(filter(None, (self.group, self.artifact, self.classifier, self.version)))

    @property
    def name(self) -> str:
        """The file name in a Maven repository."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{suffix}.{'zip' if self.inside else 'jar'}"

    @property
    def path(self) -> PurePosixPath:
        """Where the jar lies below the root of a Maven repository."""
        return PurePosixPath(*self.group.split("."), self.artifact, self.version, self.name)


@dataclass(frozen=True)
class Lock:
    """A named list of jars in class path order; `title` is the comment in its first line."""

    name: str
    jars: tuple[Jar, ...]
    title: str = ""


@lru_cache(maxsize=16)  # a listing of providers asks for some of them again and again
def parse(text: str, name: str) -> Lock:
    """Return the lock that `text` describes; `name` is for messages. Raises LockFileError."""
    jars: dict[PurePosixPath, Jar] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        jar = _parse_line(content, f"{name}, line {number}")
        if jars.setdefault(jar.path, jar) is not jar:
            raise _bad_line(f"{name}, line {number}", f"{jar.coordinates} is there twice")
    if not jars:
        raise _bad_line(name, "no jar is listed")
    first = text.partition("\n")[0]
    title = first.removeprefix("#").strip() if first.startswith("#") else ""
    return Lock(name, tuple(jars.values()), title)


def load(program: str) -> Lock:
    """Return the lock of `program` for this platform, else the one for every platform.

    A program that is locked elsewhere is the path of its lock file, which ends in `.lock`. Raises
    LockFileError where there is no lock.
    """
    if program.endswith(SUFFIX):
        return _read(Path(program))
    tag = platform_tag()
    for name in (f"{program}-{tag}{SUFFIX}", f"{program}{SUFFIX}"):
        file = _OURS / name
        if file.is_file():
            return parse(file.read_text(encoding="utf-8"), name)
    raise LockFileError(
        f"{program} has no jars locked for the platform {tag}",
        hint=f"Locked are: {', '.join(known_locks()) or 'none'}. Use a broker in a container "
        "(--broker container) or one that runs elsewhere (--broker pulsar://HOST:PORT)",
    )


def known_locks(folder: Traversable = _OURS) -> tuple[str, ...]:
    """The names of the lock files in a folder, by default those of this installation."""
    return tuple(sorted(f.name for f in folder.iterdir() if f.name.endswith(SUFFIX)))


def versions(program: str, folder: Traversable = _OURS) -> tuple[str, ...]:
    """The versions of `program` that are locked, each in a file `<program>-<version>.lock` of a
    folder, the oldest first; those for another platform only do not count.
    """
    before, here = f"{program}-", f"-{platform_tag()}"
    names = (name.removesuffix(SUFFIX) for name in known_locks(folder) if name.startswith(before))
    available = {name.removeprefix(before).removesuffix(here) for name in names}
    ours = (each for each in available if each[:1].isdigit() and not _ELSEWHERE.search(each))
    return in_order(ours)


def in_order(given: Iterable[str]) -> tuple[str, ...]:
    """Versions by their numbers, the oldest first."""
    return tuple(sorted(given, key=_numbers))


def is_from(version: str, first: str) -> bool:
    """Whether a version is `first` or newer, by their numbers."""
    return _numbers(version)[0] >= _numbers(first)[0]


def platform_tag() -> str:
    """This platform as lock files spell it, such as `linux-x86_64`."""
    machine = platform.machine().lower()
    return f"{sys.platform}-{_MACHINES.get(machine, machine)}"


def _numbers(version: str) -> tuple[tuple[int, ...], str]:
    return tuple(map(int, re.findall(r"\d+", version))), version


def _read(path: Path) -> Lock:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LockFileError(
            f"The lock {path} cannot be read: {error}",
            hint="Name a text file with one line for each jar",
        ) from error
    return parse(text, path.name)


def _parse_line(content: str, where: str) -> Jar:
    fields = content.split()
    if len(fields) < 3:
        raise _bad_line(where, f"{content!r} has {len(fields)} fields instead of 3")
    parts, inside = fields[0].split(":"), tuple(fields[3:])
    if len(parts) not in (4, 5) or parts[2] != ("zip" if inside else "jar"):
        raise _bad_line(where, f"{fields[0]!r} is not group:artifact:jar[:classifier]:version")
    if not all(_COORDINATE_PART.match(part) and ".." not in part for part in parts):
        raise _bad_line(where, f"{fields[0]!r} has a part that is no Maven name")
    if not all(map(_INSIDE.match, inside)):
        raise _bad_line(where, f"{' '.join(inside)!r} are not paths of jars")
    digest = _SHA256.match(fields[1])
    if digest is None:
        raise _bad_line(where, f"{fields[1]!r} is not sha256:<64 hex digits>")
    if not fields[2].isdecimal() or int(fields[2]) == 0:
        raise _bad_line(where, f"{fields[2]!r} is not a size in bytes")
    classifier = parts[3] if len(parts) == 5 else ""
    return Jar(parts[0], parts[1], parts[-1], classifier, digest[1], int(fields[2]), inside)


def _bad_line(where: str, what: str) -> LockFileError:
    return LockFileError(
        f"{where}: {what}",
        hint="A line reads `group:artifact:jar[:classifier]:version sha256:<hex> <bytes>`, or "
        "`group:artifact:zip:version sha256:<hex> <bytes> <jar inside>...`; "
        "reinstall jms-touchstone-reference if you did not edit the file",
    )
