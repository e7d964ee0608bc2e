"""One run of a workload: hires producers and consumers, lets faults befall them, waits, describes.

What a run promises nothing about it still records; what went wrong with the run itself is told in
`Ran.trouble`, and then nothing may be concluded from its history.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from touchstone.errors import BrokerError, TouchstoneError
from touchstone.faults.rules import FaultError
from touchstone.history.manifest import Consumer
from touchstone.history.recorder import now
from touchstone.history.recording import Moment, Recording, Subscription, this_boot
from touchstone.history.values import NONE, Event, Fault
from touchstone.workloads.control import Order
from touchstone.workloads.faulting import Faulting
from touchstone.workloads.hands import Hand, Hire, Process
from touchstone.workloads.places import View
from touchstone.workloads.tasks import Numbered, Plan, Producing, Receiving

EPSILON = 5_000_000
"""Nanoseconds: clients and brokers count delivery times in milliseconds, by other clocks."""
PRIORITY_SLACK = 50_000_000
_POLL = 0.05
_OPEN_WITHIN = 120.0
_CLOSED_WITHIN = 90.0
_BETWEEN_LOOKS = 0.2
_FETCHED_AFTER = 5.0
"""Seconds in which nothing more is sent to consumers, after which they have all they take."""
_BETWEEN_REPORTS = 60.0
HOST = "here"


class _Trouble(Exception):
    """The run cannot go on; the text says why."""


@dataclass
class Ran:
    """How a run went. Seconds; `trouble` is empty when it may be judged."""

    sent: int = 0
    received: int = 0
    sending: float = 0.0
    draining: float = 0.0
    trouble: str = ""
    moments: list[Moment] = field(default_factory=list)


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
        self._hire = hire
        self._folder = folder
        self._run = run
        self._faulting = faulting
        self._broker = broker
        self._stalled_after = stalled_after
        self._tell = tell
        self._ran = Ran()
        self._consumers: dict[int, list[Hand]] = {}
        """By subscription, -1-k for readers of dead letters."""
        self._reported_at = time.monotonic()
        self._producers: list[Hand] = []
        self._left: list[Hand] = []
        """Those that were killed."""
        self._from: dict[int, int] = {}
        self._to: dict[int, int] = {}
        self._drained: dict[int, int] = {}

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
        except _Trouble as trouble:
            ran.trouble = str(trouble)
        except TouchstoneError as error:
            ran.trouble = f"{error.what}. {error.hint}"
        finally:
            self._close()
        ran.sent, ran.received = self._sent(), self._received()
        self._describe(finished=not ran.trouble)
        return ran

    # -- stages --------------------------------------------------------------------------------

    def _open(self) -> None:
        self._view.prepare()
        for one in self._plan.subscriptions:
            tasks = [self._plan.receiving(one) for _ in range(one.consuming.consumers)]
            self._consumers[one.sub] = [self._hire(task) for task in tasks]
            if one.consuming.dead_letters:
                reader = self._hire(self._plan.reading_letters(one))
                self._consumers[-1 - one.sub] = [reader]
        self._await_ready([hand for hands in self._consumers.values() for hand in hands])
        for one in self._plan.subscriptions:
            self._from[one.sub] = now()
        for task in self._plan.opening():
            first = self._hire(task)
            self._producers.append(first)
            self._await_ready([first])
            first.order(Order.GO)
            self._await_done(first)
        producers = [self._hire(task) for task in self._plan.producing()]
        self._producers += producers
        self._await_ready(producers)

    def _send(self) -> None:
        for hand in self._producers:
            hand.order(Order.GO)
        turns = self._turns()
        due = next(turns, None)
        progress = _Progress(self._stalled_after)
        while not all(hand.done for hand in self._producers):
            self._check()
            self._report()
            sent = self._sent()
            if due is not None and sent >= due[0]:
                due[1]()
                due = next(turns, None)
            progress.look((sent, [hand.done for hand in self._producers]), "the producers")
            time.sleep(_POLL)
        for one in self._plan.subscriptions:
            self._order(one.sub, Order.GO)
        if self._plan.workload.backlog:
            self._await_fetched()
            for one in self._plan.subscriptions:
                self._order(one.sub, Order.TAKE)
        while due is not None:  # what fell to the last messages
            due[1]()
            due = next(turns, None)

    def _drain(self) -> None:
        """Wait until the broker says twice that nothing waits."""
        progress = _Progress(self._stalled_after)
        empty_before = False
        expected = {one.sub for one in self._plan.subscriptions} | {
            sub for sub in self._consumers if sub < 0
        }
        while True:
            self._check()
            self._report()
            looked = now()
            try:
                waiting = self._view.waiting()
            except BrokerError as error:
                waiting = {}
                progress.look(None, f"the broker, which does not answer: {error.what}")
            seen = {sub: count for sub, count in waiting.items() if sub in expected}
            empty = bool(seen) and not any(seen.values())
            if empty and empty_before:
                self._drained = dict.fromkeys(seen, looked)
                return
            empty_before = empty
            received = [hand.counted for hands in self._consumers.values() for hand in hands]
            named = ", ".join(f"{count} at {self._name(sub)}" for sub, count in seen.items())
            progress.look((seen, received, empty), f"the consumers; waiting are {named}")
            time.sleep(_BETWEEN_LOOKS)

    def _close(self) -> None:
        for one in self._plan.subscriptions:
            self._to[one.sub] = now()
        everybody = [hand for hand in self._everybody() if hand not in self._left]
        for hand in everybody:
            hand.order(Order.STOP)
        end = time.monotonic() + _CLOSED_WITHIN
        while time.monotonic() < end and not all(hand.done or hand.failed for hand in everybody):
            time.sleep(_POLL)
        for hand in everybody:
            if not (hand.done or hand.failed or self._ran.trouble):
                self._ran.trouble = f"{self._named(hand)} does not end"
            if hand.failed and not self._ran.trouble:
                self._ran.trouble = f"{self._named(hand)} failed: {hand.failed}"
            hand.close()

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
                    due.append((at, partial(self._order, one.sub, order)))
        return iter(sorted(due, key=lambda turn: turn[0]))

    def _order(self, sub: int, order: Order) -> None:
        for hand in self._consumers[sub]:
            hand.order(order)

    def _while_away(self, subs: Iterable[int], act: Callable[[], None] = lambda: None) -> None:
        """Have all consumers of these subscriptions leave, and after `act` come back."""
        hands = [hand for sub in subs for hand in self._consumers[sub]]
        for hand in hands:
            hand.order(Order.LEAVE)
        self._await_all(hands, away=True)
        act()
        for hand in hands:
            hand.order(Order.RETURN)
        self._await_all(hands, away=False)

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
            for number, hand in enumerate(self._consumers[one.sub])
            if isinstance(hand, Process)
        ]
        if not candidates:
            raise FaultError(
                "No consumer can be killed: they are threads of this process",
                hint="Run the workload by `touchstone workload run`.",
            )
        one, number = draw.choice(candidates)
        hand = self._consumers[one.sub][number]
        assert isinstance(hand, Process)
        hand.kill()
        self._moment(hand.task.session, Event.KILLED, NONE)
        self._left.append(hand)
        self._consumers[one.sub][number] = self._hire(self._plan.receiving(one))
        self._await_ready([self._consumers[one.sub][number]])

    def _moment(self, session: int, event: Event, arg: int) -> None:
        self._ran.moments.append(Moment(session, now(), int(event), int(arg)))

    # -- watching ------------------------------------------------------------------------------

    def _await_ready(self, hands: list[Hand]) -> None:
        end = time.monotonic() + _OPEN_WITHIN
        while not all(hand.ready for hand in hands):
            self._check()
            for hand in hands:
                if hand.failed:
                    raise _Trouble(f"{self._named(hand)} failed: {hand.failed}")
            if time.monotonic() > end:
                late = next(hand for hand in hands if not hand.ready)
                raise _Trouble(f"{self._named(late)} did not open within {_OPEN_WITHIN:.0f} s")
            time.sleep(_POLL)

    def _await_fetched(self) -> None:
        """Wait until consumers have all that waits, or the broker sends them no more of it."""
        quiet_since, before = time.monotonic(), None
        while (fetched := self._view.fetched()) != self._view.waiting():
            self._check()
            if fetched != before:
                quiet_since, before = time.monotonic(), fetched
            elif time.monotonic() > quiet_since + _FETCHED_AFTER:
                return
            time.sleep(_POLL)

    def _await_all(self, hands: list[Hand], *, away: bool) -> None:
        progress = _Progress(self._stalled_after)
        while waited := [hand for hand in hands if hand.away is not away]:
            self._check()
            state = [(hand.counted, hand.away) for hand in hands]
            progress.look(state, self._named(waited[0]))
            time.sleep(_POLL)

    def _await_done(self, hand: Hand) -> None:
        progress = _Progress(self._stalled_after)
        while not hand.done:
            self._check()
            progress.look(hand.counted, self._named(hand))
            time.sleep(_POLL)

    def _check(self) -> None:
        for hand in self._everybody():
            if hand.failed and hand not in self._left:
                raise _Trouble(f"{self._named(hand)} failed: {hand.failed}")

    def _report(self) -> None:
        """Tell now and then how far it is: a large run takes an hour."""
        if time.monotonic() - self._reported_at > _BETWEEN_REPORTS:
            self._reported_at = time.monotonic()
            self._tell(self._progress())

    def _progress(self) -> str:
        return f"sent {self._sent():,} of {self._plan.messages:,}, received {self._received():,}"

    def _sent(self) -> int:
        return sum(hand.counted for hand in self._producers)

    def _received(self) -> int:
        return sum(hand.counted for hand in self._everybody() if hand not in self._producers)

    def _everybody(self) -> Iterator[Hand]:
        yield from self._producers
        yield from self._left
        for hands in self._consumers.values():
            yield from hands

    def _name(self, sub: int) -> str:
        one = self._plan.subscriptions[sub if sub >= 0 else -1 - sub]
        if sub < 0:
            return one.consuming.dead_letters
        return " ".join(filter(None, (one.consuming.place, one.consuming.name)))

    def _named(self, hand: Hand) -> str:
        if isinstance(hand.task, Producing):
            return f"Producer {hand.task.producer}"
        return f"The consumer of {self._name(hand.task.sub)} with session {hand.task.session}"

    # -- describing ----------------------------------------------------------------------------

    def _describe(self, *, finished: bool = False) -> None:
        plan, workload = self._plan, self._plan.workload
        hands = list(self._everybody())
        sessions = {hand.task.session: HOST for hand in hands}
        producers = {hand.task.producer: hand.task.session for hand in hands if hand.task.producer}
        consumers = tuple(
            Consumer(number, hand.task.session, hand.task.sub)
            for hand in hands
            if isinstance(hand.task, Receiving)
            for number in hand.task.consumers
        )
        Recording(
            run=self._run,
            epsilon=EPSILON,
            priority_slack=PRIORITY_SLACK,
            checks=tuple(sorted(workload.promises)),
            sessions=sessions,
            producers=producers,
            consumers=consumers,
            subscriptions=tuple(map(self._row, plan.subscriptions)),
            moments=tuple(self._ran.moments),
            names={
                "dest": {str(one.dest): name for name, one in plan.endpoints.items()},
                "sub": {str(one.sub): self._name(one.sub) for one in plan.subscriptions},
                "session": {str(hand.task.session): self._named(hand) for hand in hands},
            },
            settings={
                "workload": workload.name,
                "provider": plan.provider.name,
                "provider_version": plan.provider.version,
                "broker": self._broker,
                "messages": plan.messages,
                "seed": plan.seed,
                "promises": dict(workload.promises),
            },
            finished_on=this_boot() if finished else "",
        ).write(self._folder)

    def _row(self, one: Numbered) -> Subscription:
        consuming = one.consuming
        letters = -1 - one.sub
        return Subscription(
            sub=one.sub,
            dest=one.source.dest,
            t_from=self._from.get(one.sub, NONE),
            t_to=self._to.get(one.sub, (1 << 62)),
            t_drained=self._drained.get(one.sub, NONE),
            t_dlq_drained=self._drained.get(letters, NONE),
            durable=consuming.kind.durable,
            shared="SHARED" in consuming.kind.name,
            exclusive=consuming.kind.exclusive,
            grouped=consuming.grouped,
            through=bool(consuming.forwards_to),
            ordering=int(consuming.ordering),
            selector_id=one.sub if consuming.selector else NONE,
            bit=one.bit,
            max_deliveries=consuming.max_deliveries,
        )


class _Progress:
    """Watches that something goes on."""

    def __init__(self, within: float) -> None:
        self._within = within
        self._seen: object = object()
        self._since = time.monotonic()

    def look(self, state: object, what: str) -> None:
        """`_Trouble` when the state has been the same for too long; what: who is waited for."""
        if state != self._seen:
            self._seen, self._since = state, time.monotonic()
        elif time.monotonic() - self._since > self._within:
            raise _Trouble(f"For {self._within:.0f} s nothing was heard of {what}")
