"""The workers of a run, by what they do: started, given orders, waited for, and named."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from jms_brokers.machine.patience import stretch
from jms_clients.errors import NotTheClients
from touchstone.workloads.control import Order
from touchstone.workloads.tasks import Producing, WorkloadPlan
from touchstone.workloads.workers import StartWorker, Task, WorkloadWorker

POLL = 0.05
"""Seconds between two looks at those who are waited for."""
_OPEN_WITHIN = 120.0
_CLOSED_WITHIN = 90.0


class WorkloadFailed(Exception):
    """The run cannot go on; the text says why."""


class StallWatch:
    """Watches that something goes on."""

    def __init__(self, within: float) -> None:
        """`within`: the seconds for which everything may stay as it is."""
        self._within = within
        self._allowed = within
        self._seen: object = object()
        self._since = time.monotonic()

    def look(self, state: object, what: str) -> None:
        """`WorkloadFailed` when the state stays the same for too long; what: who is waited for."""
        if state != self._seen:
            self._seen, self._since, self._allowed = state, time.monotonic(), self._within
        elif time.monotonic() - self._since > self._allowed:
            longer = self._within * stretch()
            if longer <= self._allowed:
                raise WorkloadFailed(f"For {self._allowed:.0f} s nothing was heard of {what}")
            self._allowed = longer


class WorkerPool:
    """All that one run has started. What waits raises `WorkloadFailed` when one fails or hangs."""

    def __init__(self, plan: WorkloadPlan, start_worker: StartWorker, stalled_after: float) -> None:
        """`stalled_after`: seconds without any progress after which nobody is waited for."""
        self._plan = plan
        self._start_worker = start_worker
        self._stalled_after = stalled_after
        self.producers: list[WorkloadWorker] = []
        self.consumers: dict[int, list[WorkloadWorker]] = {}
        """By subscription, -1-k for readers of dead letters."""
        self._left: list[WorkloadWorker] = []
        """Those that were killed."""

    def everybody(self) -> Iterator[WorkloadWorker]:
        """Who was ever started."""
        yield from self.producers
        yield from self._left
        for workers in self.consumers.values():
            yield from workers

    @property
    def sent(self) -> int:
        """Messages that were sent so far."""
        return sum(worker.counted for worker in self.producers)

    @property
    def received(self) -> int:
        """Messages that were received so far."""
        return sum(worker.counted for worker in self.everybody() if worker not in self.producers)

    @property
    def fault(self) -> NotTheClients | None:
        """What of ours made a worker fail, where it is known."""
        return next((worker.fault for worker in self.everybody() if worker.fault), None)

    @property
    def troubles(self) -> str:
        """What calls raised last that are tried again, for people."""
        every = (
            f"; {self.named(worker)} met {worker.trouble}"
            for worker in self.everybody()
            if worker.trouble
        )
        return "".join(every)

    def start_consumers(self) -> None:
        """The consumers of every subscription, ready."""
        for subscription in self._plan.subscriptions:
            tasks = [
                self._plan.receiving(subscription) for _ in range(subscription.consuming.consumers)
            ]
            self.consumers[subscription.sub] = [self._start_worker(task) for task in tasks]
            if subscription.consuming.dead_letters:
                reader = self._start_worker(self._plan.reading_letters(subscription))
                self.consumers[-1 - subscription.sub] = [reader]
        self._await_ready([worker for workers in self.consumers.values() for worker in workers])

    def start_producers(self, tasks: Iterable[Task]) -> list[WorkloadWorker]:
        """More producers, ready."""
        workers = [self._start_worker(task) for task in tasks]
        self.producers += workers
        self._await_ready(workers)
        return workers

    def replace(self, sub: int, number: int) -> None:
        """Another in the place of a consumer that was killed, ready."""
        workers = self.consumers[sub]
        self._left.append(workers[number])
        workers[number] = self._start_worker(self._plan.receiving(self._plan.subscriptions[sub]))
        self._await_ready([workers[number]])

    def order(self, sub: int, order: Order) -> None:
        """Ask the consumers of a subscription for something."""
        for worker in self.consumers[sub]:
            worker.order(order)

    def check(self) -> None:
        """`WorkloadFailed` when one has failed that was not killed."""
        self._check(worker for worker in self.everybody() if worker not in self._left)

    def await_disconnected(self, workers: Sequence[WorkloadWorker], *, disconnected: bool) -> None:
        """Wait until all of them have left, or have come back."""
        progress = StallWatch(self._stalled_after)
        while waited := [worker for worker in workers if worker.disconnected is not disconnected]:
            self.check()
            state = [(worker.counted, worker.disconnected) for worker in workers]
            progress.look(state, f"{self.named(waited[0])}{self.troubles}")
            time.sleep(POLL)

    def await_done(self, worker: WorkloadWorker) -> None:
        """Wait until one has ended."""
        progress = StallWatch(self._stalled_after)
        while not worker.done:
            self.check()
            progress.look(worker.counted, self.named(worker))
            time.sleep(POLL)

    def close(self) -> str:
        """Have everybody end; gives what was wrong with the first who did not, or nothing."""
        everybody = [worker for worker in self.everybody() if worker not in self._left]
        for worker in everybody:
            worker.order(Order.STOP)
        end = time.monotonic() + _CLOSED_WITHIN
        while time.monotonic() < end and not all(
            worker.done or worker.failed for worker in everybody
        ):
            time.sleep(POLL)
        wrong = []
        for worker in everybody:
            if worker.failed:
                wrong.append(f"{self.named(worker)} failed: {worker.failed}")
            elif not worker.done:
                wrong.append(f"{self.named(worker)} does not end")
            worker.close()
        return next(iter(wrong), "")

    def destination_of(self, sub: int) -> str:
        """The name of what the consumers of a subscription read, with its own name if any."""
        subscription = self._plan.subscriptions[sub if sub >= 0 else -1 - sub]
        if sub < 0:
            return subscription.consuming.dead_letters
        return " ".join(
            filter(None, (subscription.consuming.destination, subscription.consuming.name))
        )

    def named(self, worker: WorkloadWorker) -> str:
        """Who it is, for people."""
        if isinstance(worker.task, Producing):
            return f"Producer {worker.task.producer}"
        source = self.destination_of(worker.task.sub)
        return f"The consumer of {source} with session {worker.task.session}"

    def _await_ready(self, workers: Sequence[WorkloadWorker]) -> None:
        end = time.monotonic() + _OPEN_WITHIN
        while late := [worker for worker in workers if not worker.ready]:
            self.check()
            self._check(workers)
            if time.monotonic() > end:
                raise WorkloadFailed(
                    f"{self.named(late[0])} did not open within {_OPEN_WITHIN:.0f} s"
                )
            time.sleep(POLL)

    def _check(self, workers: Iterable[WorkloadWorker]) -> None:
        for worker in workers:
            if worker.failed:
                raise WorkloadFailed(f"{self.named(worker)} failed: {worker.failed}")
