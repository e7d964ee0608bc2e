"""manifest.json: what a sealed history consists of, and what its numbers stand for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

FORMAT: Final = 1
NAME: Final = "manifest.json"


@dataclass(frozen=True)
class TableFile:
    """One Parquet file of a table, relative to the history's folder.

    uid_first and uid_last bound its messages, so that a reader can choose files by time windows.
    """

    path: str
    table: str
    rows: int
    uid_first: int = -1
    uid_last: int = -1


@dataclass(frozen=True)
class Consumer:
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
    consumers: tuple[Consumer, ...] = ()
    truncated: Mapping[int, int] = field(default_factory=dict)
    layout: Mapping[str, str] = field(default_factory=dict)
    buckets: int = 1
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    clock_offsets: Mapping[str, int] = field(default_factory=dict)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write it into the folder of its history, at once: it makes the folder a history."""
        text = json.dumps(asdict(self), indent=1, sort_keys=True)
        whole = folder / f"{NAME}.part"
        whole.write_text(text, encoding="utf-8")
        whole.replace(folder / NAME)

    def of(self, table: str) -> tuple[TableFile, ...]:
        """The files of a table."""
        return tuple(file for file in self.files if file.table == table)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a sealed history in a local folder, unchecked: see `reader.open_history`."""
    return manifest_of(json.loads((folder / NAME).read_text(encoding="utf-8")))


def manifest_of(values: Mapping[str, Any]) -> Manifest:
    """A manifest from what its JSON says. Raises KeyError, TypeError or ValueError if it cannot."""
    return Manifest(
        **{
            **values,
            "checks": tuple(values["checks"]),
            "files": tuple(TableFile(**file) for file in values["files"]),
            "consumers": tuple(Consumer(**consumer) for consumer in values["consumers"]),
            "truncated": {int(producer): cut for producer, cut in values["truncated"].items()},
        }
    )
