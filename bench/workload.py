"""What recording costs a whole workload: the same one with its record and without, by turns.

Producers and consumers are threads of this process, so its CPU time is theirs and the client's; the
broker's is not counted. On a machine that does other things, too, CPU time is the steadier figure.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import HarnessError
from touchstone.history.recording import FOLDER
from touchstone.providers.interface import Client
from touchstone.providers.registry import load_provider
from touchstone.scenario.surroundings import Surroundings, surroundings
from touchstone.workloads.catalogue import workload
from touchstone.workloads.hands import Hand, Task, Thread
from touchstone.workloads.places import view_of
from touchstone.workloads.running import Run
from touchstone.workloads.tasks import Plan

SHARE: Final = 0.05
"""Of the workload's throughput: what recording may cost at most."""
_WORKLOAD: Final = "queue"


class Turn(NamedTuple):
    """One run: messages sent and received a second of wall time and of CPU time."""

    recorded: bool
    rate: float
    per_cpu_second: float


class Overhead(NamedTuple):
    """The shares are of throughput lost, by wall time and by CPU time: medians over the pairs."""

    turns: list[Turn]
    share: float
    cpu_share: float


def measure(address: BrokerAddress, messages: int, rounds: int) -> Overhead:
    """Run the workload `queue` by turns with and without its record."""
    provider = load_provider("reference")
    around = surroundings(address, f"touchstone/bench-{uuid.uuid4().hex[:8]}")
    turns: list[Turn] = []
    try:
        for number in range(-1, rounds):
            for recorded in (number % 2 == 0, number % 2 == 1):
                with provider.open(address) as client:  # nothing is left to the next turn
                    turns.append(_turn(client, around, messages, recorded=recorded))
    finally:
        around.close()
    return overhead(turns[2:])  # the first two had connections, classes, and caches to make


def overhead(turns: list[Turn]) -> Overhead:
    """What turns tell that come in pairs, one of each recorded: machines are slower at times."""
    pairs = [
        sorted(pair, key=lambda turn: turn.recorded)
        for pair in zip(turns[::2], turns[1::2], strict=True)
    ]

    def lost(column: str) -> float:
        return float(median(1 - getattr(on, column) / getattr(off, column) for off, on in pairs))

    return Overhead(turns, lost("rate"), lost("per_cpu_second"))


def _turn(client: Client, around: Surroundings, messages: int, *, recorded: bool) -> Turn:
    plan = Plan.of(
        workload(_WORKLOAD),
        load_provider("reference"),
        around.settings,
        messages=messages,
        seed=1,
        prefix=f"b{uuid.uuid4().hex[:8]}-",
    )
    with _folder() as folder:

        def hire(task: Task) -> Hand:
            return Thread(task, client, folder, "bench" if recorded else "")

        cpu = time.process_time()
        ran = Run(plan, view_of(plan, around), hire, folder, "bench").run()
        cpu = time.process_time() - cpu
    if ran.trouble:
        raise HarnessError(f"The workload {_WORKLOAD} did not get through: {ran.trouble}")
    return Turn(recorded, messages / (ran.sending + ran.draining), messages / cpu)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / FOLDER
        folder.mkdir()
        yield folder
