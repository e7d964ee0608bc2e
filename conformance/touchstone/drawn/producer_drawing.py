"""How programs with a producer are drawn: what is set is sent, and what is sent is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.headers import STATEMENTS
from jms_model.jms_producer import HEADERS as OF_PRODUCERS
from jms_model.message import Message
from jms_model.producer_settings import DEFAULTS, LEGAL
from jms_model.properties import DELIVERY_COUNT
from touchstone.drawn.calls import Call, Operation
from touchstone.drawn.coming_again import COMING_AGAIN, programs_on_what_comes_again
from touchstone.drawn.drawing import programs, properties_of
from touchstone.drawn.full_messages import FULL, programs_on_full_messages
from touchstone.drawn.producer_calls import (
    CHANGES,
    OF_CONTEXTS,
    OF_SESSIONS,
    ON_MESSAGES,
    READ_BODY,
    READ_NAMES,
    VALUES,
    WRITES,
)
from touchstone.drawn.producer_driving import OTHER, OWN, Producer, model_of
from touchstone.drawn.program import (
    FOR_A_QUEUE,
    FOR_NONE,
    OF_A_CONTEXT,
    PRODUCER,
    SEND,
    At,
    Program,
    Step,
)
from touchstone.drawn.values import EQUALS, PROPERTY_NAMES, TUPLES

T = TypeVar("T")
PRODUCERS: Final = {
    "producers": (FOR_A_QUEUE, FOR_NONE),
    "JMSProducers": (OF_A_CONTEXT,),
}
"""The subjects of programs with a producer, and of which kinds it is."""
_LONGEST: Final = 30
_MOST: Final = 5
"""Sends of a program."""
_REFUSED: Final = 10
"""As a mode and as a priority."""
_ID: Final[Call] = ("get_jms_message_id", ())
_OF_OPTIONS: Final[Sequence[Call]] = [
    (f"get_{name}", ()) for name in ("jms_delivery_mode", "jms_priority", "jms_expiration")
]
"""What shows the options of a send."""
_END: Final = range(1)
_SENDS: Final = range(1, 7)
_ON_PRODUCER: Final = range(7, 13)
_WHAT: Final = st.integers(0, 16)
"""Whether the program ends, sends, or goes on with the producer; otherwise with a message."""
_HOW_MANY: Final = st.integers(1, 5)
_EITHER: Final = st.booleans()
_ONE_OF_SIX: Final = st.integers(0, 5)
_RARE: Final = st.sampled_from([True, *[False] * 11])
_WHETHER_CHANGED: Final = st.sampled_from([True, *[False] * 3])
_HEADERS: Final[Sequence[Call]] = [(f"get_{name}", ()) for name in STATEMENTS]


@cache
def _numbers_below(count: int) -> SearchStrategy[int]:
    """The strategies are kept: to make one takes longer than to draw from it."""
    return st.integers(0, count - 1)


def programs_about(subject: str, kinds: Sequence[str]) -> SearchStrategy[Program]:
    """Programs about a subject: of messages of these kinds, or of a producer that sends them."""
    if subject in PRODUCERS:
        return producer_programs(PRODUCERS[subject], kinds)
    if subject == FULL:
        return programs_on_full_messages(kinds)
    if subject == COMING_AGAIN:
        return programs_on_what_comes_again(kinds)
    return programs(subject, kinds)


@dataclass
class _Drawn:
    """A program that is being drawn, and the models that follow it."""

    draw: DrawFn
    kind: str
    producer: str
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model: Producer = model_of(self.producer)
        self.messages: list[Message | None] = [Message(self.kind)]

    def pick(self, values: Sequence[T]) -> T:
        """One of these."""
        return values[self.draw(_numbers_below(len(values)))]

    @property
    def there(self) -> list[int]:
        """The messages that there are, the latest first."""
        return [at for at, each in reversed([*enumerate(self.messages)]) if each is not None]

    def call(self, on: int, call: Call) -> None:
        """A call on a message or on the producer, as if it ended in the first permitted way."""
        self.steps.append(Step(on, *call))
        if on == PRODUCER:
            expectation = self.model.expect(*call)
            expectation.permitted[0].effect()
            self.model.suspects.follow(expectation)
        elif (message := self.messages[on]) is not None:
            expectation = message.expect(*call)
            message.follow(expectation, expectation.permitted[0])

    def drawn(self, operations: Sequence[Operation]) -> Call:
        """One of these calls, with values."""
        method, given = self.pick(operations)
        args: tuple[Any, ...] = ()
        for meaning in given:
            value = self.draw(VALUES[meaning])
            args += value if meaning in TUPLES else (value,)
        return method, args

    def send(self) -> None:
        """A send, and some looks at what has come of it; now and then it is sent once more."""
        args = self._of_context() if self.producer == OF_A_CONTEXT else self._of_session()
        self.send_with(args)
        latest = len(self.messages) - 1
        if latest < _MOST and self.messages[latest] is not None and self.draw(_RARE):
            self.call(latest, _ID)
            self.send_with(args)
            if self.messages[-1] is not None:
                self.call(len(self.messages) - 1, _ID)

    def send_with(self, args: tuple[Any, ...]) -> None:
        """A send with these arguments."""
        self.steps.append(Step(PRODUCER, SEND, args))
        sending = self.model.send(*map(self._given, args))
        expectation = sending.expectation
        expectation.permitted[0].effect()
        self.model.suspects.follow(expectation)
        self.messages.append(sending.arrive(0, 0) if sending.arrive else None)
        if sending.arrive is None:
            return
        sender = next((arg.number for arg in args if isinstance(arg, At)), None)
        latest = len(self.messages) - 1
        if sender is not None and self.draw(_WHETHER_CHANGED):
            self.change(sender)
        if args[-1] is not None and self.producer != OF_A_CONTEXT and self.draw(_EITHER):
            self.call(latest, self.pick(_OF_OPTIONS))
        for _ in range(self.draw(_HOW_MANY)):
            looks = self._looks(latest) * 2 + ([] if sender is None else self._looks(sender))
            self.call(*self.pick(looks))

    def _given(self, arg: Any) -> Any:
        return self.messages[arg.number] if isinstance(arg, At) else arg

    def _of_session(self) -> tuple[Any, ...]:
        message = None if self._seldom() else At(self.pick(self.there))
        needed = self.producer == FOR_NONE
        destination: Any = OWN if needed else None
        if self._seldom():
            destination = None if needed else OTHER
        options = self.draw(VALUES["options"]) if self.draw(_EITHER) else None
        return (message, destination, options)

    def _of_context(self) -> tuple[Any, ...]:
        destination = None if self._seldom() else OWN
        if self.draw(_EITHER):
            return (destination, self.draw(VALUES["body"]))
        number = self.pick(self.there)
        if self.draw(_WHETHER_CHANGED):
            self.override(number)
        return (destination, At(number))

    def override(self, number: int) -> None:
        """The producer is given a property that the message has, too, or a type."""
        message = self.messages[number]
        assert message is not None
        if message.properties.writable and message.properties.values:
            name = self.pick(sorted(message.properties.values))
            self.call(PRODUCER, ("set_property", (name, self.draw(VALUES["property"]))))
        else:
            self.call(PRODUCER, ("set_jms_type", (self.draw(VALUES["jms_type"]),)))

    def _seldom(self) -> bool:
        return self.draw(_RARE)

    def _looks(self, on: int) -> list[tuple[int, Call]]:
        """Reads of a message; of what may be wrong in it more."""
        message = self.messages[on]
        assert message is not None
        looks: list[Call] = [*_HEADERS, *READ_BODY[message.kind] * 2, *properties_of(message) * 3]
        looks += [("property_names", ()), ("get_int_property", (DELIVERY_COUNT,))]
        looks += [(f"get_{name}", ()) for name in message.headers.overwritten] * 6
        looks += [("get_object_property", (name,)) for name in message.properties.of_producer] * 6
        looks += [(f"get_{name}", ()) for name in message.headers.of_producer] * 2
        looks += [("get_jms_correlation_id_as_bytes", ())] * 6 * message.headers.came_as_bytes
        return [(on, look) for look in looks]

    def change(self, on: int) -> None:
        """A message is changed while it is on its way, and what arrives is looked at."""
        message = self.messages[on]
        assert message is not None
        writes = WRITES[message.kind] if message.body.writable else ()
        self.call(on, self.drawn(writes or CHANGES))
        latest = self.messages[-1]
        assert latest is not None
        looks = READ_BODY[latest.kind] if writes else properties_of(latest)
        self.call(len(self.messages) - 1, self.pick(looks or READ_NAMES))

    def on_message(self) -> None:
        """A call that writes a message, or looks at it."""
        on = self.pick(self.there)
        message = self.messages[on]
        assert message is not None
        if self.draw(_ONE_OF_SIX) < 2 and len(self.messages) > 1:
            self.call(*self.pick(self._looks(on)))
        else:
            self.call(on, self.drawn((*ON_MESSAGES, *WRITES[message.kind])))

    def set_behind_a_refusal(self) -> None:
        """What is set after another value was refused holds."""
        name = self.pick([*LEGAL])
        for value in (_REFUSED, self.pick(LEGAL[name])):
            self.call(PRODUCER, (f"set_{name}", (value,)))
        self.call(PRODUCER, (f"get_{name}", ()))

    def set_again(self) -> None:
        """A property of a JMSProducer is set to an equal value of another type."""
        name = self.pick(PROPERTY_NAMES)
        for value in self.draw(EQUALS):
            self.call(PRODUCER, ("set_property", (name, value)))
        self.call(PRODUCER, ("get_object_property", (name,)))

    def clear_between_two_reads(self) -> None:
        """What a JMSProducer has beside its properties stays when these are cleared."""
        name = self.pick((*OF_PRODUCERS, *DEFAULTS))
        self.call(PRODUCER, (f"set_{name}", (self.draw(VALUES[name]),)))
        for method in (f"get_{name}", "clear_properties", f"get_{name}"):
            self.call(PRODUCER, (method, ()))

    def on_producer(self) -> None:
        """A call on the producer; close is seldom, since little comes behind it."""
        is_of_context = self.producer == OF_A_CONTEXT
        if self.draw(_RARE):
            self.set_behind_a_refusal()
            return
        if is_of_context and self.draw(_RARE):
            self.pick((self.clear_between_two_reads, self.set_again))()
            return
        self.call(PRODUCER, self.drawn(OF_CONTEXTS if is_of_context else OF_SESSIONS))


@st.composite
def producer_programs(draw: DrawFn, producers: Sequence[str], kinds: Sequence[str]) -> Program:
    """Programs with such a producer, and a message of one of the kinds."""
    drawn = _Drawn(draw, draw(st.sampled_from(kinds)), draw(st.sampled_from(producers)))
    while len(drawn.steps) < _LONGEST and (what := draw(_WHAT)) not in _END:
        if what in _SENDS and len(drawn.messages) <= _MOST:
            drawn.send()
        elif what in _ON_PRODUCER:
            drawn.on_producer()
        else:
            drawn.on_message()
    return Program(drawn.kind, drawn.steps, drawn.producer)
