"""Such a program at work: what is raw and what is received is as the model says."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol, cast

from jms_model.answers import Answer, Gave, Raised, gives
from jms_model.pulsar_wire.at_the_receiver import (
    HIDDEN,
    comes_again,
    content_of,
    first_delivery,
    looks_at_received,
)
from jms_model.pulsar_wire.looks import NUMBER, Look, Raw, ask_message
from jms_model.pulsar_wire.on_the_wire import looks_at_raw
from jms_model.pulsar_wire.sent import Known, MessageToSend
from jms_model.pulsar_wire.together import BRIEF, looks_at_all, looks_at_arrival, order_of
from jmsapi import Destination, Message
from touchstone.drawn.driving import Disagreement, answer_of
from touchstone.drawn.pulsar_wire.looking import Looking, in_turn
from touchstone.drawn.pulsar_wire.program import AGAIN, BODIES, BROWSER, CLOSED, Program
from touchstone.drawn.pulsar_wire.reading import number_in

TYPES: Final[Mapping[str, type]] = {"text": str, "bytes": bytes, "map": dict, "object": object}
"""As what receiveBody() is asked for a body."""


class ProgramTopic(Protocol):
    """The destination of a program."""

    def send(self, number: int, sent: MessageToSend) -> Known: ...
    def send_on(self, message: Message, sent: MessageToSend, known: Known) -> Known: ...
    def end(self) -> None: ...
    def raw(self) -> Sequence[Raw]: ...
    def topic_of(self, destination: Destination) -> str: ...
    def received(self) -> Iterator[Answer]: ...
    def bodies(self, kinds: Sequence[type]) -> Iterator[Answer]: ...
    def again(self, count: int) -> Iterator[Answer]: ...
    def close(self) -> None: ...


@dataclass
class _Run:
    """What is known of a program's messages."""

    program: Program
    sent: dict[int, MessageToSend] = field(default_factory=dict)
    known: dict[int, Known] = field(default_factory=dict)
    raw: dict[int, list[Raw]] = field(default_factory=lambda: defaultdict(list))
    messages: dict[int, Message] = field(default_factory=dict)
    """What was received as it was sent, each number once."""

    def comes(self, number: int) -> bool:
        """Whether a message has to be received: one that is late or brief need not be."""
        each = self.sent[number]
        is_late = each.delay and self.program.kind == "queue"
        return bool(self.raw[number]) and not is_late and not 0 < each.lives <= BRIEF


@dataclass
class WireDriver(Looking):
    """Runs programs on one client, which sends and receives."""

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program."""
        if self.trips_left <= 0:
            return
        run = _Run(program)
        with closing(self.opened(program)) as topic:
            self._sends(run, topic)
            if not run.known:
                return
            yield from in_turn(self._judged(run, topic), self._judged_onward(run))

    def _judged(self, run: _Run, topic: ProgramTopic) -> Iterator[Disagreement]:
        self._reads(run, topic)
        yield from self._judged_raw(run)
        if run.program.way == BODIES:
            yield from self._judged_bodies(run, topic)
        else:
            yield from self._judged_received(run, topic)

    def _judged_onward(self, run: _Run) -> Iterator[Disagreement]:
        """What was received is sent on, and has to be there as any message that is sent."""
        program = run.program
        if not program.onward or not run.messages:
            return
        later = _Run(program)
        with closing(self.opened(program)) as topic:
            for number, message in run.messages.items():
                how = program.onward[number % len(program.onward)]
                sent = replace(
                    how,
                    kind=run.sent[number].kind,
                    content=run.sent[number].content,
                    properties=run.sent[number].properties,
                    jms_type=run.sent[number].jms_type,
                    correlation=run.sent[number].correlation,
                    reply=run.sent[number].reply,
                )
                self.trips_left -= 1
                answer = answer_of(partial(topic.send_on, message, sent, run.known[number]))
                if isinstance(answer, Gave) and isinstance(answer.value, Known):
                    later.sent[number] = sent
                    later.known[number] = answer.value
            topic.end()
            yield from self._judged(later, topic)

    def _sends(self, run: _Run, topic: ProgramTopic) -> None:
        """What a client does not send is a matter of programs on messages."""
        for number, step in enumerate(run.program.steps):
            if not isinstance(step, MessageToSend):
                continue
            self.steps += 1
            self.trips_left -= step.times
            self.begins(step)
            answer = answer_of(partial(topic.send, number, step))
            if isinstance(answer, Gave) and isinstance(answer.value, Known):
                run.sent[number] = step
                run.known[number] = answer.value
        topic.end()

    @staticmethod
    def _reads(run: _Run, topic: ProgramTopic) -> None:
        brief = [
            run.known[n].after + each.lives
            for n, each in run.sent.items()
            if 0 < each.lives <= BRIEF
        ]
        while brief and time.time_ns() // 1_000_000 <= max(brief):
            time.sleep(0.001)
        for raw in topic.raw():
            text = raw.properties.get(NUMBER, "")
            if text.isdecimal() and int(text) in run.sent:
                run.raw[int(text)].append(raw)

    def _judged_raw(self, run: _Run) -> Iterator[Disagreement]:
        for numbers, look in looks_at_all(run.sent, run.raw):
            yield from self.judged(run.program, numbers, look, look.answer)
        for number, sent in run.sent.items():
            for raw in run.raw[number]:
                for look in looks_at_raw(sent, raw, run.known[number]):
                    yield from self.judged(run.program, [number], look, look.answer)

    def _judged_received(self, run: _Run, topic: ProgramTopic) -> Iterator[Disagreement]:
        came = list(topic.received())
        order = []
        seen: Counter[int] = Counter()
        for answer in came:
            if isinstance(answer, Raised):
                yield from self._judged_failure(run, seen, answer)
            number = self._number(run, answer)
            if number is None or not isinstance(answer, Gave):
                continue
            order.append(number)
            seen[number] += 1
            run.messages.setdefault(number, cast(Message, answer.value))
            if seen[number] <= len(run.raw[number]):
                yield from self._judged_message(run, topic, number, answer.value, seen[number])
        if not any(isinstance(answer, Raised) for answer in came):
            yield from self._judged_arrival(run, seen)
        for numbers, look in () if run.program.prioritized else order_of(order, run.sent):
            yield from self.judged(run.program, sorted(numbers), look, look.answer)
        if run.program.way in AGAIN:
            yield from self._judged_again(run, topic, len(order))

    def _judged_again(self, run: _Run, topic: ProgramTopic, count: int) -> Iterator[Disagreement]:
        """What comes again has all that it had; how a closed consumer counts is left open."""
        for answer in topic.again(count):
            number = self._number(run, answer)
            if number is None or not isinstance(answer, Gave):
                continue
            looks: list[Look] = []
            if run.program.way != CLOSED:
                looks += comes_again(2)
            if len(run.raw[number]) == 1:
                looks += self._looks(run, number, 1)
            for look in looks:
                yield from self.asked(run.program, [number], look, answer.value, topic.topic_of)

    def _judged_message(
        self, run: _Run, topic: ProgramTopic, number: int, message: Any, at: int
    ) -> Iterator[Disagreement]:
        for look in (*self._looks(run, number, at), *first_delivery()):
            for each in self.asked(run.program, [number], look, message, topic.topic_of):
                if HIDDEN not in look.expectation.ids:
                    run.messages.pop(number, None)
                yield each

    @staticmethod
    def _looks(run: _Run, number: int, at: int) -> Iterator[Look]:
        return looks_at_received(
            run.sent[number],
            run.raw[number][at - 1],
            run.known[number],
            numbered=run.program.numbered,
        )

    def _judged_arrival(self, run: _Run, seen: Counter[int]) -> Iterator[Disagreement]:
        for number, sent in run.sent.items():
            if run.comes(number):
                for look in looks_at_arrival(sent.kind, came=bool(seen[number])):
                    yield from self.judged(run.program, [number], look, look.answer)

    def _judged_failure(
        self, run: _Run, seen: Counter[int], answer: Raised
    ) -> Iterator[Disagreement]:
        """The client failed where it had to give the next message; a browser shows many."""
        number = next((n for n in run.sent if run.comes(n) and not seen[n]), None)
        if number is not None and run.program.way != BROWSER:
            for look in looks_at_arrival(run.sent[number].kind, came=False):
                yield from self.judged(run.program, [number], look, answer)

    def _judged_bodies(self, run: _Run, topic: ProgramTopic) -> Iterator[Disagreement]:
        numbers = [n for n in run.sent for _ in range(run.sent[n].times) if run.comes(n)]
        kinds = [TYPES[run.sent[number].kind] for number in numbers]
        for number, answer in zip(numbers, topic.bodies(kinds), strict=True):
            sent = run.sent[number]
            look = [*content_of(sent.kind, sent.content)][-1]
            shown = ask_message(
                "receive_body",
                [],
                gives(sent.content),
                look.expectation.ids,
                look.expectation.situation,
            )
            yield from self.judged(run.program, [number], shown, answer)
            if isinstance(answer, Raised) or answer.value is None:
                return

    @staticmethod
    def _number(run: _Run, answer: Answer) -> int | None:
        """The number of a message that came; None: it has none, or it did not come."""
        message = answer.value if isinstance(answer, Gave) else None
        text = number_in(message) if isinstance(message, Message) else None
        is_known = text is not None and text.isdecimal() and int(text) in run.sent
        return int(str(text)) if is_known else None
