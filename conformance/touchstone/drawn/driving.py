"""A program at work: on the client, and on the model that says what is permitted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol, cast, runtime_checkable

from jms_clients.errors import NotInThisVersion
from jms_model.answers import Answer, Expectation, Gave, Raised, succeeds
from jms_model.bodies import PYTHON_TYPES
from jms_model.headers import Name
from jms_model.message import Message as Model
from jms_model.properties import (
    DELIVERY_COUNT,
    PROVIDER_NAMES,
    UNLISTED,
    UNREAD,
    WRONG_NAMES,
    wrong_by_itself,
)
from jms_model.whole_bodies import GOT, SET
from jmsapi import JMSContext, Message, ObjectMessage, Queue, Session, Topic
from touchstone.drawn.program import (
    AGAIN,
    ARRIVE,
    SEND,
    Program,
    Step,
    attribute_of,
    in_short,
    is_attribute,
)
from touchstone.outcomes.failures import is_raised_by_client
from touchstone.verdicts import PROGRAM_FOLLOWS

MAKERS: Final = {
    "message": "create_message",
    "text": "create_text_message",
    "bytes": "create_bytes_message",
    "map": "create_map_message",
    "stream": "create_stream_message",
    "object": "create_object_message",
}


_ASKS_FOR_A_TYPE: Final = ("get_body", "is_body_assignable_to")
_SENT: Final = Expectation([succeeds()], ["JMS-BODY-001", "JMS-BODY-002", "JMS-PROP-011"])
_AGAIN: Final = Expectation([succeeds()], [])
_SENT_BY_ANOTHER: Final = replace(_SENT, ids=[*_SENT.ids, "JMS-DEST-007"])
Trip = Callable[[Message], Message | None]
"""Sends a message and receives it, or has it delivered again; None: it did not come."""


def _never_again(_: Message) -> None:
    """Nothing is given back."""


class DidNotCome(Exception):
    """A message was sent, and nobody received it, or nobody was told that it was sent."""


class DidNotEnd(Exception):
    """A close did not come back, though the listeners that it has to wait for had ended."""


@runtime_checkable
class DoesWithout(Protocol):
    """Who leaves out the steps that the client's version of JMS has not got."""

    lacked: set[str]
    """What of it they would have called."""


class Asks(Protocol):
    """Who asks which step it is."""

    def __call__(self, step: object, /) -> object:
        """It begins now."""
        ...


def ask_nobody(_: object) -> None:
    """Nobody asks."""


def answer_of(call: Callable[[], object], *also: type[Exception]) -> Answer:
    """How a call of the client ends; other errors are raised, unless they are of `also`."""
    try:
        return Gave(call())
    except Exception as error:
        is_too_new = isinstance(error, NotInThisVersion)
        if not isinstance(error, also) and (is_too_new or not is_raised_by_client(error)):
            raise
        return Raised(error)


class Steps(Protocol):
    """A program, of whatever steps."""

    @property
    def steps(self) -> Sequence[Any]: ...


@dataclass(frozen=True)
class Disagreement:
    """A call that ended as the model does not permit."""

    program: Steps
    """Up to this call."""
    expectation: Expectation
    answer: Answer
    ids: frozenset[str]
    """The statements that it breaks."""

    @property
    def signature(self) -> str:
        """What was wrong without its values: the same, whatever program shows it."""
        of = self.expectation.of
        call = self.program.steps[-1].method
        if call.startswith("set_") and call.endswith("_property"):
            call = "set_property"
        parts = (
            call,
            of and f"of a {of} message",
            self.expectation.situation,
            self.expectation.words_of(self.answer),
        )
        return " ".join(filter(None, parts))

    @property
    def is_about_body(self) -> bool:
        """Whether it is a matter of bodies, as of any message that does not arrive."""
        return bool(self.expectation.of) or self.program.steps[-1].method == SEND

    @property
    def shown(self) -> str:
        """What was seen, and by which program."""
        seen = self.answer.error if isinstance(self.answer, Raised) else self.answer.value
        return f"{in_short(seen)}{PROGRAM_FOLLOWS}{self.program}"

    def __str__(self) -> str:
        return f"{self.signature}\npermitted: {self.expectation.words}\nseen: {self.shown}"


@dataclass
class Driver:
    """Runs programs on one client."""

    session: Session
    trip: Trip
    context: JMSContext | None = None
    """What makes the messages of some programs."""
    decided: Counter[str] = field(default_factory=Counter)
    """How often the client answered as the statement wants it."""
    steps: int = 0
    trips_left: float = math.inf
    """How many messages may still be sent: on a busy machine each takes its time."""
    begins: Asks = field(default=ask_nobody)
    """Told of each step before it is made."""
    lacked: set[str] = field(default_factory=set)
    """What steps were left out for: the client's version of JMS has not got it."""
    again: Trip = _never_again
    """Gives a received message back and receives it again."""
    _destinations: dict[Name, Queue | Topic] = field(default_factory=dict)

    def holds(self, each: Disagreement, *, doubted: bool) -> bool:
        """None is looked at twice."""
        return True

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program; it ends where what the client has done is not known any more.

        What would be done with a message that is not sent any more is left out.
        """
        messages: list[tuple[Message, Model] | None] = [
            (self._new_message(program), Model.made_of(program.kind, *program.body))
        ]
        originals: dict[int, Model] = {}
        for number, step in enumerate(program.steps, start=1):
            arrives = step.method in ARRIVE
            if (pair := messages[step.on]) is None or (arrives and not self.trips_left):
                messages += [None] * arrives
                continue
            real, model = pair
            self.steps += 1
            self.begins(step)
            if arrives:
                if step.method == AGAIN:
                    expectation, answer = _AGAIN, self._arrives(self.again, real)
                else:
                    is_of_another = step.on == 0 and self._made_by(program) is not self.session
                    expectation = _SENT_BY_ANOTHER if is_of_another else _SENT
                    answer = self._arrives(self.trip, real)
                if isinstance(answer, Gave):
                    comes = originals[step.on] if step.method == AGAIN else model.sent()
                    originals[len(messages)] = comes.delivered_again()
                    messages.append((cast(Message, answer.value), comes))
            else:
                expectation = model.expect(step.method, step.args)
                try:
                    answer = answer_of(partial(self._call, real, step))
                except NotInThisVersion as error:
                    self.lacked.add(error.what)
                    continue
            if model.ended(expectation, answer):
                self.decided.update(expectation.ids)
                continue
            if ids := expectation.broken_by(answer):
                done = replace(program, steps=program.steps[:number])
                yield Disagreement(done, expectation, answer, frozenset(ids))
            if not is_harmless(step.method, expectation, answer):
                return

    def _made_by(self, program: Program) -> Session | JMSContext:
        return self.context if program.by_context and self.context else self.session

    def _new_message(self, program: Program) -> Message:
        given = [deepcopy(each) for each in program.body]
        made = getattr(self._made_by(program), MAKERS[program.kind])(*given)
        for each in given:
            _change(each, SET)
        return cast(Message, made)

    def _arrives(self, by: Trip, message: Message) -> Answer:
        self.trips_left -= 1
        answer = answer_of(partial(by, message))
        return Raised(DidNotCome()) if answer == Gave(None) else answer

    def _call(self, message: Any, step: Step) -> object:
        if step.method == PROVIDER_NAMES:
            return _wrong_names(message)
        args = [self._given(step.method, arg) for arg in step.args]
        got = None
        if not is_attribute(step.method, step.args):
            got = getattr(message, step.method)(*args)
        elif args:
            setattr(message, attribute_of(step.method), *args)
        else:
            got = getattr(message, attribute_of(step.method))
        shown = self._shown(got)
        if isinstance(message, ObjectMessage):
            for each in args:
                _change(each, SET)
            _change(got, GOT)
        return shown

    def _given(self, method: str, value: Any) -> Any:
        if isinstance(value, Name):
            return self._destination(value)
        if isinstance(value, list | dict):
            return deepcopy(value)
        return PYTHON_TYPES[value] if method in _ASKS_FOR_A_TYPE else value

    def _destination(self, name: Name) -> Queue | Topic:
        if name not in self._destinations:
            queue = name.kind == "queue"
            create = self.session.create_queue if queue else self.session.create_topic
            self._destinations[name] = create(name.name)
        return self._destinations[name]

    def _shown(self, value: Any) -> object:
        """What a call gave, as the model has it."""
        if isinstance(value, (Queue, Topic)):
            shown = _destination_name(value)
            known = self._destinations.items()
            return next((name for name, own in known if _destination_name(own) == shown), shown)
        if isinstance(value, bytearray):
            return bytes(value)
        if isinstance(value, Mapping):
            return {key: self._shown(each) for key, each in value.items()}
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            return [self._shown(each) for each in value]
        return value


def _wrong_names(message: Message) -> list[str]:
    """What is wrong with the names that the provider adds, the first by name first."""
    listed = [name for name in message.property_names() if name.startswith("JMS")]
    wrong = [words for name in listed if (words := wrong_by_itself(name))]
    unread = [UNREAD for name in listed if not _is_read(message, name)]
    hidden = DELIVERY_COUNT not in listed and _is_read(message, DELIVERY_COUNT)
    return sorted([*unread, *[UNLISTED] * hidden, *wrong], key=[*WRONG_NAMES].index)


def _is_read(message: Message, name: str) -> bool:
    if not message.property_exists(name):
        return False
    answer = answer_of(partial(message.get_object_property, name))
    return isinstance(answer, Gave) and answer.value is not None


def _change(value: object, mark: str) -> None:
    """What an application does with an object that it has given or got, to any depth."""
    if isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            _change(each, mark)
    if isinstance(value, list):
        value.append(mark)
    elif isinstance(value, dict):
        value[mark] = mark


def is_harmless(method: str, expectation: Expectation, answer: Answer) -> bool:
    """Whether nothing has changed, although the model does not permit that end of the call.

    A body that is read in order may stand anywhere then; one that is to be reset may not be.
    """
    if method.startswith("set_"):
        return isinstance(answer, Raised)
    shows = bool(expectation.reads) and not expectation.keeps
    return shows and not method.startswith("read_")


def _destination_name(destination: Queue | Topic) -> Name:
    if isinstance(destination, Queue):
        return Name("queue", destination.queue_name)
    return Name("topic", destination.topic_name)
