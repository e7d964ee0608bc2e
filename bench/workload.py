"""What recording costs a whole workload: the same one with its record and without, by turns.

Producers and consumers are threads of this process, so its CPU time is theirs and the client's; the
broker's is not counted. On a machine that does other things, too, CPU time is the steadier figure.
Two turns differ by more than recording costs, so the median over the pairs comes with the interval
that holds it with 90 % confidence, and beside it stands what the recorder's own calls take: the
records that were written by what one costs, of the workload's CPU time.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from math import comb
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench import recorder
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.registry import probe_for
from jms_clients.interface import Client
from jms_clients.registry import load_provider
from jms_histories.history.log import KINDS, SUFFIX
from jms_histories.history.recording import FOLDER
from touchstone.errors import HarnessError, UsageError
from touchstone.workloads.broker_view import broker_view
from touchstone.workloads.catalogue import workload
from touchstone.workloads.running import WorkloadRun
from touchstone.workloads.tasks import WorkloadPlan
from touchstone.workloads.workers import Task, Thread, WorkloadWorker

SHARE: Final = 0.05
"""Of the workload's throughput: what recording may cost at most."""
LEAST_ROUNDS: Final = 5
"""Rounds for which the interval can be computed."""
_WORKLOAD: Final = "queue"
_CONFIDENCE: Final = 0.9
_DELIVERIES: Final = 100_000
"""Of the recorder alone, in each of as many rounds as there are pairs of turns."""


class WorkloadTurn(NamedTuple):
    """One run: messages sent and received a second of wall time and of CPU time, and records."""

    recorded: bool
    rate: float
    per_cpu_second: float
    records: int


class Share(NamedTuple):
    """Of throughput lost: the median over the pairs, and the interval that holds it."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.1%} ({self.low:.1%} to {self.high:.1%})"


class Overhead(NamedTuple):
    """What recording costs: by wall time, by CPU time, and by the recorder's calls alone.

    nanoseconds: of CPU time, a record. calls: the share of the workload's CPU time.
    """

    turns: list[WorkloadTurn]
    wall: Share
    cpu: Share
    nanoseconds: float
    calls: float


def measure(address: BrokerAddress, messages: int, rounds: int) -> Overhead:
    """Run the workload `queue` by turns with and without its record.

    Raises UsageError for fewer than LEAST_ROUNDS.
    """
    _rank(rounds)
    provider = load_provider("reference")
    around = probe_for(address, f"touchstone/bench-{uuid.uuid4().hex[:8]}")
    turns: list[WorkloadTurn] = []
    try:
        for number in range(-1, rounds):
            for recorded in (number % 2 == 0, number % 2 == 1):
                with provider.open(address) as client:  # nothing is left to the next turn
                    turns.append(_turn(client, around, messages, recorded=recorded))
    finally:
        around.close()
    costs = {cost.way: cost.nanoseconds for cost in recorder.measure(_DELIVERIES, rounds)}
    # the first two turns had connections, classes, and caches to make
    return overhead(turns[2:], messages, costs["mapped"])


def overhead(turns: list[WorkloadTurn], messages: int, nanoseconds: float) -> Overhead:
    """What turns say that come in pairs, one of each recorded: machines are slower at times."""
    pairs = [
        sorted(pair, key=lambda turn: turn.recorded)
        for pair in zip(turns[::2], turns[1::2], strict=True)
    ]
    calls = median(
        turn.records * nanoseconds / 1e9 / (messages / turn.per_cpu_second)
        for turn in turns
        if turn.recorded
    )
    return Overhead(
        turns,
        _share([1 - on.rate / off.rate for off, on in pairs]),
        _share([1 - on.per_cpu_second / off.per_cpu_second for off, on in pairs]),
        nanoseconds,
        calls,
    )


def _share(losses: list[float]) -> Share:
    ordered, rank = sorted(losses), _rank(len(losses))
    return Share(median(ordered), ordered[rank - 1], ordered[-rank])


def _rank(pairs: int) -> int:
    """From both ends, where the interval of a median ends.

    As many values lie below the median as heads fall in so many tosses.
    """
    outside, rank = 0.0, 0
    while (outside := outside + comb(pairs, rank) * 2.0**-pairs) <= (1 - _CONFIDENCE) / 2:
        rank += 1
    if not rank:
        raise UsageError(f"{pairs} rounds tell no interval", hint=f"Give {LEAST_ROUNDS} or more.")
    return rank


def _turn(client: Client, around: BrokerProbe, messages: int, *, recorded: bool) -> WorkloadTurn:
    plan = WorkloadPlan.of(
        workload(_WORKLOAD),
        load_provider("reference"),
        around.settings,
        messages=messages,
        seed=1,
        prefix=f"b{uuid.uuid4().hex[:8]}-",
    )
    with _folder() as folder:

        def start_worker(task: Task) -> WorkloadWorker:
            return Thread(task, client, folder, "bench" if recorded else "")

        cpu = time.process_time()
        outcome = WorkloadRun(plan, broker_view(plan, around), start_worker, folder, "bench").run()
        cpu = time.process_time() - cpu
        records = sum(
            path.stat().st_size // kind.record.size - 1  # the first is the header
            for kind in KINDS
            for path in folder.glob(f"*.{kind.name}{SUFFIX}")
        )
    if outcome.failure:
        raise HarnessError(f"The workload {_WORKLOAD} did not get through: {outcome.failure}")
    return WorkloadTurn(
        recorded, messages / (outcome.sending + outcome.draining), messages / cpu, records
    )


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / FOLDER
        folder.mkdir()
        yield folder
