"""recording.json: what a workload's coordinator knows of a run, besides what its sessions record.

It lies in the folder `recording` of a run, with the write-ahead files of all processes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from jms_histories.errors import HistoryError
from jms_histories.history.from_json import of_json
from jms_histories.history.log import boot
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.schema import TABLES

FORMAT: Final = 1
FOLDER: Final = "recording"
NAME: Final = "recording.json"
_BOOT: Final = re.compile(r"(?:[0-9a-f]{32})?")


@dataclass(frozen=True)
class SubscriptionEntry:
    """A row of the table of subscriptions; docs/volume.md explains the columns. -1 is none.

    t_drained and t_dlq_drained are what the coordinator saw on the broker itself.
    """

    sub: int
    dest: int
    t_from: int
    t_to: int
    t_drained: int = -1
    t_dlq_drained: int = -1
    durable: bool = False
    shared: bool = False
    exclusive: bool = False
    no_local: bool = False
    grouped: bool = False
    through: bool = False
    ordering: int = 0
    selector_id: int = -1
    bit: int = 0
    max_deliveries: int = -1


@dataclass(frozen=True)
class Moment:
    """An event that the coordinator recorded: faults (session -1), and sessions it killed."""

    session: int
    t: int
    event: int
    arg: int = -1


@dataclass(frozen=True)
class HistoryDescription:
    """What seal needs to know. Times are nanoseconds of the recorder's clock on the own host.

    sessions: all that were begun, with their host; producers: producer -> session. clock_offsets:
    host -> what is to be added to its times, epsilon bounds the error of all of them. finished_on
    is set when the run has ended and was looked at to its end (`finish`); a run without it is
    sealed as one of which an unknown part is missing.
    """

    run: str
    epsilon: int
    priority_slack: int
    checks: tuple[str, ...]
    sessions: Mapping[int, str]
    producers: Mapping[int, int] = field(default_factory=dict)
    consumers: tuple[ConsumerPlace, ...] = ()
    subscriptions: tuple[SubscriptionEntry, ...] = ()
    moments: tuple[Moment, ...] = ()
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    clock_offsets: Mapping[str, int] = field(default_factory=dict)
    finished_on: str = ""
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write it into the recording's folder, at once, in place of an earlier one."""
        folder.mkdir(parents=True, exist_ok=True)
        whole = folder / f"{NAME}.part"
        whole.write_text(json.dumps(asdict(self), indent=1, sort_keys=True), encoding="utf-8")
        whole.replace(folder / NAME)


def this_boot() -> str:
    """The value of finished_on for a run that ends on this host now."""
    return boot().hex()


def read_recording(folder: Path) -> HistoryDescription:
    """The recording in a folder. Raises HistoryError if there is none, or no valid one."""
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HistoryError(
            f"{path} cannot be read: {error}",
            hint="Name the folder of a run that recorded a history: it has a folder `recording`.",
        ) from error
    try:
        return recording_of(text)
    except ValueError as error:
        raise HistoryError(
            f"{path} is not the description of a recording: {error}",
            hint="Run the workload again; its coordinator writes this file. One of another version "
            "of Touchstone is sealed by that.",
        ) from error


def recording_of(text: str) -> HistoryDescription:
    """A recording from its text. Raises ValueError if it is none."""
    try:
        values = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    version = values.get("format") if isinstance(values, dict) else None
    if version != FORMAT:
        raise ValueError(f"it has format {version!r:.20}; this version reads {FORMAT}")
    recording = of_json(HistoryDescription, values)
    for table, rows in (
        ("subscription", recording.subscriptions),
        (
            "session",
            (*recording.moments, *(Moment(session, 0, 0) for session in recording.sessions)),
        ),
        ("delivery", recording.consumers),
    ):
        for row in rows:
            _check_width(table, row)
    if not _BOOT.fullmatch(recording.finished_on):
        raise ValueError(f"there is no start of a host {recording.finished_on!r:.100}")
    return recording


def _check_width(table: str, row: SubscriptionEntry | Moment | ConsumerPlace) -> None:
    """Raises ValueError if a number does not fit the column of its name."""
    for name, number in asdict(row).items():
        kind = np.dtype(TABLES[table].field(name).type.to_pandas_dtype())
        if kind != np.bool_ and not np.iinfo(kind).min <= number <= np.iinfo(kind).max:
            raise ValueError(f"{number} as {name} of a {type(row).__name__.lower()} is too large")
