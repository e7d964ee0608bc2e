"""What takes long to find out about the catalogue, kept until a file that it comes from changes."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from jvm_runtime.cache import cache_folder, write_atomically
from jvm_runtime.jvm_errors import CacheError

HARNESS: Final = (
    "jms_histories",
    "jmsapi",
    "jvm_runtime",
    "pulsar_jms",
    "touchstone",
    "touchstone_reports",
)
"""The packages besides those of entry points on which it depends what is found out."""
_GROUPS: Final = "touchstone."
"""What the names of groups of entry points begin with: catalogues, deviations, providers."""
_SOURCES: Final = (".py", ".toml", ".json")
_MOST: Final = 20
"""Files that are kept: one for each thing in each working directory and environment."""


def kept(name: str, find_out: Callable[[], Any]) -> Any:
    """What `find_out` gives, as JSON has it; it is called again if a source file has changed.

    Those of HARNESS and of all packages count that an entry point of Touchstone is in. Where
    nothing can be kept it is called each time.
    """
    digest = digest_of({*HARNESS, *_registered()})
    file = _folder() / f"{name}-{_place()}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(file.read_bytes())
        if found["digest"] == digest:
            return found["value"]
    value = json.loads(json.dumps(find_out()))
    with suppress(CacheError, OSError):
        write_atomically(file, json.dumps({"digest": digest, "value": value}).encode())
        _remove_oldest(file.parent)
    return value


def digest_of(packages: Iterable[str]) -> str:
    """A digest of all sources of these packages, which have to be installed."""
    found = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for package in sorted(packages):
        for path in _sources(package):
            content = Path(path).read_bytes()
            found.update(f"{path}\0{len(content)}\0".encode())
            found.update(content)
    return found.hexdigest()


def _registered() -> Iterator[str]:
    for group in filter(lambda each: each.startswith(_GROUPS), entry_points().groups):
        yield from (point.module.partition(".")[0] for point in entry_points(group=group))


def _sources(package: str) -> Iterator[str]:
    spec = find_spec(package)
    for root in sorted((spec.submodule_search_locations or ()) if spec is not None else ()):
        for folder, inner, names in os.walk(root):
            inner[:] = sorted(each for each in inner if each != "__pycache__")
            yield from (f"{folder}/{each}" for each in sorted(names) if each.endswith(_SOURCES))


def _folder() -> Path:
    return cache_folder() / "catalogue"


def _place() -> str:
    """The environment and the working directory, from which pytest's node ids are told."""
    return hashlib.blake2b(f"{sys.prefix}\0{Path.cwd()}".encode(), digest_size=8).hexdigest()


def _remove_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for file in files[:-_MOST]:
        file.unlink(missing_ok=True)
