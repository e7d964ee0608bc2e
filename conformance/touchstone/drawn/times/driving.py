"""Such a program at work: everything comes when the model says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Final

from jms_brokers.machine.slack import watch_machine
from jms_model.answers import Gave
from jms_model.times.arrivals import (
    EXPIRED,
    NEVER,
    TOO_LATE,
    arrival,
    later_subscriber,
    looks_at_browse,
    looks_at_ignored_limits,
)
from jms_model.times.headers import after_send, is_delivery_time, of_received
from jms_model.times.sent import LATE, TimedLook, TimedMessage
from jms_model.times.statements import JMS, Statements
from touchstone.drawn.driving import Asks, Disagreement, answer_of, ask_nobody
from touchstone.drawn.times.application import Application
from touchstone.drawn.times.inbox import Inbox
from touchstone.drawn.times.program import (
    BROWSE,
    BROWSER,
    COMMIT,
    LATER,
    RECOVER,
    SELECTED,
    SEND,
    SUBSCRIBE,
    WAIT,
    Program,
    Step,
)

_OFTEN: Final = 40
"""Milliseconds after which what has come is taken, while messages are sent."""
_WAITED_FOR: Final = 3000
"""Milliseconds of delay that somebody waits for."""
_BRIEF: Final = 1000
"""Milliseconds to live that somebody outwaits."""
_GRACE: Final = 300
"""Milliseconds for which what is late is waited for, beyond what is late."""


@dataclass(frozen=True)
class _Browsed:
    """What a browser showed of a lane."""

    lane: str
    asked: int
    at: int
    shown: frozenset[int]


@dataclass
class TimeDriver:
    """Runs programs on one client."""

    opened: Callable[[Program], Application]
    document: Statements = JMS
    watch: Callable[[], AbstractContextManager[Any]] = watch_machine
    """Watches the machine; knows its slack afterwards."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    trips_left: float = math.inf
    """How many messages may still be sent."""
    begins: Asks = field(default=ask_nobody)
    """Told of each step before it is made."""
    lacked: set[str] = field(default_factory=set)
    """What steps were left out for: the client's version of JMS has not got it."""
    tells_delays: bool = False
    """Whether the JMSDeliveryTime of a sender has shown a delay."""

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """Whether what came late, or did not come, does so again."""
        if each.answer not in (Gave(TOO_LATE), Gave(NEVER)):
            return True
        again = self.disagreements(each.program)
        return any(later.signature == each.signature for later in again)

    def disagreements(self, program: Any) -> Iterator[Disagreement]:
        """Those of a program."""
        if self.trips_left <= 0 or not program.steps:
            return
        with closing(self.opened(program)) as runs:
            run = _Run(program, runs, self.document, self.begins)
            with self.watch() as watch:
                run.run()
            self.trips_left -= len(runs.outbox.sent)
            self.lacked |= runs.outbox.lacked
            yield from self._judged(program, run, round(1000 * watch.slack.seconds))

    def _judged(self, program: Program, run: _Run, slack: int) -> Iterator[Disagreement]:
        self.tells_delays |= any(
            sent.after < sent.before + sent.delay and is_delivery_time(sent, sent.delivery_time)
            for sent in run.sent().values()
        )
        for lanes, look in run.looks(slack, tells_delays=self.tells_delays):
            expectation = look.expectation
            if expectation.ending(look.answer) is not None:
                self.decided.update({*expectation.ids})
            elif ids := expectation.broken_by(look.answer):
                alone = look.answer not in (Gave(TOO_LATE), Gave(NEVER))
                shown = program.showing(lanes, look, alone=alone)
                yield Disagreement(shown, expectation, look.answer, frozenset(ids))


class _Run:
    """One program, and what came of it."""

    def __init__(
        self, program: Program, runs: Application, document: Statements, begins: Asks
    ) -> None:
        self._program = program
        self._runs = runs
        self._document = document
        self._begins = begins
        self._clock = runs.clock
        self._taken = 0
        self._browsed: list[_Browsed] = []

    def run(self) -> None:
        """Do all steps, and receive what comes."""
        runs = self._runs
        for lane in self._program.lanes:
            if lane.way not in LATER and lane.way != BROWSER and lane.name in runs.inboxes:
                answer_of(runs.inboxes[lane.name].begin)
        began = self._clock.now()
        for method, steps in groupby(self._program.steps, key=lambda step: step.method):
            if method == COMMIT:
                self._commit([*steps])
                continue
            for step in steps:
                self._begins(step)
                self._do(step, began)
                if self._clock.now() > self._taken + _OFTEN:
                    self._take(waits=False)
        self._collect()
        self._outwait()
        self._collect()
        self._finish()

    def _do(self, step: Step, began: int) -> None:
        runs = self._runs
        if step.method == WAIT:
            while self._clock.now() < began + step.args[0]:
                self._take(waits=True)
        elif step.method == SEND:
            runs.outbox.send(step.on, step.args[0])
        elif step.method.startswith("set_"):
            runs.outbox.set(step.on, step.method.removeprefix("set_"), step.args[0])
        elif step.on in runs.inboxes and step.method == BROWSE:
            if (answered := runs.inboxes[step.on].browse()) is not None:
                self._browsed.append(_Browsed(step.on, *answered))
        elif step.on in runs.inboxes and step.method == SUBSCRIBE:
            runs.subscribe(step.on, step.args[0])

    def _commit(self, steps: Iterable[Step]) -> None:
        """Commit the transactions of one lane behind those of another."""
        lanes = {maker.name: maker.lane for maker in self._program.makers}
        for _, of_lane in groupby(steps, key=lambda step: lanes[step.on]):
            named = [*of_lane]
            for step in named:
                self._begins(step)
            self._runs.outbox.commit([step.on for step in named])

    def _take(self, *, waits: bool) -> None:
        """Take what has come."""
        polled = [each for each in self._runs.inboxes.values() if each.began]
        for inbox in polled:
            inbox.poll(waits=waits)
        self._taken = self._clock.now()
        if waits and all(each.is_listening for each in polled):
            self._clock.pause(_OFTEN / 4)

    def _collect(self) -> None:
        """Take messages until all are there, or late."""
        while self._is_awaited():
            self._take(waits=True)

    def _is_awaited(self) -> bool:
        came = {seen.number for inbox in self._runs.inboxes.values() for seen in [*inbox.seen]}
        now = self._clock.now()
        return any(
            now <= until + LATE + _GRACE
            for number, sent in self.sent().items()
            if number not in came and (until := self._due(sent)) is not None
        )

    def _due(self, sent: TimedMessage) -> int | None:
        """When a message has to come that somebody waits for."""
        inbox = self._runs.inboxes[self._runs.outbox.lanes[sent.number]]
        is_missed = self._way(sent) == SELECTED and not self._runs.outbox.chosen[sent.number]
        if not inbox.began or is_missed or 0 < sent.lives <= _BRIEF:
            return None
        if sent.outlet in self._document.at_once:
            return max(sent.after, sent.ready)
        return sent.last if sent.delay <= _WAITED_FOR else None

    def _way(self, sent: TimedMessage) -> str:
        return self._runs.inboxes[self._runs.outbox.lanes[sent.number]].way

    def _outwait(self) -> None:
        """Begin to receive what was left alone until it has expired."""
        runs = self._runs
        held = {
            name: inbox
            for name, inbox in runs.inboxes.items()
            if inbox.way in LATER or inbox.way == BROWSER
        }
        ends = [
            sent.expired
            for number, sent in runs.outbox.sent.items()
            if sent.expired is not None
            and sent.lives <= _BRIEF
            and runs.outbox.lanes[number] in held
        ]
        while ends and self._clock.now() <= max(ends):
            self._take(waits=True)
        for inbox in (*held.values(), *(each for _, _, each in runs.later)):
            answer_of(inbox.begin)

    def _finish(self) -> None:
        """Take all that is there, and what comes again."""
        runs = self._runs
        for name in runs.inboxes:
            runs.outbox.end(name)
        for inbox in runs.readers:
            if inbox.began:
                inbox.finish()
        for inbox in runs.inboxes.values():
            if inbox.way == RECOVER and inbox.ended:
                ended = inbox.ended
                inbox.is_again = True
                if answer_of(inbox.session.recover) == Gave(None):
                    inbox.finish()
                inbox.ended = ended

    def sent(self) -> dict[int, TimedMessage]:
        """The sends, with what is known by now of their receivers and of others."""
        runs = self._runs
        lanes = runs.outbox.lanes
        expiring = {lanes[number] for number, sent in runs.outbox.sent.items() if sent.lives}
        return {
            number: replace(
                sent,
                ready=max(sent.ready, runs.inboxes[lanes[number]].began),
                is_beside=lanes[number] in expiring,
            )
            for number, sent in runs.outbox.sent.items()
            if lanes[number] in runs.inboxes
        }

    def looks(self, slack: int, *, tells_delays: bool) -> Iterator[tuple[list[str], TimedLook]]:
        """What was seen, with the lanes that show it."""
        runs, document = self._runs, self._document
        sends = {
            number: replace(sent, is_told=tells_delays) for number, sent in self.sent().items()
        }
        expired: set[int] = set()
        for number, sent in sends.items():
            lane = runs.outbox.lanes[number]
            inbox = runs.inboxes[lane]
            for look in self._of_message(sent, inbox, slack):
                if look.answer == Gave(EXPIRED):
                    expired.add(number)
                yield [lane], look
        outlived = [
            sent
            for sent in sends.values()
            if sent.last < runs.inboxes[runs.outbox.lanes[sent.number]].ended
            and self._is_chosen(sent)
        ]
        for look in looks_at_ignored_limits(outlived, frozenset(expired), document):
            yield sorted({runs.outbox.lanes[number] for number in look.numbers}), look
        yield from self._of_others(sends, slack)

    def _of_message(self, sent: TimedMessage, inbox: Inbox, slack: int) -> Iterator[TimedLook]:
        document = self._document
        yield from after_send(sent, document)
        came = [seen for seen in [*inbox.seen] if seen.number == sent.number]
        for seen in came:
            yield from arrival(sent, seen, inbox.ended, slack, document)
            yield from of_received(sent, seen, document)
        if not came and self._is_chosen(sent) and (ended := inbox.ended or inbox.gave_up):
            looks = arrival(sent, None, ended, slack, document)
            yield from (each for each in looks if inbox.ended or each.answer == Gave(NEVER))

    def _is_chosen(self, sent: TimedMessage) -> bool:
        return self._way(sent) != SELECTED or self._runs.outbox.chosen[sent.number]

    def _of_others(
        self, sends: dict[int, TimedMessage], slack: int
    ) -> Iterator[tuple[list[str], TimedLook]]:
        """What later subscriptions and browsers have shown."""
        runs, document = self._runs, self._document

        def of_lane(lane: str) -> list[TimedMessage]:
            return [sent for sent in sends.values() if runs.outbox.lanes[sent.number] == lane]

        for lane, opened, inbox in runs.later:
            numbers = {seen.number for seen in inbox.seen}
            for sent in of_lane(lane) if inbox.ended and document.later else ():
                came = sent.number in numbers
                for look in later_subscriber(sent, came, opened, inbox.ended, document):
                    yield [lane], look
        for each in self._browsed if document.browsed else ():
            for sent in of_lane(each.lane):
                original = runs.outbox.sent[sent.number]
                shown = sent.number in each.shown
                if original.committed is not None or original.after > each.asked:
                    continue
                for look in looks_at_browse(original, shown, each.asked, each.at, slack, document):
                    yield [each.lane], look
