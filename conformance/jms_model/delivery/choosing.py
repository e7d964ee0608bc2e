"""Selectors of consumers, and the messages that they choose from (JMS 2.0, section 3.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from jms_model.properties import HEADER_FIELDS
from jms_model.selectors.conditions import TRUE, Between, Comparison, Condition, In, IsNull, Like
from jms_model.selectors.logic import Junction, Not
from jms_model.selectors.selector import Selector
from jms_model.selectors.values import Identifier, Literal

NUMBER: Final = "number"
"""The property by which a message is known."""
TYPE: Final = "JMSType"
KINDS: Final[Mapping[int, Mapping[str, int | str]]] = {
    1: {"x": 1},
    2: {"x": 2},
    3: {"s": "apple"},
    4: {"x": 3, "s": "bee", TYPE: "T1"},
    5: {"x": 1, "s": "ape", TYPE: "T2"},
}
"""What each kind of message has of properties, and of header fields."""
CORRELATION: Final = "JMSCorrelationID"
LONG: Final = "l"
"""The property whose values are longs."""
_BESIDES: Final[Sequence[Mapping[str, int | str | bool]]] = (
    {},
    {"w": "null", CORRELATION: "null"},
    {LONG: 2**40, "w": ""},
    {"b": False, CORRELATION: "\u00dcber \u4e2d/1"},
    {"w": "\u00e4 %2F+\u20ac", LONG: -1},
    {"b": True, CORRELATION: " 7 "},
    {"w": "true", LONG: -(2**63)},
)
"""What messages have besides, in turn: no selector asks for it, yet it has to arrive."""
_SET_BY_PROVIDERS: Final = {"JMSPriority": 4, "JMSDeliveryMode": "PERSISTENT"}
"""What all messages have that are sent without saying otherwise (JMS 2.0, 7.7 and 7.8)."""
_X, _S = Identifier("x"), Identifier("s")
_IS_1: Final = Comparison(_X, "=", Literal(1))
_CONDITIONS: Final[tuple[Condition, ...]] = (
    _IS_1,
    Comparison(_X, ">", Literal(1)),
    Comparison(_X, "<>", Literal(1)),
    Not(_IS_1),
    Junction(_IS_1, "OR", IsNull(_X, inverse=False)),
    Junction(_IS_1, "AND", Like(_S, "a%", "", inverse=False)),
    Between(_X, Literal(2), Literal(3), inverse=False),
    IsNull(_S, inverse=False),
    Like(_S, "a%", "", inverse=False),
    In(_S, ("apple", "bee"), inverse=False),
    Comparison(Identifier(TYPE), "=", Literal("T1")),
    Comparison(Identifier("JMSPriority"), "=", Literal(4)),
    Comparison(Identifier("JMSDeliveryMode"), "=", Literal("NON_PERSISTENT")),
)
CONDITIONS: Final[Mapping[str, Condition]] = {Selector(each).text: each for each in _CONDITIONS}
"""Selectors by their texts."""
X_IS_1: Final = Selector(_IS_1).text


def fields_of(number: int, kind: int) -> dict[str, int | str | bool]:
    """What a message of this number and kind has of properties, and of header fields."""
    return {NUMBER: number, **KINDS[kind], **_BESIDES[number % len(_BESIDES)]}


HEADERS: Final = (TYPE, CORRELATION)
"""The fields that are of the header, and no properties."""
PROPERTIES: Final = sorted(
    {NUMBER, *(name for fields in (*KINDS.values(), *_BESIDES) for name in fields)} - {*HEADERS}
)
"""All that a message may have."""


def content_of(
    text: str, number: int, kind: int
) -> tuple[str, dict[str, int | str | bool], object, object, bool, bool]:
    """What an application reads of such a message: also that it has no reply destination, nor
    JMSXState.
    """
    fields = fields_of(number, kind)
    kind_of, correlation = (fields.pop(name, None) for name in HEADERS)
    return text, fields, kind_of, correlation, False, False


def words_of(selector: str | None) -> str:
    """For people, by what a message was chosen."""
    if not selector:
        return ""
    name = selector.split()[0]
    return f", chosen by {name if name in HEADER_FIELDS else 'a selector'}"


def kind_of(selector: str) -> str:
    """For people, what a selector is at its top: AND, LIKE and so on."""
    return CONDITIONS[selector].kind


def chooses(selector: str | None, kind: int) -> bool:
    """Whether a consumer with this selector gets messages of this kind: none, or "", means all."""
    if not selector:
        return True
    return CONDITIONS[selector].truth({**_SET_BY_PROVIDERS, **KINDS[kind]}) == TRUE
