"""One run of a workload: starts producers and consumers, injects faults, waits, describes.

What a run promises nothing about it still records; what went wrong with the run itself is told in
`RunOutcome.failure`, and then nothing may be concluded from its history.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from jms_brokers.errors import BrokerError, HintedError
from jms_brokers.faults.rules import FaultError
from jms_histories.history.recorder import now
from jms_histories.history.recording import Moment
from jms_histories.values import NONE, Event, FaultKind
from touchstone.workloads.broker_view import BrokerView
from touchstone.workloads.control import Order
from touchstone.workloads.describing import RunOutcome, SubscriptionTimes, recording
from touchstone.workloads.faulting import Faulting
from touchstone.workloads.tasks import WorkloadPlan
from touchstone.workloads.worker_pool import POLL, StallWatch, WorkerPool, WorkloadFailed
from touchstone.workloads.workers import Process, StartWorker

_BETWEEN_LOOKS = 0.2
_FETCHED_AFTER = 5.0
"""Seconds in which nothing more is sent to consumers, after which they have all they take."""
_BETWEEN_REPORTS = 60.0


class WorkloadRun:
    """One run; `folder` gets its description, where the workers of it record."""

    def __init__(
        self,
        plan: WorkloadPlan,
        view: BrokerView,
        start_worker: StartWorker,
        folder: Path,
        run: str,
        *,
        faulting: Faulting | None = None,
        broker: str = "",
        stalled_after: float = 60.0,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`stalled_after`: seconds without any progress after which it is not waited any longer.

        `broker` says what the run is driven against, for those who read its history.
        """
        self._plan = plan
        self._view = view
        self._folder = folder
        self._run = run
        self._faulting = faulting
        self._broker = broker
        self._stalled_after = stalled_after
        self._tell = tell
        self._outcome = RunOutcome()
        self._times = SubscriptionTimes()
        self._pool = WorkerPool(plan, start_worker, stalled_after)
        self._reported_at = time.monotonic()

    def run(self) -> RunOutcome:
        """Go through with it; what hinders it is told in the outcome, not raised."""
        outcome = self._outcome
        try:
            self._open()
            self._describe()
            began = time.monotonic()
            self._send()
            outcome.sending = time.monotonic() - began
            began = time.monotonic()
            self._drain()
            outcome.draining = time.monotonic() - began
        except WorkloadFailed as error:
            outcome.failure = str(error)
        except HintedError as error:
            outcome.failure, outcome.fault = f"{error.what}. {error.hint}", error
        finally:
            for subscription in self._plan.subscriptions:
                self._times.ended[subscription.sub] = now()
            wrong = self._pool.close()
        outcome.failure = outcome.failure or wrong
        outcome.fault = outcome.fault or self._pool.fault
        outcome.sent, outcome.received = self._pool.sent, self._pool.received
        self._describe(finished=not outcome.failure)
        return outcome

    # -- stages --------------------------------------------------------------------------------

    def _open(self) -> None:
        self._view.prepare()
        self._pool.start_consumers()
        for subscription in self._plan.subscriptions:
            self._times.begun[subscription.sub] = now()
        for task in self._plan.opening():
            [first] = self._pool.start_producers([task])
            first.order(Order.GO)
            self._pool.await_done(first)
        self._pool.start_producers(self._plan.producing())

    def _send(self) -> None:
        for worker in self._pool.producers:
            worker.order(Order.GO)
        turns = self._turns()
        due = next(turns, None)
        progress = StallWatch(self._stalled_after)
        while not all(worker.done for worker in self._pool.producers):
            self._pool.check()
            self._report()
            sent = self._pool.sent
            if due is not None and sent >= due[0]:
                due[1]()
                due = next(turns, None)
            progress.look((sent, [worker.done for worker in self._pool.producers]), "the producers")
            time.sleep(POLL)
        for subscription in self._plan.subscriptions:
            self._pool.order(subscription.sub, Order.GO)
        if self._plan.workload.backlog:
            self._await_fetched()
            for subscription in self._plan.subscriptions:
                self._pool.order(subscription.sub, Order.TAKE)
        while due is not None:  # what fell to the last messages
            due[1]()
            due = next(turns, None)

    def _drain(self) -> None:
        """Wait until the broker says twice that nothing waits.

        BrokerError when it has not answered for as long as nobody may be waited for.
        """
        progress, answered = StallWatch(self._stalled_after), time.monotonic()
        empty_before = False
        expected = {subscription.sub for subscription in self._plan.subscriptions} | {
            sub for sub in self._pool.consumers if sub < 0
        }
        while True:
            self._pool.check()
            self._report()
            looked = now()
            try:
                waiting = self._view.waiting()
            except BrokerError:
                if time.monotonic() - answered > self._stalled_after:
                    raise
                empty_before = False
                time.sleep(_BETWEEN_LOOKS)
                continue
            answered = time.monotonic()
            seen = {sub: count for sub, count in waiting.items() if sub in expected}
            empty = bool(seen) and not any(seen.values())
            if empty and empty_before:
                self._times.drained = dict.fromkeys(seen, looked)
                return
            empty_before = empty
            received = [
                worker.counted for workers in self._pool.consumers.values() for worker in workers
            ]
            named = ", ".join(
                f"{count} at {self._pool.destination_of(sub)}" for sub, count in seen.items()
            )
            what = f"the consumers; waiting are {named}{self._pool.troubles}"
            progress.look((seen, received, empty), what)
            time.sleep(_BETWEEN_LOOKS)

    # -- what befalls it -----------------------------------------------------------------------

    def _turns(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Faults, reopenings and pauses, each after so many messages as the seed says."""
        draw = random.Random(self._plan.seed)  # noqa: S311 - no secret
        total = self._plan.messages
        due: list[tuple[int, Callable[[], None]]] = []
        for fault in self._plan.workload.faults:
            at = draw.uniform(fault.earliest, fault.latest)
            inject = partial(self._inject, fault.kind, draw)
            turn = partial(self._while_disconnected, range(len(self._plan.subscriptions)), inject)
            due.append((int(total * at), turn if fault.alone else inject))
        for subscription in self._plan.subscriptions:
            for _ in range(subscription.consuming.leaves):
                at = int(total * draw.uniform(0.1, 0.7))
                due.append((at, partial(self._while_disconnected, (subscription.sub,))))
            for count, order in (
                (subscription.consuming.reopens, Order.REOPEN),
                (subscription.consuming.pauses, Order.PAUSE),
            ):
                for _ in range(count):
                    at = int(total * draw.uniform(0.1, 0.9))
                    due.append((at, partial(self._pool.order, subscription.sub, order)))
        return iter(sorted(due, key=lambda turn: turn[0]))

    def _while_disconnected(
        self, subs: Iterable[int], act: Callable[[], None] = lambda: None
    ) -> None:
        """Have all consumers of these subscriptions leave, and after `act` come back."""
        workers = [worker for sub in subs for worker in self._pool.consumers[sub]]
        for worker in workers:
            worker.order(Order.LEAVE)
        self._pool.await_disconnected(workers, disconnected=True)
        act()
        for worker in workers:
            worker.order(Order.RETURN)
        self._pool.await_disconnected(workers, disconnected=False)

    def _inject(self, kind: FaultKind, draw: random.Random) -> None:
        named = kind.name.lower().replace("_", " ")
        self._tell(f"fault: {named}, {self._progress()}")
        began = time.monotonic()
        self._moment(NONE, Event.FAULT_BEGIN, kind)
        if kind is FaultKind.CONSUMER_CRASH:
            self._crash(draw)
        else:
            assert self._faulting is not None
            self._faulting.inject(kind)
        self._moment(NONE, Event.FAULT_END, kind)
        self._tell(f"{named}: over after {time.monotonic() - began:.1f} s")

    def _crash(self, draw: random.Random) -> None:
        """Kill a consumer's process and put another in its place."""
        candidates = [
            (subscription, number)
            for subscription in self._plan.subscriptions
            for number, worker in enumerate(self._pool.consumers[subscription.sub])
            if isinstance(worker, Process)
        ]
        if not candidates:
            raise FaultError(
                "No consumer can be killed: they are threads of this process",
                hint="Run the workload by `touchstone workload run`.",
            )
        subscription, number = draw.choice(candidates)
        worker = self._pool.consumers[subscription.sub][number]
        assert isinstance(worker, Process)
        worker.kill()
        self._moment(worker.task.session, Event.KILLED, NONE)
        self._pool.replace(subscription.sub, number)

    def _moment(self, session: int, event: Event, arg: int) -> None:
        self._outcome.moments.append(Moment(session, now(), int(event), int(arg)))

    # -- watching ------------------------------------------------------------------------------

    def _await_fetched(self) -> None:
        """Wait until consumers have all that waits, or the broker sends them no more of it."""
        quiet_since, before = time.monotonic(), None
        while (fetched := self._view.fetched()) != self._view.waiting():
            self._pool.check()
            if fetched != before:
                quiet_since, before = time.monotonic(), fetched
            elif time.monotonic() > quiet_since + _FETCHED_AFTER:
                return
            time.sleep(POLL)

    def _report(self) -> None:
        """Tell now and then how far it is: a large run takes an hour."""
        if time.monotonic() - self._reported_at > _BETWEEN_REPORTS:
            self._reported_at = time.monotonic()
            self._tell(self._progress())

    def _progress(self) -> str:
        sent, received = self._pool.sent, self._pool.received
        return f"sent {sent:,} of {self._plan.messages:,}, received {received:,}"

    def _describe(self, *, finished: bool = False) -> None:
        recording(
            self._run,
            self._plan,
            self._pool,
            self._outcome,
            self._times,
            broker=self._broker,
            finished=finished,
        ).write(self._folder)
