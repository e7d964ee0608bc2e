"""recording.json: what a workload's coordinator knows of a run, besides what its sessions record.

It lies in the folder `recording` of a run, with the write-ahead files of all processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from touchstone.history.errors import HistoryError
from touchstone.history.log import boot
from touchstone.history.manifest import Consumer

FORMAT: Final = 1
FOLDER: Final = "recording"
NAME: Final = "recording.json"


@dataclass(frozen=True)
class Subscription:
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
class Recording:
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
    consumers: tuple[Consumer, ...] = ()
    subscriptions: tuple[Subscription, ...] = ()
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


def read_recording(folder: Path) -> Recording:
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
        values: dict[str, Any] = json.loads(text)
        if values["format"] == FORMAT:
            return _recording(values)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HistoryError(
            f"{path} is not the description of a recording: {type(error).__name__}: {error}",
            hint="Run the workload again; its coordinator writes this file.",
        ) from error
    raise HistoryError(
        f"{path} has format {values['format']}; this version reads {FORMAT}",
        hint="Seal the run by the version of Touchstone that recorded it.",
    )


def _recording(values: dict[str, Any]) -> Recording:
    return Recording(
        **{
            **values,
            "checks": tuple(values["checks"]),
            "sessions": {int(session): host for session, host in values["sessions"].items()},
            "producers": {int(one): int(session) for one, session in values["producers"].items()},
            "consumers": tuple(Consumer(**one) for one in values["consumers"]),
            "subscriptions": tuple(Subscription(**one) for one in values["subscriptions"]),
            "moments": tuple(Moment(**one) for one in values["moments"]),
        }
    )
