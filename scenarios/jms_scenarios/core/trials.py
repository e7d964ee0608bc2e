"""A stream of good and damaged messages for each kind of damage, and what is judged of its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as NotInTime
from contextlib import suppress

from jms_scenarios.listening import started
from jms_scenarios.poisoned import (
    BEHIND,
    LAST,
    PoisonListener,
    Receiving,
    Seen,
    attempt,
    good_texts,
    named,
    received_by,
    spread_among,
)
from jmsapi import Destination, Queue
from touchstone.api import Part, RunningScenario, until

PATIENCE = 3.0
"""Seconds without anything after which nothing more is expected."""
_CLOSED_WITHIN = 15.0
_HANGS = "close() hangs"
"""That ends the trials: the next would take as long."""
GOOD = good_texts(6)
EACH = 10
"""Damaged messages of each kind in a stream."""
_AFTERWARDS = "good-afterwards"
"""Sent when all was closed: what was not settled comes again before it."""
Reading = Callable[[Seen, Sequence[str]], object]
"""Adds to what was seen until these good messages came, or nothing comes any more."""


def receiving(*consumers: Receiving) -> Reading:
    """By receive(): one consumer until the last comes, several by turns until all have come."""
    alone = len(consumers) == 1
    return lambda seen, good: received_by(consumers, good[-1:] if alone else good, PATIENCE, seen)


def hearing(listener: PoisonListener) -> Reading:
    """By a listener, which has noted what it was called with."""
    return lambda seen, good: listener.ends(PATIENCE, good[-1])


class Trial:
    """One kind of damage: where its messages go, and what was seen of them."""

    def __init__(self, at_hand: RunningScenario, kind: str) -> None:
        self.kind = kind
        self.seen = Seen()
        self.good = list(GOOD)
        """The texts of the good messages that were sent."""
        self.usable = ""
        """What is wrong with the session afterwards."""
        self.closing = ""
        """What is wrong with close()."""
        self.account = ""
        """What is wrong with those that nobody was shown."""
        self.again = ""
        """What is wrong with those that were shown, when all is closed."""
        self.came = 0
        self._at_hand = at_hand

    def send(self, destination: Destination) -> None:
        """Send the stream, of whose damaged messages the broker may refuse some."""
        poisons = self._at_hand.poisons([self.kind], EACH)
        self.came = len(self._at_hand.send_poisoned(destination, spread_among(poisons, GOOD)))

    def read(self, destination: Destination, reading: Reading) -> None:
        """Send the stream and read it to its end, then one good message more in the same way."""
        self.send(destination)
        reading(self.seen, self.good)
        if LAST in self.seen.good:
            self.good.append(BEHIND)
            self._at_hand.send_poisoned(destination, [BEHIND])
            reading(self.seen, self.good)

    def use(self, receives: Callable[[Queue], bool]) -> None:
        """Note whether a message of another queue comes to another consumer of the session."""
        other = self._at_hand.jms.queue(self._at_hand.name("other"))
        came, error = attempt(lambda: receives(other))
        if error is not None:
            self.usable = f"another consumer fails: {named(error)}"
        elif not came:
            self.usable = "another consumer gets nothing"

    def close(self, close: Callable[[], object]) -> None:
        """Close, on a thread of its own; note whether that hangs or fails."""
        closing = started(lambda: attempt(close))
        try:
            _, error = closing.result(_CLOSED_WITHIN)
        except NotInTime:
            self.closing = _HANGS
        else:
            self.closing = "" if error is None else f"close() fails: {named(error)}"

    def account_for(self, queue: Queue) -> None:
        """Note whether the queue, or its dead letters, have all that was not shown."""
        queues = self._at_hand.queues

        def left() -> int:
            return queues.pending(queue) + queues.dead_letters(queue)

        seen = self.seen.shown + len(set(self.seen.good))
        expected = self.came + len(self.good) - seen
        with suppress(AssertionError):
            until(lambda: left() <= expected, PATIENCE)
        if left() < expected:
            self.account = "settled unseen"

    def look_again(self, queue: Queue) -> None:
        """Once all is closed: note whether a good message that was seen comes to others."""
        if self.closing:
            return
        consumer = self._at_hand.jms.connection().create_session().create_consumer(queue)
        self._at_hand.send_poisoned(queue, [_AFTERWARDS])
        later = received_by([consumer], [_AFTERWARDS], PATIENCE)
        if set(later.good) & set(self.seen.good):
            self.again = "a neighbour came again after close()"

    @property
    def in_vain(self) -> bool:
        """Whether something was waited for that did not come."""
        return bool(self.seen.lost(self.good) or self.usable)


class Trials:
    """The trials of all kinds of damage to one part of messages."""

    def __init__(self, at_hand: RunningScenario, part: Part) -> None:
        self._at_hand = at_hand
        self.part = part
        self._done: list[Trial] = []

    def __iter__(self) -> Iterator[Trial]:
        for kind in self._at_hand.queues.poisons(self.part):
            trial = Trial(self._at_hand, kind)
            self._done.append(trial)
            yield trial
            if trial.closing == _HANGS or (self._at_hand.sought and trial.in_vain):
                return

    def of(self, what: Callable[[Trial], str]) -> dict[str, str]:
        """What there is to tell of the trials, by kind of damage."""
        texts = {trial.kind: what(trial) for trial in self._done}
        return {kind: text for kind, text in sorted(texts.items()) if text}

    @property
    def lost(self) -> dict[str, str]:
        """Where good messages did not come."""
        return self.of(lambda trial: trial.seen.lost(trial.good))

    @property
    def repeated(self) -> dict[str, str]:
        """Where good messages came twice."""
        return self.of(lambda trial: trial.seen.repeated() or trial.again)

    @property
    def disordered(self) -> dict[str, str]:
        """Where good messages came in another order."""
        return self.of(lambda trial: trial.seen.disordered(trial.good))

    @property
    def shown(self) -> dict[str, str]:
        """How many damaged messages were handed over, of how many."""
        return self.of(lambda trial: f"{trial.seen.shown} of {trial.came}")

    @property
    def refused(self) -> dict[str, str]:
        """What was thrown by whom messages were asked of."""
        return self.of(lambda trial: trial.seen.refused_by(Exception))

    def foreign(self, *lawful: type[Exception]) -> dict[str, str]:
        """What was thrown that is of none of these classes."""
        return self.of(lambda trial: trial.seen.foreign(*lawful))

    @property
    def unusable(self) -> dict[str, str]:
        """Where the session did not work any more."""
        return self.of(lambda trial: trial.usable)

    @property
    def unclosed(self) -> dict[str, str]:
        """Where close() did not come back, or failed."""
        return self.of(lambda trial: trial.closing)

    @property
    def unaccounted(self) -> dict[str, str]:
        """Where what nobody was shown is gone."""
        return self.of(lambda trial: trial.account)
