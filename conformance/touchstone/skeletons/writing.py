"""A skeleton with its blanks filled in, in a folder that is new or empty."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from importlib.metadata import version
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from string import Template
from typing import Final, Self

from jms_brokers.machine.installed import all_entry_points
from touchstone.catalogue import known_library
from touchstone.errors import UsageError

KINDS: Final = ("provider", "catalogue", "broker")
_SUFFIX: Final = ".template"
_GROUPS: Final = ("touchstone.", "jms_clients.", "jms_brokers.")
"""What the names of groups of entry points begin with."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", re.ASCII)


@dataclass(frozen=True)
class Blanks:
    """What a skeleton's blanks are filled with."""

    name: str
    """Of the distribution, and of what it registers."""
    package: str
    prefix: str
    """Of requirements."""
    version: str
    """Of Touchstone, the oldest that it is for."""

    @classmethod
    def of(cls, name: str) -> Self:
        """Those of a distribution; `UsageError` for a name that is none."""
        package = name.replace("-", "_")
        if not _NAME.fullmatch(name) or keyword.iskeyword(package):
            raise UsageError(
                f"{name!r} is no name for a Python package",
                hint="A folder is called as its package: small letters, digits, and - or _ between"
                " them, such as acme-jms.",
            )
        prefix = package.replace("_", "").upper()
        return cls(name, package, prefix, version("jms-touchstone"))


class _Text(Template):
    """Its blanks are `%{name}` and the like; any other % is a fault of the skeleton."""

    delimiter = "%"
    idpattern = "(?!)"
    braceidpattern = "[a-z]+"


def skeleton(kind: str, blanks: Blanks) -> Mapping[PurePosixPath, str]:
    """The texts of a skeleton's files by their paths."""
    filled = asdict(blanks)
    return {
        PurePosixPath(
            path.removesuffix(_SUFFIX)
            .replace("PACKAGE", blanks.package)
            .replace("NAME", blanks.name)
        ): _Text(file.read_text(encoding="utf-8")).substitute(filled)
        for path, file in _files(resources.files(__package__) / kind)
    }


def write_skeleton(kind: str, folder: Path) -> Blanks:
    """Write one into `folder`, which names it; `UsageError` where nothing can be written there."""
    blanks = Blanks.of(folder.resolve().name)
    if taken := next(_taken(blanks), ""):
        raise UsageError(
            f"There is {taken} already",
            hint="Call the folder otherwise, or uninstall what is called so.",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(
                f"The folder {folder} is not empty", hint="Name one that is, or that is not there."
            )
        for path, text in skeleton(kind, blanks).items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {error.strerror}", hint="Name a folder that can be made."
        ) from error
    return blanks


def _taken(blanks: Blanks) -> Iterator[str]:
    """What is installed and called so."""
    found = find_spec(blanks.package)
    if found is not None and found.origin is not None:  # a plain folder of the path has none
        yield f"a package {blanks.package!r}"
    for point in all_entry_points():
        if point.name == blanks.name and point.group.startswith(_GROUPS):
            yield f"something called {blanks.name!r} in {point.group}"
    if (document := known_library().documents.get(blanks.prefix)) is not None:
        yield f"a document with the prefix {blanks.prefix!r}, {document.title},"


def _files(folder: Traversable, before: str = "") -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            yield from _files(each, f"{before}{each.name}/")
        elif each.name.endswith(_SUFFIX):
            yield f"{before}{each.name}", each
