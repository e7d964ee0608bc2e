"""What takes long to find out about the catalogue, kept until what it comes from changes.

A file begins with a digest of what it was found out from and of its content: one of other sources,
damaged or cut short, is none. Where nothing can be kept, all is found out each time.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from jms_brokers.machine.installed import all_entry_points
from jvm_runtime.cache import cache_folder, write_atomically
from jvm_runtime.jvm_errors import CacheError

HARNESS: Final = (
    "jms_brokers",
    "jms_clients",
    "jms_histories",
    "jms_model",
    "jmsapi",
    "jvm_runtime",
    "pulsar_jms",
    "touchstone",
    "touchstone_reports",
)
"""The packages besides those of entry points on which it depends what is found out."""
_GROUPS: Final = ("touchstone.", "jms_brokers.", "jms_clients.")
"""What the names of groups of entry points begin with: catalogues, families, providers."""
_SOURCES: Final = (".py", ".toml", ".json")
_MOST: Final = 60
"""Files that are kept: for each working directory and environment, and for each long text."""
_TROUBLE: Final = (CacheError, OSError, ValueError, TypeError, RuntimeError)
"""What reading, writing and JSON may raise; none of it hinders anybody."""
_DATE: Final = "a date, as TOML has it"


class Passing(Exception):
    """What was found out holds for now alone: something is missing that may be there next time."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def kept_result(name: str, find_out: Callable[[], Any]) -> Any:
    """What `find_out` gives, as JSON has it; it is called again if a source file has changed.

    Those of HARNESS and of all packages count that an entry point of Touchstone is in. `Passing`
    from `find_out` is not kept.
    """
    return _load_or_find(f"{name}-{_place()}", _digest, find_out)


def kept_of(text: str, find_out: Callable[[], Any]) -> Any:
    """What `find_out` makes of this text alone, as JSON has it, and dates as they are."""
    return _load_or_find(_short(text), lambda: text, find_out)


def digest_of(packages: Iterable[str]) -> str:
    """A digest of all sources of these packages and modules, as far as they can be read."""
    digest = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for package in sorted(packages):
        for path in _sources(package):
            content = b""
            with suppress(OSError):  # such as an editor's lock; whoever needs it will say it
                content = Path(path).read_bytes()
            digest.update(_bytes(f"{path}\0{len(content)}\0"))
            digest.update(content)
    return digest.hexdigest()


def _load_or_find(name: str, sources: Callable[[], str], find_out: Callable[[], Any]) -> Any:
    before = sources()
    with suppress(*_TROUBLE):
        return _read(_folder() / f"{name}.json", before)
    try:
        value = find_out()
    except Passing as passing:
        return passing.value
    try:
        content = json.dumps(value, default=_as_json).encode()
        value = _from_json(content)
    except _TROUBLE:
        return value
    if sources() == before:  # else nobody knows which of them it was found out from
        with suppress(*_TROUBLE):
            file = _folder() / f"{name}.json"
            write_atomically(file, _seal(before, content) + b"\n" + content)
            _remove_oldest(file.parent)
    return value


def _read(file: Path, sources: str) -> Any:
    seal, _, content = file.read_bytes().partition(b"\n")
    if seal != _seal(sources, content):
        raise ValueError(f"{file} is of other sources, or damaged")
    return _from_json(content)


def _seal(sources: str, content: bytes) -> bytes:
    return hashlib.blake2b(content, key=_short(sources).encode()).hexdigest().encode()


def _as_json(value: object) -> dict[str, str]:
    if type(value) is datetime.date:
        return {_DATE: value.isoformat()}
    raise TypeError(f"JSON has no {type(value).__name__}")


def _from_json(content: bytes) -> Any:
    return json.loads(content, object_hook=_date_or_table)


def _date_or_table(table: dict[str, Any]) -> object:
    return datetime.date.fromisoformat(table[_DATE]) if _DATE in table else table


def _digest() -> str:
    points = [point for point in all_entry_points() if point.group.startswith(_GROUPS)]
    packages = {*HARNESS, *(point.module.partition(".")[0] for point in points)}
    return f"{digest_of(packages)} {sorted(map(repr, points))}"


def _sources(package: str) -> Iterator[str]:
    spec = find_spec(package)
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        yield spec.origin or ""
    for root in sorted(spec.submodule_search_locations or ()):
        for folder, inner, names in os.walk(root):
            inner[:] = sorted(each for each in inner if each != "__pycache__")
            yield from (f"{folder}/{each}" for each in sorted(names) if each.endswith(_SOURCES))


def _folder() -> Path:
    return cache_folder() / "catalogue"


def _place() -> str:
    """The environment and the working directory, from which pytest's node ids are told."""
    return _short(f"{sys.prefix}\0{Path.cwd()}")


def _short(text: str) -> str:
    return hashlib.blake2b(_bytes(text), digest_size=16).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # names of folders may be no UTF-8


def _remove_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for file in files[:-_MOST]:
        file.unlink(missing_ok=True)
