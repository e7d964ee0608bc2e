"""Programs at work in which another Pulsar client writes, and JMS receives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Protocol

from jms_model.answers import Answer, Gave, Raised
from jms_model.headers import Name
from jms_model.pulsar_wire.at_the_receiver import HIDDEN
from jms_model.pulsar_wire.foreign import Foreign, looks_at_foreign, looks_at_forwarded
from jms_model.pulsar_wire.looks import NUMBER, Raw
from jms_model.pulsar_wire.sent import SYNCHRONOUS, Known, MessageToSend
from jmsapi import Byte, Destination, Double, Float, Int, Long, Message, Short
from touchstone.drawn.driving import DidNotCome, Disagreement, answer_of
from touchstone.drawn.pulsar_wire.exchange import Form
from touchstone.drawn.pulsar_wire.looking import Looking, in_turn
from touchstone.drawn.pulsar_wire.program import Program
from touchstone.drawn.pulsar_wire.reading import number_in

_MESSAGE_TYPE: Final = "JMSPulsarMessageType"
_OF_EACH: Final[Mapping[str, object]] = {
    "boolean": True,
    "byte": Byte(1),
    "short": Short(1),
    "int": Int(1),
    "long": Long(1),
    "float": Float(1.0),
    "double": Double(1.0),
}
"""A property of each type that has companions."""


class ProgramTopic(Protocol):
    """The destination of a program, and examples of what the client itself writes."""

    def examples(self, sent: Sequence[MessageToSend]) -> Mapping[int, Raw]: ...
    def send_on(self, message: Message, sent: MessageToSend, known: Known) -> Known: ...
    def send_raw(self, messages: Sequence[Form]) -> None: ...
    def end(self) -> None: ...
    def full_name(self, name: str) -> str: ...
    def topic_of(self, destination: Destination) -> str: ...
    def received(self) -> Iterator[Answer]: ...
    def close(self) -> None: ...


@dataclass
class ForeignDriver(Looking):
    """Runs programs on one client, which receives what another has written."""

    _companions: dict[type, Mapping[str, str]] = field(default_factory=dict)
    """What stands behind a property of each type: by the end of its name, its text."""

    def disagreements(self, program: Program) -> Iterator[Disagreement]:
        """Those of a program."""
        steps = [step if isinstance(step, Foreign) else None for step in program.steps]
        written = {number: step for number, step in enumerate(steps) if step is not None}
        if self.trips_left <= 0 or not written:
            return
        self.trips_left -= len(written)
        with closing(self.opened(program)) as topic:
            if not self._companions:
                self._learn(topic)
            raw = self._forms(topic, written)
            sent = {number: _with_full_name(written[number], topic) for number in raw}
            for number in raw:
                self.steps += 1
                self.begins(sent[number])
            topic.send_raw([*raw.values()])
            topic.end()
            messages: dict[int, Message] = {}
            first = self._judged_received(program, topic, sent, messages)
            yield from in_turn(first, self._judged_onward(program, sent, messages))

    def _judged_onward(
        self, program: Program, sent: Mapping[int, Foreign], messages: Mapping[int, Message]
    ) -> Iterator[Disagreement]:
        """What was received is sent on, and has to be there as it was received."""
        if not program.onward or not messages:
            return
        with closing(self.opened(program)) as topic:
            for number, message in messages.items():
                self.trips_left -= 1
                how = program.onward[number % len(program.onward)]
                answer_of(partial(topic.send_on, message, how, Known(0, 0)))
            topic.end()
            for answer in topic.received():
                came = answer.value if isinstance(answer, Gave) else None
                number = int(number_in(came) or -1) if isinstance(came, Message) else -1
                if number in messages:
                    for look in looks_at_forwarded(sent[number]):
                        yield from self.asked(program, [number], look, came, topic.topic_of)

    def _learn(self, topic: ProgramTopic) -> None:
        """Find the companions of each type, which documents spell in two ways."""
        example = MessageToSend(
            SYNCHRONOUS, "text", "example", {f"of {n}": v for n, v in _OF_EACH.items()}
        )
        for raw in topic.examples([example]).values():
            for name, value in _OF_EACH.items():
                begin = f"of {name}_"
                self._companions[type(value)] = {
                    key.removeprefix(f"of {name}"): text
                    for key, text in raw.properties.items()
                    if key.startswith(begin)
                }

    def _forms(self, topic: ProgramTopic, written: Mapping[int, Foreign]) -> Mapping[int, Form]:
        """The raw messages; those of which the client wrote no example are left out."""
        numbers = [number for number, each in written.items() if each.kind is not None]
        sent = [
            MessageToSend(SYNCHRONOUS, str(written[n].kind), written[n].content) for n in numbers
        ]
        written_raw = topic.examples(sent) if sent else {}
        examples = {numbers[at]: raw for at, raw in written_raw.items()}
        forms: dict[int, Form] = {}
        for number, each in written.items():
            properties = {
                NUMBER: str(number),
                **each.texts,
                **each.odd,
                **_with_full_name(each, topic).headers,
                **each.typed_texts,
            }
            for name, value in each.typed.items():
                behind = self._companions.get(type(value), {})
                properties.update({name + end: text for end, text in behind.items()})
            payload = each.content if isinstance(each.content, bytes) else None
            if each.kind is not None:
                raw = examples.get(number)
                if raw is None or _MESSAGE_TYPE not in raw.properties:
                    continue
                payload = None if raw.null_value else raw.payload
                properties[_MESSAGE_TYPE] = raw.properties[_MESSAGE_TYPE]
            forms[number] = (payload, properties, each.key)
        return forms

    def _judged_received(
        self,
        program: Program,
        topic: ProgramTopic,
        sent: Mapping[int, Foreign],
        messages: dict[int, Message],
    ) -> Iterator[Disagreement]:
        missing = dict(sent)
        for answer in topic.received():
            message = answer.value if isinstance(answer, Gave) else None
            if not isinstance(message, Message):
                yield from self._judged_loss(program, missing, answer)
                return
            number = int(number_in(message) or -1)
            if number in missing:
                messages[number] = message
                for look in looks_at_foreign(missing.pop(number)):
                    for each in self.asked(program, [number], look, message, topic.topic_of):
                        if HIDDEN not in look.expectation.ids:
                            messages.pop(number, None)
                        yield each
        if missing:
            yield from self._judged_loss(program, missing, Raised(DidNotCome()))

    def _judged_loss(
        self, program: Program, missing: Mapping[int, Foreign], answer: Answer
    ) -> Iterator[Disagreement]:
        """The next message did not come, or the client failed to give it."""
        shown = answer if isinstance(answer, Raised) else Raised(DidNotCome())
        for number, each in [*missing.items()][:1]:
            look = next(looks_at_foreign(each))
            yield from self.judged(program, [number], look, shown)


def _with_full_name(foreign: Foreign, topic: ProgramTopic) -> Foreign:
    """The same, with the full name of its reply destination."""
    if foreign.reply is None:
        return foreign
    return replace(foreign, reply=Name("", topic.full_name(foreign.reply.name)))
