"""manifest.json: what a sealed history consists of, and what its numbers stand for."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from jms_histories.definitions import CHECKS
from jms_histories.history.checksums import Checksums
from jms_histories.history.from_json import of_json
from jms_histories.history.schema import TABLES

FORMAT: Final = 2
NAME: Final = "manifest.json"
_CRC: Final = "crc32"
_PATH: Final = re.compile(r"(?:[a-z]+/)?[a-z0-9]+\.parquet")
_INT32: Final = 1 << 31


@dataclass(frozen=True)
class _Promises:
    """The part of the settings that a report shows beside the checks."""

    promises: Mapping[str, str]


class UnknownFormatError(ValueError):
    """A manifest of another version, or none."""


@dataclass(frozen=True)
class TableFile:
    """One Parquet file of a table, relative to the history's folder.

    uid_first and uid_last bound its messages, so that a reader can choose files by time windows.
    """

    path: str
    table: str
    rows: int
    checksums: Checksums
    uid_first: int = -1
    uid_last: int = -1


@dataclass(frozen=True)
class ConsumerPlace:
    """Where a consumer belongs."""

    consumer: int
    session: int
    sub: int


@dataclass(frozen=True)
class Manifest:
    """All that is known of a history besides its rows.

    layout maps send and delivery to "session" (a file holds whole sessions in order of ridx; sends
    of a producer in order) or "bucket" (a row group for each of `buckets` buckets in every file).
    names maps dest, sub, key, session, producer and consumer to number -> name, as far as they have
    one. checks are those that the workload promises something about; settings is what a reader
    wants to know of the workload (provider, seed, …). Times are nanoseconds.
    """

    run: str
    epsilon: int
    priority_slack: int
    checks: tuple[str, ...]
    files: tuple[TableFile, ...]
    consumers: tuple[ConsumerPlace, ...] = ()
    truncated: Mapping[int, int] = field(default_factory=dict)
    layout: Mapping[str, str] = field(default_factory=dict)
    buckets: int = 1
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    clock_offsets: Mapping[str, int] = field(default_factory=dict)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write it into the folder of its history, at once: it makes the folder a history."""
        whole = folder / f"{NAME}.part"
        whole.write_text(self.text(), encoding="utf-8")
        whole.replace(folder / NAME)

    def text(self) -> str:
        """Its JSON, with a checksum of what it says."""
        values = json.loads(json.dumps(asdict(self)))
        return json.dumps({**values, _CRC: _crc_of(values)}, indent=1, sort_keys=True)

    def of(self, table: str) -> tuple[TableFile, ...]:
        """The files of a table."""
        return tuple(file for file in self.files if file.table == table)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a sealed history in a local folder; its files: see `reader.open_history`."""
    return manifest_of((folder / NAME).read_text(encoding="utf-8"))


def manifest_of(text: str) -> Manifest:
    """A manifest from its text. Raises ValueError if it is none, or was changed."""
    try:
        values = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        version = values.get("format") if isinstance(values, dict) else None
        raise UnknownFormatError(f"it has format {version!r:.20}; this version reads {FORMAT}")
    if values.pop(_CRC, None) != _crc_of(values):
        raise ValueError(f"it was changed: its {_CRC} is another")
    return _check_manifest(of_json(Manifest, values))


def _check_manifest(manifest: Manifest) -> Manifest:
    """The same. Raises ValueError for what no writer says."""
    for path, times in Counter(file.path for file in manifest.files).items():
        if times > 1:
            raise ValueError(f"it names {path!r:.100} twice")
    for file in manifest.files:
        if not _PATH.fullmatch(file.path):
            raise ValueError(f"no file of a history is called {file.path!r:.100}")
        if file.table not in TABLES:
            raise ValueError(f"{file.path} is of an unknown table, {file.table!r:.100}")
    unknown = [check for check in manifest.checks if check not in CHECKS]
    if unknown:
        raise ValueError(f"there is no check {unknown[0]!r:.100}")
    if any(
        number not in range(-_INT32, _INT32)
        for consumer in manifest.consumers
        for number in astuple(consumer)
    ):
        raise ValueError("a consumer has a number of more than 32 bits")
    layouts = {*manifest.layout.values()}
    if not layouts <= {"session", "bucket"} or manifest.buckets < 1:
        raise ValueError(f"there is no layout {sorted(layouts)} with {manifest.buckets} buckets")
    of_json(_Promises, {"promises": manifest.settings.get("promises", {})})
    return manifest


def _crc_of(values: Mapping[str, Any]) -> str:
    return f"{crc32(json.dumps(values, sort_keys=True).encode()):08x}"
