"""Such programs at work: each message is on a partition that its priority or group permits."""

from __future__ import annotations

import math
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol

from jms_brokers.machine.patience import patience
from jms_model.answers import Answer, Expectation, Gave, raises
from jms_model.properties import GROUP, GROUP_SEQUENCE
from jms_model.pulsar_wire.looks import Look, Raw
from jms_model.pulsar_wire.partitions import looks_at_groups, looks_at_partitions
from jmsapi import (
    DEFAULT_PRIORITY,
    Destination,
    Int,
    JMSException,
    JMSRuntimeException,
    Message,
)
from touchstone.drawn.driving import Asks, DidNotCome, Disagreement, answer_of, ask_nobody
from touchstone.drawn.pulsar_wire.placing import GROUPS, Group, Level, PlacingProgram, Word

SWITCHED_ON: Final = {"jms.enableJMSPriority": True}
"""Statements on the mapping presuppose that priorities are switched on."""
FEW_BATCHES: Final = {"producerConfig": {"batchingMaxPublishDelayMicros": 20_000}}


class PlacingBroker(Protocol):
    """What an administrator does, and an independent client sees."""

    def create_topic(self, destination: Destination, partitions: int) -> object: ...
    def received(self, destination: Destination, count: int) -> Sequence[Raw]: ...


class _Confirmations:
    """Counts the outcomes of asynchronous sends."""

    def __init__(self, count: int) -> None:
        self._missing = count
        self._done = threading.Event()
        self._lock = threading.Lock()

    def on_completion(self, message: Message) -> None:
        """It was sent."""
        with self._lock:
            self._missing -= 1
            if not self._missing:
                self._done.set()

    def on_exception(self, message: Message, exception: Exception) -> None:
        """It was not, which shows by the messages that there are."""
        self.on_completion(message)

    def wait(self) -> None:
        """Until each is told."""
        if not any(self._done.wait(seconds) for seconds in patience(20.0)):
            raise DidNotCome


@dataclass
class PlacingDriver:
    """Runs programs on one client."""

    factory: Callable[[Mapping[str, object]], Any]
    """A factory with settings."""
    broker: PlacingBroker
    name: Callable[[str], str]
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be sent."""
    begins: Asks = field(default=ask_nobody)
    """Told of each step before it is made."""
    _factories: dict[str | None, Any] = field(default_factory=dict)

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """None is looked at twice."""
        return True

    def disagreements(self, program: PlacingProgram) -> Iterator[Disagreement]:
        """Those of a program."""
        for word in (step for step in program.steps if isinstance(step, Word)):
            yield from self._opened(program, word)
        sends = [step for step in program.steps if isinstance(step, Level | Group)]
        if not sends or self.trips_left <= 0:
            return
        partitions_of = self._placed(program, sends)
        if program.mapping == GROUPS:
            groups = {str(key): [*placed] for key, placed in partitions_of.items()}
            for name, look in looks_at_groups(groups):
                yield from self._judged(program, [name], look)
            return
        placed = {int(str(level)): where for level, where in partitions_of.items()}
        for levels, look in looks_at_partitions(program.mapping, program.partitions, placed):
            yield from self._judged(program, levels, look)

    def _opened(self, program: PlacingProgram, step: Word) -> Iterator[Disagreement]:
        """Another word than the two is refused, by the factory or by its first connection."""
        self.begins(step)
        answer = answer_of(partial(self._open, step))
        expectation = Expectation(
            [raises(JMSException, JMSRuntimeException)], ["SLJ-PRIO-014"], "with another mapping"
        )
        if expectation.ending(answer) is not None:
            self.decided.update(expectation.ids)
        else:
            shown = replace(program, steps=[step])
            yield Disagreement(shown, expectation, answer, frozenset(expectation.ids))

    def _open(self, step: Word) -> object:
        factory = self.factory({**SWITCHED_ON, "jms.priorityMapping": step.word})
        opened = factory.create_context() if step.simplified else factory.create_connection()
        opened.start()
        return "opened"

    def _placed(
        self, program: PlacingProgram, sends: Sequence[Level | Group]
    ) -> Mapping[object, Mapping[int, int]]:
        """For each level or group the partitions, with the number of messages there."""
        factory = self._factory(program.mapping)
        context = factory.create_context()
        connection = factory.create_connection()
        session = connection.create_session()
        name = self.name(program.kind)
        make = session.create_queue if program.kind == "queue" else session.create_topic
        destination = make(name)
        self.broker.create_topic(destination, program.partitions)
        try:
            count = self._send(sends, session, context, destination)
            raw = self.broker.received(destination, count)
        finally:
            context.close()
            connection.close()
        placed: dict[object, Counter[int]] = defaultdict(Counter)
        for each in raw:
            step = sends[int(each.payload.decode())]
            placed[step.level if isinstance(step, Level) else step.name][each.partition] += 1
        return placed

    def _send(
        self, sends: Sequence[Level | Group], session: Any, context: Any, destination: Any
    ) -> int:
        """Send by turns: the first by a context, the second by a producer that is set."""
        turns = [
            (turn, at, step)
            for turn in range(max(step.count for step in sends))
            for at, step in enumerate(sends)
            if turn < step.count
        ]
        producer, told = session.create_producer(destination), session.create_producer(destination)
        confirmations = _Confirmations(sum(turn > 1 for turn, _, _ in turns))
        for turn, at, step in turns:
            if turn == 0:
                self.begins(step)
            self.steps += 1
            self.trips_left -= 1
            message = session.create_text_message(str(at))
            priority = _priority_of(step, turn)
            properties = _properties_of(step, turn)
            for name, value in properties.items():
                message.set_object_property(name, value)
            if turn == 0:
                of_context = context.create_producer()
                if priority is not None:
                    of_context.set_priority(priority)
                for name, value in properties.items():
                    of_context.set_property(name, value)
                of_context.send(destination, str(at))
            elif turn == 1:
                told.priority = DEFAULT_PRIORITY if priority is None else priority
                told.send(message)
            else:
                producer.send(message, priority=priority, completion_listener=confirmations)
        if len(turns) > 2 * len(sends):
            confirmations.wait()
        return len(turns)

    def _factory(self, mapping: str | None) -> Any:
        if mapping not in self._factories:
            settings: dict[str, object] = {**FEW_BATCHES}
            if mapping != GROUPS:
                settings |= SWITCHED_ON
                settings |= {} if mapping is None else {"jms.priorityMapping": mapping}
            self._factories[mapping] = self.factory(settings)
        return self._factories[mapping]

    def _judged(
        self, program: PlacingProgram, levels: Sequence[object], look: Look
    ) -> Iterator[Disagreement]:
        answer: Answer = look.answer or Gave(None)
        expectation = look.expectation
        if expectation.ending(answer) is not None:
            self.decided.update(expectation.ids)
            return
        ids = frozenset(expectation.broken_by(answer))
        yield Disagreement(program.showing(levels, look), expectation, answer, ids)


def _properties_of(step: Level | Group, turn: int) -> Mapping[str, object]:
    """Those of the message that a step sends at this turn."""
    if isinstance(step, Level):
        return {}
    return {GROUP: step.name, **({GROUP_SEQUENCE: Int(turn + 1)} if step.numbered else {})}


def _priority_of(step: Level | Group, turn: int) -> int | None:
    """The priority of the message that a step sends at this turn; None: it is not set."""
    if isinstance(step, Level):
        return step.level
    return step.priorities[turn % len(step.priorities)] if step.priorities else None
