"""Those at work in a run, by what they do: hired, given orders, waited for, and named."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from touchstone.workloads.control import Order
from touchstone.workloads.hands import Hand, Hire, Task
from touchstone.workloads.tasks import Plan, Producing

POLL = 0.05
"""Seconds between two looks at those who are waited for."""
_OPEN_WITHIN = 120.0
_CLOSED_WITHIN = 90.0


class Trouble(Exception):
    """The run cannot go on; the text says why."""


class Progress:
    """Watches that something goes on."""

    def __init__(self, within: float) -> None:
        """`within`: the seconds for which everything may stay as it is."""
        self._within = within
        self._seen: object = object()
        self._since = time.monotonic()

    def look(self, state: object, what: str) -> None:
        """`Trouble` when the state has been the same for too long; what: who is waited for."""
        if state != self._seen:
            self._seen, self._since = state, time.monotonic()
        elif time.monotonic() - self._since > self._within:
            raise Trouble(f"For {self._within:.0f} s nothing was heard of {what}")


class Crew:
    """All whom one run has hired. What waits raises `Trouble` when one of them fails or hangs."""

    def __init__(self, plan: Plan, hire: Hire, stalled_after: float) -> None:
        """`stalled_after`: seconds without any progress after which nobody is waited for."""
        self._plan = plan
        self._hire = hire
        self._stalled_after = stalled_after
        self.producers: list[Hand] = []
        self.consumers: dict[int, list[Hand]] = {}
        """By subscription, -1-k for readers of dead letters."""
        self._left: list[Hand] = []
        """Those that were killed."""

    def everybody(self) -> Iterator[Hand]:
        """Who was ever hired."""
        yield from self.producers
        yield from self._left
        for hands in self.consumers.values():
            yield from hands

    @property
    def sent(self) -> int:
        """Messages that were sent so far."""
        return sum(hand.counted for hand in self.producers)

    @property
    def received(self) -> int:
        """Messages that were received so far."""
        return sum(hand.counted for hand in self.everybody() if hand not in self.producers)

    def hire_consumers(self) -> None:
        """The consumers of every subscription, ready."""
        for one in self._plan.subscriptions:
            tasks = [self._plan.receiving(one) for _ in range(one.consuming.consumers)]
            self.consumers[one.sub] = [self._hire(task) for task in tasks]
            if one.consuming.dead_letters:
                reader = self._hire(self._plan.reading_letters(one))
                self.consumers[-1 - one.sub] = [reader]
        self._await_ready([hand for hands in self.consumers.values() for hand in hands])

    def hire_producers(self, tasks: Iterable[Task]) -> list[Hand]:
        """More producers, ready."""
        hands = [self._hire(task) for task in tasks]
        self.producers += hands
        self._await_ready(hands)
        return hands

    def replace(self, sub: int, number: int) -> None:
        """Another in the place of a consumer that was killed, ready."""
        hands = self.consumers[sub]
        self._left.append(hands[number])
        hands[number] = self._hire(self._plan.receiving(self._plan.subscriptions[sub]))
        self._await_ready([hands[number]])

    def order(self, sub: int, order: Order) -> None:
        """Ask the consumers of a subscription for something."""
        for hand in self.consumers[sub]:
            hand.order(order)

    def check(self) -> None:
        """`Trouble` when one has failed that was not killed."""
        self._check(hand for hand in self.everybody() if hand not in self._left)

    def await_away(self, hands: Sequence[Hand], *, away: bool) -> None:
        """Wait until all of them have left, or have come back."""
        progress = Progress(self._stalled_after)
        while waited := [hand for hand in hands if hand.away is not away]:
            self.check()
            state = [(hand.counted, hand.away) for hand in hands]
            progress.look(state, self.named(waited[0]))
            time.sleep(POLL)

    def await_done(self, hand: Hand) -> None:
        """Wait until one has ended."""
        progress = Progress(self._stalled_after)
        while not hand.done:
            self.check()
            progress.look(hand.counted, self.named(hand))
            time.sleep(POLL)

    def close(self) -> str:
        """Have everybody end; gives what was wrong with the first who did not, or nothing."""
        everybody = [hand for hand in self.everybody() if hand not in self._left]
        for hand in everybody:
            hand.order(Order.STOP)
        end = time.monotonic() + _CLOSED_WITHIN
        while time.monotonic() < end and not all(hand.done or hand.failed for hand in everybody):
            time.sleep(POLL)
        wrong = []
        for hand in everybody:
            if hand.failed:
                wrong.append(f"{self.named(hand)} failed: {hand.failed}")
            elif not hand.done:
                wrong.append(f"{self.named(hand)} does not end")
            hand.close()
        return next(iter(wrong), "")

    def place_of(self, sub: int) -> str:
        """The name of what the consumers of a subscription read, with its own name if any."""
        one = self._plan.subscriptions[sub if sub >= 0 else -1 - sub]
        if sub < 0:
            return one.consuming.dead_letters
        return " ".join(filter(None, (one.consuming.place, one.consuming.name)))

    def named(self, hand: Hand) -> str:
        """Who it is, for people."""
        if isinstance(hand.task, Producing):
            return f"Producer {hand.task.producer}"
        return f"The consumer of {self.place_of(hand.task.sub)} with session {hand.task.session}"

    def _await_ready(self, hands: Sequence[Hand]) -> None:
        end = time.monotonic() + _OPEN_WITHIN
        while late := [hand for hand in hands if not hand.ready]:
            self.check()
            self._check(hands)
            if time.monotonic() > end:
                raise Trouble(f"{self.named(late[0])} did not open within {_OPEN_WITHIN:.0f} s")
            time.sleep(POLL)

    def _check(self, hands: Iterable[Hand]) -> None:
        for hand in hands:
            if hand.failed:
                raise Trouble(f"{self.named(hand)} failed: {hand.failed}")
