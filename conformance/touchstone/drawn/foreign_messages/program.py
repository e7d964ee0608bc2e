"""A program with messages of other classes, as data, and how it is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.bodies import TEN
from jms_model.foreign_messages import JMS, MAKES, ForeignMessage, Odd
from jms_model.properties import TYPES
from jmsapi import Int
from touchstone.drawn import lockstep
from touchstone.drawn.lockstep import Program
from touchstone.drawn.values import ARGUMENTS, ENTRY_NAMES, HEADER_TEXTS, PROPERTY_NAMES

FORMS: Final = ("producer", "unidentified", "options", "JMSProducer")
"""How a message is sent."""
LOOKS: Final = ("kind", "own_class", "properties", "type", "correlation", "reply", "body")
"""What is looked at of what arrives; a body is read last."""
_KINDS: Final = ("text", "text", "bytes", "map", "object", "stream", "message")
_NAMES: Final = (*PROPERTY_NAMES, "b", "_c", "日本", "null_", "d" * 100)
_ODD: Final = st.sampled_from([None] * 7 + [*Odd])
_ONE_OF_THREE: Final = st.integers(0, 2).map(lambda number: number == 2)
_ONE_OF_SIX: Final = st.integers(0, 5).map(lambda number: number == 5)
_CORRELATIONS: Final = st.sampled_from([*HEADER_TEXTS, None])
_SENDS: Final = st.sampled_from([1, 1, 1, 2])
_COUNT: Final = st.integers(1, 2)


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call, or one look."""

    def __str__(self) -> str:
        if self.on == MAKES:
            [spec] = self.args
            whose = "the client's own" if spec.is_own else "a foreign"
            return f"{self.makes} = {whose} {spec.kind} message of {_display_text(spec)}"
        if self.method == "send":
            return f"{self.on} is sent by {self.args[0]}"
        called = f"{self.on}: {self.method.replace('_', ' ')}"
        return f"{self.makes} = {called}" if self.makes else called


def _display_text(spec: ForeignMessage) -> str:
    has = {
        "body": spec.body,
        "properties": dict(spec.properties),
        "JMSType": spec.jms_type,
        "JMSCorrelationID": spec.correlation_id,
    }
    given = [f"{name} {value!r}" for name, value in has.items() if value not in (None, {})]
    return ", ".join([*given, *(["a JMSReplyTo"] if spec.replies else [])]) or "nothing"


def _value(type_: str) -> SearchStrategy[Any]:
    return ARGUMENTS["text" if type_ == "string" else type_]


def _bodies(draw: DrawFn, kind: str) -> Any:
    match kind:
        case "text":
            return draw(ARGUMENTS["text or null"])
        case "bytes":
            return draw(ARGUMENTS["bytes"])
        case "object":
            return draw(ARGUMENTS["object"])
        case "map" | "stream":
            types = [type_ for type_ in TEN if kind == "map" or type_ != "bytes"]
            types = draw(st.permutations(types))[: draw(st.integers(0, len(types)))]
            items = [draw(_value(type_)) for type_ in types]
            return dict(zip(ENTRY_NAMES, items, strict=False)) if kind == "map" else items
    return None


def _properties(draw: DrawFn, *, of_vendor: bool) -> Mapping[str, Any]:
    types = draw(st.permutations([*TYPES]))[: draw(st.integers(0, len(TYPES)))]
    values = [draw(_value(type_).filter(_is_told_by_brokers)) for type_ in types]
    properties = dict(zip(draw(st.permutations(_NAMES)), values, strict=False))
    if draw(_ONE_OF_SIX):
        properties |= {"JMSXGroupID": "größe/1", "JMSXGroupSeq": Int(3)}
    odd = draw(_ODD) if of_vendor else None
    return {"odd": odd, **properties} if odd else properties


def _is_told_by_brokers(value: object) -> bool:
    """Whether it is no number that some brokers end a connection for, whoever sends it."""
    return not isinstance(value, float) or math.isfinite(value)


@st.composite
def specs(draw: DrawFn, document: str) -> ForeignMessage:
    """A message of any kind, with odd values where the document has a word on these."""
    of_vendor = document != JMS
    kind = draw(st.sampled_from(_KINDS))
    is_own = of_vendor and draw(_ONE_OF_SIX)
    body = _bodies(draw, kind)
    if of_vendor and kind == "object" and not is_own and draw(_ONE_OF_THREE):
        body = Odd.UNREADABLE
    return ForeignMessage(
        kind,
        body,
        _properties(draw, of_vendor=of_vendor and not is_own),
        draw(ARGUMENTS["jms_type"]),
        draw(_CORRELATIONS),
        not is_own and draw(_ONE_OF_THREE),
        is_own,
    )


@st.composite
def programs(draw: DrawFn, document: str) -> Program:
    """A message or two are sent, some again, and all is looked at where they arrive."""
    steps: list[Step] = []
    for number in range(draw(_COUNT)):
        name = f"m{number}"
        steps.append(Step(MAKES, "make", (draw(specs(document)),), name))
        for time in range(draw(_SENDS)):
            steps.append(Step(name, "send", (draw(st.sampled_from(FORMS)),)))
            steps.append(Step(name, "arrives", (), came := f"r{number}{time}"))
            steps += [Step(name, "header"), Step(name, "asked")]
            steps += [Step(came, look) for look in LOOKS]
    return Program(steps)
