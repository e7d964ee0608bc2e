"""What the starts of brokers cost: each is a line in the files that `TOUCHSTONE_STARTS` names.

The processes of a run, or of a session of tests, share such a file, since brokers are started in
many of them. A run within a session adds its own to that of the session.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.machine.process_table import cpu_seconds

VARIABLE = "TOUCHSTONE_STARTS"


@dataclass(frozen=True)
class Start:
    """One start of an embedded broker: seconds until it was ready, and of CPU that it used."""

    family: str
    profile: str
    seconds: float
    cpu: float


def note(address: BrokerAddress, seconds: float) -> None:
    """Write down that the broker at `address` is ready after so many seconds, if somebody asks."""
    files = os.environ.get(VARIABLE)
    if not files:
        return
    cpu = cpu_seconds(address.pid) if address.pid else 0.0
    line = json.dumps(asdict(Start(address.family, address.profile, seconds, cpu))) + "\n"
    for file in files.split(os.pathsep):
        with Path(file).open("a", encoding="utf-8") as stream:  # a short line is written whole
            stream.write(line)


@contextmanager
def note_starts_in(file: Path) -> Iterator[None]:
    """While the block runs, starts of this process and of those that it starts are in `file`."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = os.pathsep.join(filter(None, (before, str(file))))
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def read_starts(file: Path) -> list[Start]:
    """The starts in `file`, in the order in which they ended; none where it is not there."""
    if not file.exists():
        return []
    return [Start(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def describe_starts(starts: Iterable[Start]) -> str:
    """How many there were of which family and profile, in one line; empty for none."""
    everything = list(starts)
    if not everything:
        return ""
    counts = Counter(f"{start.family} {start.profile}" for start in everything)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return (
        f"{len(everything)} broker start{'s'[: len(everything) != 1]} ({kinds}): "
        f"{sum(start.seconds for start in everything):.0f} s, "
        f"{sum(start.cpu for start in everything):.0f} s of CPU"
    )
