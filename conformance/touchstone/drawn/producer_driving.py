"""A program with a producer at work: what arrives is received when it is first asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol

from jms_clients.errors import NotInThisVersion
from jms_model.answers import Expectation, Gave, Raised
from jms_model.headers import Name
from jms_model.jms_producer import ITSELF, JMSProducer, Null
from jms_model.message import Message as Model
from jms_model.producer import MessageProducer
from jms_model.producer_sends import ExpectedSend
from jmsapi import (
    BytesMessage,
    MapMessage,
    Message,
    ObjectMessage,
    Queue,
    StreamMessage,
    TextMessage,
)
from touchstone.drawn.driving import (
    MAKERS,
    DidNotCome,
    Disagreement,
    Driver,
    answer_of,
    is_harmless,
)
from touchstone.drawn.program import (
    FOR_NONE,
    OF_A_CONTEXT,
    PRODUCER,
    SEND,
    At,
    Program,
    Step,
)

OWN: Final = Name("queue", "own")
"""The queue that producers of programs send to."""
OTHER: Final = Name("queue", "other")
"""One that a producer was not made for."""
SHARE: Final = 0.2
"""Of what a trip may take: these sends are what the programs are about."""
_INTERFACES: Final = {
    "text": TextMessage,
    "bytes": BytesMessage,
    "map": MapMessage,
    "stream": StreamMessage,
    "object": ObjectMessage,
}
Producer = MessageProducer | JMSProducer


class CameAsAnother(Exception):
    """What arrived is a message of another kind."""


class Outlet(Protocol):
    """Where the producers of programs send, and what they send is received."""

    @property
    def own(self) -> Queue:
        """Where what is sent is received."""
        ...

    @property
    def other(self) -> Queue:
        """Where nothing is sent."""
        ...

    def producer(self, kind: str) -> Any:
        """A new producer, such as programs name it."""
        ...

    def received(self) -> Message | None:
        """The next message; None: it did not come."""
        ...

    def renew(self) -> None:
        """Take other queues: what there is in these is not known."""
        ...


def model_of(kind: str) -> Producer:
    """The model of such a producer."""
    if kind == OF_A_CONTEXT:
        return JMSProducer()
    return MessageProducer(None if kind == FOR_NONE else OWN)


@dataclass
class _Waiting:
    """A message that was sent, and is not received yet."""

    number: int
    model: Model
    sending: ExpectedSend
    sender: Model | None
    step: int
    is_changed: bool = False
    """Whether the sender's was changed since."""


@dataclass
class _Run:
    """One program at work."""

    program: Program
    messages: list[tuple[Message, Model] | None]
    producer: Any
    model: Producer
    waiting: _Waiting | None = None
    was_refused: bool = False
    """Whether a send was refused: if it has sent all the same, that comes before the next one."""

    def has(self, step: Step) -> bool:
        """Whether all messages are there that a step needs."""
        needed = [step.on, *(arg.number for arg in step.args if isinstance(arg, At))]
        return all(each == PRODUCER or self._is_there(each) for each in needed)

    def _is_there(self, number: int) -> bool:
        return self.messages[number] is not None or self._is_waiting(number)

    def _is_waiting(self, number: int) -> bool:
        return self.waiting is not None and self.waiting.number == number

    def needs_what_waits(self, step: Step) -> bool:
        """Whether a message has to be received before a step."""
        sends = step.method == SEND
        return self.waiting is not None and (sends or self._is_waiting(step.on))

    def message(self, number: int) -> tuple[Message, Model]:
        """A message that is there."""
        message = self.messages[number]
        assert message is not None
        return message


@dataclass
class ProducerDriver(Driver):
    """Runs programs with producers on one client."""

    outlet: Outlet | None = None
    delays: bool = True
    """Whether the client can have messages delivered later."""
    _run: _Run | None = field(default=None, init=False)

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program; it ends where what the client has done is not known any more."""
        if not program.producer:
            yield from super().disagreements(program)
            return
        made = getattr(self.session, MAKERS[program.kind])()
        producer, model = self._outlet.producer(program.producer), model_of(program.producer)
        self._destinations.update({OWN: self._outlet.own, OTHER: self._outlet.other})
        run = self._run = _Run(program, [(made, Model(program.kind))], producer, model)
        is_known = False
        try:
            for number, step in enumerate(program.steps):
                disagreement, goes_on = self._step(run, number, step)
                if disagreement is not None and disagreement.ids:
                    yield disagreement
                if not goes_on:
                    return
            disagreement = self._receive(run)
            is_known = disagreement is None
            if disagreement is not None and disagreement.ids:
                yield disagreement
        finally:
            self._end(run, is_known)

    @property
    def _outlet(self) -> Outlet:
        assert self.outlet is not None
        return self.outlet

    def _end(self, run: _Run, is_known: bool) -> None:
        if run.program.producer != OF_A_CONTEXT:
            answer_of(run.producer.close)
        if not is_known or (run.was_refused and self.trips_left > 0):
            self._outlet.renew()

    def _step(self, run: _Run, number: int, step: Step) -> tuple[Disagreement | None, bool]:
        """What a step shows, and whether the program goes on."""
        if not run.has(step) or self._lacks(run.producer, step):
            run.messages += [None] * (step.method == SEND)
            return None, True
        self.begins(step)
        if run.needs_what_waits(step) and (disagreement := self._receive(run)) is not None:
            return disagreement, False
        try:
            return self._made(run, number, step)
        except NotInThisVersion as error:
            self.lacked.add(error.what)
            return None, True

    def _made(self, run: _Run, number: int, step: Step) -> tuple[Disagreement | None, bool]:
        if step.method == SEND:
            return self._send(run, number, step)
        self.steps += 1
        if step.on == PRODUCER:
            expectation = run.model.expect(step.method, step.args)
            answer = answer_of(partial(self._call_producer, run.producer, step))
            is_permitted = follow(run.model, expectation, answer)
        else:
            real, model = run.message(step.on)
            expectation = model.expect(step.method, step.args)
            answer = answer_of(partial(self._call, real, step))
            is_permitted = model.ended(expectation, answer)
            if run.waiting is not None and run.waiting.sender is model and expectation.changes:
                run.waiting.is_changed = True
        return self._judged(run, number, step, expectation, answer, is_permitted)

    def _lacks(self, producer: Any, step: Step) -> bool:
        """Whether the client has no such call."""
        if any(isinstance(arg, Null) for arg in step.args):
            return not hasattr(producer, "send_null")
        return _delays(step) and not self.delays

    def _judged(
        self,
        run: _Run,
        number: int,
        step: Step,
        expectation: Expectation,
        answer: Gave | Raised,
        is_permitted: bool,
    ) -> tuple[Disagreement | None, bool]:
        if is_permitted:
            self.decided.update(expectation.ids)
            return None, True
        done = replace(run.program, steps=run.program.steps[: number + 1])
        ids = frozenset(expectation.broken_by(answer))
        if run.was_refused and step.on > 0:
            ids = frozenset()
        disagreement = Disagreement(done, expectation, answer, ids)
        return disagreement, is_harmless(step.method, expectation, answer)

    def _send(self, run: _Run, number: int, step: Step) -> tuple[Disagreement | None, bool]:
        given = [run.message(arg.number) if isinstance(arg, At) else arg for arg in step.args]
        sending: ExpectedSend = run.model.send(*(self._modelled(each) for each in given))
        if sending.arrive is not None and self.trips_left <= 0:
            run.messages.append(None)
            return None, True
        self.steps += 1
        before = _now()
        answer = answer_of(partial(self._call_producer, run.producer, step))
        after = _now()
        is_permitted = follow(run.model, sending.expectation, answer)
        if is_permitted and sending.arrive is not None:
            self.trips_left -= SHARE
            sender = next((each[1] for each in given if isinstance(each, tuple)), None)
            run.waiting = _Waiting(
                len(run.messages), sending.arrive(before, after), sending, sender, number
            )
        run.was_refused |= isinstance(answer, Raised)
        run.messages.append(None)
        return self._judged(run, number, step, sending.expectation, answer, is_permitted)

    @staticmethod
    def _modelled(given: Any) -> Any:
        is_message = isinstance(given, tuple) and isinstance(given[-1], Model)
        return given[1] if is_message else given

    def _receive(self, run: _Run) -> Disagreement | None:
        """Receive what waits, if anything does; what is wrong with it speaks of its send."""
        waiting, run.waiting = run.waiting, None
        if waiting is None:
            return None
        answer = answer_of(self._outlet.received)
        came = answer.value if isinstance(answer, Gave) else None
        if isinstance(answer, Gave):
            if isinstance(came, Message) and _is_of(waiting.model.kind, came):
                if waiting.is_changed and waiting.sender is not None:
                    waiting.model.changed_meanwhile(waiting.sender)
                run.messages[waiting.number] = (came, waiting.model)
                return None
            answer = Raised(DidNotCome() if came is None else CameAsAnother(type(came).__name__))
        done = replace(run.program, steps=run.program.steps[: waiting.step + 1])
        expectation = waiting.sending.expectation
        ids = () if run.was_refused and came is not None else expectation.ids
        return Disagreement(done, expectation, answer, frozenset(ids))

    def _call_producer(self, producer: Any, step: Step) -> object:
        if step.method == SEND:
            return self._shown(self._sends(producer, step))
        args = [self._given(step.method, arg) for arg in step.args]
        verb, _, name = step.method.partition("_")
        if verb == "get" and not args:
            return self._shown(getattr(producer, name))
        if verb == "set" and not hasattr(producer, step.method):
            setattr(producer, name, *args)
            return None
        return self._shown(getattr(producer, step.method)(*args))

    def _sends(self, producer: Any, step: Step) -> object:
        """A call of send: of a JMSProducer to a destination, of others with what is given."""
        run = self._run
        assert run is not None
        args: list[Any] = [
            run.message(arg.number)[0] if isinstance(arg, At) else self._given(SEND, arg)
            for arg in step.args
        ]
        if isinstance(run.model, JMSProducer):
            destination, body = args
            if isinstance(body, Null):
                return producer.send_null(destination, body.of)
            return producer.send(destination, body)
        message, destination, options = args
        given: dict[str, Any] = {} if destination is None else {"destination": destination}
        if options is not None:
            given.update(zip(("delivery_mode", "priority", "time_to_live"), options, strict=True))
        return producer.send(message, **given)

    def _shown(self, value: Any) -> object:
        if self._run is not None and value is self._run.producer:
            return ITSELF
        return super()._shown(value)


def follow(model: Producer, expectation: Expectation, answer: Gave | Raised) -> bool:
    """Let a producer's model follow a call; False: it may not end so."""
    permitted = expectation.ending(answer)
    if permitted is None:
        return False
    permitted.effect()
    model.suspects.follow(expectation)
    return True


def _delays(step: Step) -> bool:
    """Whether what is sent behind it comes later."""
    return step.method == "set_delivery_delay" and bool(step.args[0])


def _is_of(kind: str, message: Message) -> bool:
    """Whether a message is of a kind; one without a body may be of any."""
    return kind not in _INTERFACES or isinstance(message, _INTERFACES[kind])


def _now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
