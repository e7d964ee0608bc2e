"""One run of a workload: hires producers and consumers, lets faults befall them, waits, describes.

What a run promises nothing about it still records; what went wrong with the run itself is told in
`Ran.trouble`, and then nothing may be concluded from its history.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from jms_histories.history.recorder import now
from jms_histories.history.recording import Moment
from jms_histories.history.values import NONE, Event, Fault
from touchstone.errors import BrokerError, TouchstoneError
from touchstone.faults.rules import FaultError
from touchstone.workloads.control import Order
from touchstone.workloads.crew import POLL, Crew, Progress, Trouble
from touchstone.workloads.describing import Ran, Spans, recording
from touchstone.workloads.faulting import Faulting
from touchstone.workloads.hands import Hire, Process
from touchstone.workloads.places import View
from touchstone.workloads.tasks import Plan

_BETWEEN_LOOKS = 0.2
_FETCHED_AFTER = 5.0
"""Seconds in which nothing more is sent to consumers, after which they have all they take."""
_BETWEEN_REPORTS = 60.0


class Run:
    """One run; `folder` gets its description, where the hands of it record."""

    def __init__(
        self,
        plan: Plan,
        view: View,
        hire: Hire,
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
        self._ran = Ran()
        self._spans = Spans()
        self._crew = Crew(plan, hire, stalled_after)
        self._reported_at = time.monotonic()

    def run(self) -> Ran:
        """Go through with it; what hinders it is told in the outcome, not raised."""
        ran = self._ran
        try:
            self._open()
            self._describe()
            began = time.monotonic()
            self._send()
            ran.sending = time.monotonic() - began
            began = time.monotonic()
            self._drain()
            ran.draining = time.monotonic() - began
        except Trouble as trouble:
            ran.trouble = str(trouble)
        except TouchstoneError as error:
            ran.trouble, ran.fault = f"{error.what}. {error.hint}", error
        finally:
            for one in self._plan.subscriptions:
                self._spans.ended[one.sub] = now()
            wrong = self._crew.close()
        ran.trouble = ran.trouble or wrong
        ran.sent, ran.received = self._crew.sent, self._crew.received
        self._describe(finished=not ran.trouble)
        return ran

    # -- stages --------------------------------------------------------------------------------

    def _open(self) -> None:
        self._view.prepare()
        self._crew.hire_consumers()
        for one in self._plan.subscriptions:
            self._spans.begun[one.sub] = now()
        for task in self._plan.opening():
            [first] = self._crew.hire_producers([task])
            first.order(Order.GO)
            self._crew.await_done(first)
        self._crew.hire_producers(self._plan.producing())

    def _send(self) -> None:
        for hand in self._crew.producers:
            hand.order(Order.GO)
        turns = self._turns()
        due = next(turns, None)
        progress = Progress(self._stalled_after)
        while not all(hand.done for hand in self._crew.producers):
            self._crew.check()
            self._report()
            sent = self._crew.sent
            if due is not None and sent >= due[0]:
                due[1]()
                due = next(turns, None)
            progress.look((sent, [hand.done for hand in self._crew.producers]), "the producers")
            time.sleep(POLL)
        for one in self._plan.subscriptions:
            self._crew.order(one.sub, Order.GO)
        if self._plan.workload.backlog:
            self._await_fetched()
            for one in self._plan.subscriptions:
                self._crew.order(one.sub, Order.TAKE)
        while due is not None:  # what fell to the last messages
            due[1]()
            due = next(turns, None)

    def _drain(self) -> None:
        """Wait until the broker says twice that nothing waits.

        BrokerError when it has not answered for as long as nobody may be waited for.
        """
        progress, answered = Progress(self._stalled_after), time.monotonic()
        empty_before = False
        expected = {one.sub for one in self._plan.subscriptions} | {
            sub for sub in self._crew.consumers if sub < 0
        }
        while True:
            self._crew.check()
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
                self._spans.drained = dict.fromkeys(seen, looked)
                return
            empty_before = empty
            received = [hand.counted for hands in self._crew.consumers.values() for hand in hands]
            named = ", ".join(
                f"{count} at {self._crew.place_of(sub)}" for sub, count in seen.items()
            )
            progress.look((seen, received, empty), f"the consumers; waiting are {named}")
            time.sleep(_BETWEEN_LOOKS)

    # -- what befalls it -----------------------------------------------------------------------

    def _turns(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Faults, reopenings and pauses, each after so many messages as the seed says."""
        draw = random.Random(self._plan.seed)  # noqa: S311 - no secret
        total = self._plan.messages
        due: list[tuple[int, Callable[[], None]]] = []
        for fault in self._plan.workload.faults:
            at = draw.uniform(fault.earliest, fault.latest)
            befall = partial(self._befall, fault.kind, draw)
            turn = partial(self._while_away, range(len(self._plan.subscriptions)), befall)
            due.append((int(total * at), turn if fault.alone else befall))
        for one in self._plan.subscriptions:
            for _ in range(one.consuming.leaves):
                at = int(total * draw.uniform(0.1, 0.7))
                due.append((at, partial(self._while_away, (one.sub,))))
            for count, order in (
                (one.consuming.reopens, Order.REOPEN),
                (one.consuming.pauses, Order.PAUSE),
            ):
                for _ in range(count):
                    at = int(total * draw.uniform(0.1, 0.9))
                    due.append((at, partial(self._crew.order, one.sub, order)))
        return iter(sorted(due, key=lambda turn: turn[0]))

    def _while_away(self, subs: Iterable[int], act: Callable[[], None] = lambda: None) -> None:
        """Have all consumers of these subscriptions leave, and after `act` come back."""
        hands = [hand for sub in subs for hand in self._crew.consumers[sub]]
        for hand in hands:
            hand.order(Order.LEAVE)
        self._crew.await_away(hands, away=True)
        act()
        for hand in hands:
            hand.order(Order.RETURN)
        self._crew.await_away(hands, away=False)

    def _befall(self, kind: Fault, draw: random.Random) -> None:
        named = kind.name.lower().replace("_", " ")
        self._tell(f"fault: {named}, {self._progress()}")
        began = time.monotonic()
        self._moment(NONE, Event.FAULT_BEGIN, kind)
        if kind is Fault.CONSUMER_CRASH:
            self._crash(draw)
        else:
            assert self._faulting is not None
            self._faulting.befall(kind)
        self._moment(NONE, Event.FAULT_END, kind)
        self._tell(f"{named}: over after {time.monotonic() - began:.1f} s")

    def _crash(self, draw: random.Random) -> None:
        """Kill a consumer's process and put another in its place."""
        candidates = [
            (one, number)
            for one in self._plan.subscriptions
            for number, hand in enumerate(self._crew.consumers[one.sub])
            if isinstance(hand, Process)
        ]
        if not candidates:
            raise FaultError(
                "No consumer can be killed: they are threads of this process",
                hint="Run the workload by `touchstone workload run`.",
            )
        one, number = draw.choice(candidates)
        hand = self._crew.consumers[one.sub][number]
        assert isinstance(hand, Process)
        hand.kill()
        self._moment(hand.task.session, Event.KILLED, NONE)
        self._crew.replace(one.sub, number)

    def _moment(self, session: int, event: Event, arg: int) -> None:
        self._ran.moments.append(Moment(session, now(), int(event), int(arg)))

    # -- watching ------------------------------------------------------------------------------

    def _await_fetched(self) -> None:
        """Wait until consumers have all that waits, or the broker sends them no more of it."""
        quiet_since, before = time.monotonic(), None
        while (fetched := self._view.fetched()) != self._view.waiting():
            self._crew.check()
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
        sent, received = self._crew.sent, self._crew.received
        return f"sent {sent:,} of {self._plan.messages:,}, received {received:,}"

    def _describe(self, *, finished: bool = False) -> None:
        recording(
            self._run,
            self._plan,
            self._crew,
            self._ran,
            self._spans,
            broker=self._broker,
            finished=finished,
        ).write(self._folder)
