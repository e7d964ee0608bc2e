"""How selectors and messages are drawn: of few values, so that each meets the others."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.properties import GROUP, GROUP_SEQUENCE
from jms_model.selectors.conditions import (
    EQUALITY,
    RELATIONS,
    Between,
    Comparison,
    Condition,
    Flag,
    In,
    IsNull,
    Like,
)
from jms_model.selectors.logic import Junction, Not
from jms_model.selectors.selector import CASES, SPACE, TIGHT, Selector
from jms_model.selectors.values import Identifier, Literal, Signed, Sum, Value
from jmsapi.values import Byte, Double, Float, Int, Long, Short
from touchstone.drawn.selectors.program import (
    EMPTY_SELECTOR,
    NO_SELECTOR,
    Browse,
    Program,
    SendStep,
)

_BIGGEST: Final = 2**63 - 1
_EXTREMES: Final = (_BIGGEST, _BIGGEST - 1, -_BIGGEST, -_BIGGEST - 1)
_WHOLE: Final = (-3, -1, 0, 1, 2, 5)
_HALVES: Final = (-2.5, -1.0, 0.0, 0.5, 1.5, 2.0)
_TEXTS: Final = ("a", "A", "ab", "abc", "a%c", "a_c", "a\nc", "b", "it's", "größe", "", "5", "TRUE")
_TYPES: Final = {
    "i": Int,
    "I": Int,
    "n": Byte,
    "h": Short,
    "l": Long,
    "größe": Int,
    "$x_1": Int,
    "d": Double,
    "e": Float,
    "s": str,
    "t": str,
    "b": bool,
    "c": bool,
}
"""Properties by name, with the type that they mostly have."""
_VALUES: Final[Mapping[type[Any], SearchStrategy[Any]]] = {
    **{kind: st.sampled_from(_WHOLE).map(kind) for kind in (Int, Byte, Short)},
    Long: st.sampled_from((*_WHOLE, *_EXTREMES)).map(Long),
    **{kind: st.sampled_from(_HALVES).map(kind) for kind in (Double, Float)},
    str: st.sampled_from(_TEXTS),
    bool: st.booleans(),
}
_OF_NUMBERS: Final = [name for name, kind in _TYPES.items() if kind not in (str, bool)]
_CALCULATED: Final = ["i", "n", "h", "d", "e"]
"""Those that are small enough for every sum."""
_OF_TEXTS: Final = ["s", "s", "t", "JMSType", "JMSCorrelationID", "JMSDeliveryMode"]
_OF_BOOLEANS: Final = ["b", "c"]
_NO_GROUP: Final = GROUP.lower()
"""A property like any other."""
_GROUPS: Final = ("a", "A", "ab")
_IN_GROUP: Final = (1, 2, 5)
_ONE_IN_EIGHT: Final = st.sampled_from([False] * 7 + [True])
_PATTERNS: Final = (
    *(("a%", ""), ("_b%", ""), ("%c", ""), ("a", ""), ("", ""), ("%", ""), ("__", "")),
    *(("%'%", ""), ("a!%c", "!"), ("a!_%", "!"), ("a\\_c", "\\"), ("%", "!"), ("gr__e", "")),
)
"""Each with its escape character, if it has one."""
_SHORT: Final = ["".join(text) for count in range(4) for text in product("ab", repeat=count)]
_END: Final = st.sampled_from(_SHORT)
_SHORT_PATTERNS: Final = st.one_of(
    st.lists(st.sampled_from(["a", "b", "ab", "_", "%"]), min_size=1, max_size=4).map("".join),
    st.builds("{}%{}".format, _END, _END),
)
"""Of texts and patterns of two letters the beginning of one is the end of another."""
_NUMBERS: Final = (
    *(Literal(value) for value in (*_WHOLE, 127, _BIGGEST)),
    *(Literal(5, "+5"), Literal(0.5), Literal(-2.5), Literal(2.0, "2."), Literal(1.5, "15E-1")),
    *(Literal(2.0, "+2e0"), Literal(-1.0, "-1.0E+0")),
)
_SMALL: Final = tuple(each for each in _NUMBERS if each.value not in (127, _BIGGEST))
_LOOKALIKES: Final = ("5", "1.5", "TRUE")
"""Texts that read like values of other types."""
_UNLIKE: Final = (Literal("5"), Literal("a"), Literal(5), Literal(1.5), Literal(True))


@st.composite
def messages(draw: DrawFn) -> Mapping[str, object]:
    """The properties and header fields of one message; about one property in four is missing."""
    values: dict[str, object] = {}
    for name, kind in _TYPES.items():
        if not draw(st.sampled_from([True, True, True, False])):
            continue
        if draw(_ONE_IN_EIGHT):
            kind = draw(st.sampled_from([*_VALUES]))
        values[name] = draw(_VALUES[kind])
    values["JMSPriority"] = draw(st.sampled_from([0, 4, 5, 9]).map(Int))
    values["JMSType"] = draw(st.sampled_from([None, "a", "abc"]))
    values["JMSCorrelationID"] = draw(st.sampled_from([None, "ab", "it's"]))
    values["JMSDeliveryMode"] = draw(st.sampled_from(["PERSISTENT", "NON_PERSISTENT"]))
    return values


def _identifier(names: list[str]) -> SearchStrategy[Value]:
    return st.sampled_from(names).map(Identifier)


def _numbers(depth: int) -> SearchStrategy[Value]:
    """Expressions that are numbers, of so many levels at most."""
    if depth == 0:
        return st.one_of(_identifier(_CALCULATED), st.sampled_from(_SMALL))
    inner = _numbers(depth - 1)
    signed = st.builds(Signed, st.sampled_from("+-"), _identifier(_CALCULATED))
    sums = st.builds(Sum, inner, st.sampled_from("+-*"), inner)
    return st.one_of(_identifier([*_OF_NUMBERS, "JMSPriority"]), signed, sums)


def _literals(texts: tuple[str, ...]) -> SearchStrategy[Value]:
    return st.sampled_from((*texts, "PERSISTENT", "NON_PERSISTENT")).map(Literal)


_RELATIONS: Final = st.sampled_from([*RELATIONS, "=", "="])
_EQUALITY: Final = st.sampled_from(EQUALITY)
_NUMBER: Final = _numbers(2)
_INVERSE: Final = st.booleans()
_LIKES: Final[SearchStrategy[Condition]] = st.builds(
    lambda tested, pattern, inverse: Like(tested, pattern[0], pattern[1], inverse),
    _identifier(_OF_TEXTS),
    st.sampled_from(_PATTERNS),
    _INVERSE,
)
_SMALL_ONE: Final = st.sampled_from(_SMALL)
_SOME_TEXTS: Final = st.lists(st.sampled_from(_TEXTS), min_size=1, max_size=3)
_LEAVES: Final[SearchStrategy[Condition]] = st.one_of(
    st.builds(Comparison, _NUMBER, _RELATIONS, st.sampled_from(_NUMBERS)),
    st.builds(Comparison, _NUMBER, _RELATIONS, _numbers(1)),
    st.builds(Comparison, _identifier(_OF_NUMBERS), _RELATIONS, _identifier(_OF_NUMBERS)),
    st.builds(Comparison, _identifier(["l"]), _RELATIONS, st.sampled_from(_EXTREMES).map(Literal)),
    st.builds(Comparison, _identifier(_OF_TEXTS), _EQUALITY, _literals(_TEXTS)),
    st.builds(
        Comparison,
        _identifier(_OF_BOOLEANS),
        _EQUALITY,
        st.sampled_from([True, False]).map(Literal),
    ),
    st.builds(Comparison, _identifier([*_TYPES]), _EQUALITY, st.sampled_from(_UNLIKE)),
    st.builds(Flag, _identifier(_OF_BOOLEANS)),
    st.builds(Between, _NUMBER, _SMALL_ONE, _SMALL_ONE, _INVERSE),
    st.builds(
        In,
        _identifier(_OF_TEXTS),
        _SOME_TEXTS,
        _INVERSE,
    ),
    _LIKES,
    st.builds(IsNull, _identifier([*_TYPES, "JMSType", "JMSCorrelationID"]), _INVERSE),
)


def _seldom_together() -> SearchStrategy[Condition]:
    """Two conditions of one kind; a text that reads like something else, and what it reads like."""
    word, of_nothing = st.sampled_from(["AND", "OR"]), _identifier(["t", "JMSType"])
    kinds: list[SearchStrategy[Condition]] = [
        st.builds(Between, _identifier(_OF_NUMBERS), _SMALL_ONE, _SMALL_ONE, _INVERSE),
        st.builds(In, _identifier(_OF_TEXTS), _SOME_TEXTS, _INVERSE),
        _LIKES,
        st.builds(IsNull, of_nothing, _INVERSE),
    ]
    pairs = [st.builds(Junction, kind, word, kind, st.booleans()) for kind in kinds]
    lookalikes = st.builds(
        Comparison,
        _identifier(["s"]),
        _EQUALITY,
        st.sampled_from((Literal(5), Literal(1.5), Literal(True))),
    )
    return st.one_of(*pairs, lookalikes)


def _conditions(depth: int) -> SearchStrategy[Condition]:
    """Conditions of so many levels at most: as often made of others as not."""
    if depth == 0:
        return _LEAVES
    inner = _conditions(depth - 1)
    opposite = st.builds(Not, inner, st.booleans())
    joined = st.builds(Junction, inner, st.sampled_from(["AND", "OR"]), inner, st.booleans())
    # one_of() would draw each kind of leaf as often as these
    return st.sampled_from([_LEAVES, _LEAVES, opposite, joined, joined]).flatmap(lambda kind: kind)


def _selectors(conditions: SearchStrategy[Condition]) -> SearchStrategy[Selector]:
    return st.builds(
        Selector,
        conditions,
        st.sampled_from([SPACE] * 6 + [TIGHT, "\t", "\n", "\r\n", "\f", "  "]),
        st.sampled_from(["upper"] * 4 + [*CASES]),
    )


selectors: Final = _selectors(_conditions(3))


@st.composite
def _grouped(draw: DrawFn, message: Mapping[str, object]) -> Mapping[str, object]:
    """The message in a group, in none, or in what is called nearly like one."""
    values = dict(message)
    group, of_another = draw(st.sampled_from([(True, False), (True, True), (False, True)]))
    if group:
        values[GROUP] = draw(st.sampled_from(_GROUPS))
        values[GROUP_SEQUENCE] = draw(st.sampled_from(_IN_GROUP).map(Int))
    if of_another:
        values[_NO_GROUP] = draw(st.sampled_from(_GROUPS))
    return values


def _of_groups() -> SearchStrategy[Condition]:
    """Conditions on JMSX properties, of which some are in no message.

    What number a message has that is in no group documents of vendors say, so that is not asked.
    """
    is_grouped = IsNull(Identifier(GROUP), inverse=True)
    texts, number = _identifier([GROUP, GROUP, _NO_GROUP]), _identifier([GROUP_SEQUENCE])
    every = _identifier([GROUP, _NO_GROUP, "JMSXAppID", "JMSXProducerTXID"])
    return st.one_of(
        st.builds(Comparison, texts, _EQUALITY, st.sampled_from(_GROUPS).map(Literal)),
        st.builds(Comparison, number, _RELATIONS, st.sampled_from(_IN_GROUP).map(Literal)).map(
            lambda compared: Junction(is_grouped, "AND", compared)
        ),
        st.builds(In, texts, st.lists(st.sampled_from(_GROUPS), min_size=1, max_size=2), _INVERSE),
        st.builds(IsNull, every, _INVERSE),
    )


@st.composite
def programs(draw: DrawFn) -> Program:
    """Messages are sent to a queue, and chosen by one selector after another."""
    sent = [SendStep(each) for each in draw(st.lists(messages(), min_size=4, max_size=10))]
    asked = draw(st.lists(selectors, min_size=6, max_size=12))
    browsed = [Browse(NO_SELECTOR), *map(Browse, asked), Browse(EMPTY_SELECTOR)]
    return Program(draw(st.booleans()), [*sent, *browsed])


@st.composite
def rare_programs(draw: DrawFn) -> Program:
    """The same with what would seldom meet in a selector, or in a selector and a message."""
    texts = st.sampled_from(_LOOKALIKES)
    sent = [
        SendStep({**message, "s": draw(texts)})
        for message in draw(st.lists(messages(), min_size=4, max_size=8))
    ]
    asked = draw(st.lists(_selectors(_seldom_together()), min_size=6, max_size=10))
    return Program(draw(st.booleans()), [*sent, *map(Browse, asked)])


@st.composite
def programs_on_patterns(draw: DrawFn) -> Program:
    """The same with nothing but LIKE, of texts and patterns that are short and alike."""
    texts = draw(st.permutations(_SHORT))[: draw(st.integers(6, 10))]
    sent = [{**draw(messages()), "t": text} for text in texts]
    likes = st.builds(Like, _identifier(["t"]), _SHORT_PATTERNS, st.just(""), _INVERSE)
    asked = draw(st.lists(_selectors(likes), min_size=8, max_size=10))
    return Program(draw(st.booleans()), [*map(SendStep, sent), *map(Browse, asked)])


@st.composite
def grouped_programs(draw: DrawFn) -> Program:
    """The same with JMSX properties."""
    drawn = draw(st.lists(messages().flatmap(_grouped), min_size=4, max_size=8))
    conditions = st.one_of(_of_groups(), st.builds(Not, _of_groups(), st.booleans()))
    asked = draw(st.lists(_selectors(conditions), min_size=6, max_size=10))
    return Program(draw(st.booleans()), [*map(SendStep, drawn), *map(Browse, asked)])
