"""How such programs are drawn: factories with other settings each, and cases of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.redelivery_limits.cases import (
    ALWAYS,
    DURABLE,
    LISTENER,
    NO_LOCAL,
    QUEUE,
    RECOVER,
    SELECTOR,
    SHARED,
    SHARED_DURABLE,
    TIME_OUT,
    Case,
    MessageCase,
)
from jms_model.redelivery_limits.settings import DEFAULT_LETTERS, Backoff, ConsumerSettings, Policy
from touchstone.drawn.redelivery_limits.program import Program
from touchstone.drawn.values import ARGUMENTS as VALUES
from touchstone.scenario import strategies

LETTERS: Final = ("letters", "größe")
"""Dead letter topics that policies name."""
SUBSCRIPTIONS: Final = ("", "dqlsub", "größe", "jms-queue")
_NAMES: Final = ("a", "größe", "$x_1", "JMS_foo", "REAL", "日本", "type", "a_")
_TYPES: Final = ("boolean", "byte", "short", "int", "long", "text")
_VALUE: Final = st.one_of([VALUES[type_] for type_ in _TYPES])
_PROPERTIES: Final = st.dictionaries(st.sampled_from(_NAMES), _VALUE, max_size=3)
_ITEM: Final = VALUES["item"]
_CONTENTS: Final[Mapping[str, SearchStrategy[Any]]] = {
    "text": st.sampled_from(["", "größe", "null", "\U0001f600"]) | strategies.texts(),
    "bytes": VALUES["bytes"],
    "stream": st.lists(_ITEM, max_size=3),
    "map": st.dictionaries(VALUES["entry name"], _ITEM, max_size=3),
    "object": VALUES["object"],
    "header": st.none(),
}
_KIND: Final = st.sampled_from([*_CONTENTS])
_LEAST: Final = st.sampled_from((100, 150, 200, 300, 10, 1))
_FACTOR: Final = st.sampled_from((1.5, 2.0, 2.5, 10.0))
_MOST: Final = st.sampled_from((2, 4, 8, 1))
"""So many times the first wait is the longest."""
_HIGHEST: Final = 800
_FAILS: Final = st.sampled_from((ALWAYS, 1, 0, 2, 3, 0, 1))
_SHARED: Final = (QUEUE, QUEUE, SHARED, SHARED_DURABLE)
_UNLIMITED: Final = st.sampled_from((3, 0, 1, 2, 4, 5))
_EITHER: Final = st.booleans()
_TIMEOUT: Final = st.sampled_from((300, 400, 500))
_LIMIT: Final = st.sampled_from((2, 1, 3, 1))


@cache
def _one_of(values: tuple[Any, ...]) -> SearchStrategy[Any]:
    return st.sampled_from(values)


@st.composite
def _backoffs(draw: DrawFn) -> Backoff:
    least = draw(_LEAST)
    most = min(_HIGHEST, least * draw(_MOST))
    return Backoff(least, most, draw(_FACTOR))


@st.composite
def _policies(draw: DrawFn) -> Policy:
    letters = draw(_one_of((DEFAULT_LETTERS, *LETTERS)))
    return Policy(draw(_LIMIT), letters, draw(_one_of(SUBSCRIPTIONS)))


@st.composite
def _factories(draw: DrawFn, timed: bool, limited: bool) -> ConsumerSettings:
    return ConsumerSettings(
        draw(_backoffs()),
        draw(_TIMEOUT) if timed else 0,
        draw(_backoffs()) if timed else None,
        draw(_policies()) if limited else None,
    )


@st.composite
def _sent_message(draw: DrawFn, fails: int, rejected: bool = False) -> MessageCase:
    kind = draw(_KIND)
    return MessageCase(kind, draw(_CONTENTS[kind]), draw(_PROPERTIES), fails, rejected)


@st.composite
def _failing_case(draw: DrawFn, factory: int, settings: ConsumerSettings, way: str) -> Case:
    """Some messages fail, by one way."""
    limited = settings.policy is not None
    kind = draw(_one_of(_SHARED if limited or way == TIME_OUT else (*_SHARED, DURABLE)))
    fails: Sequence[int]
    if limited:
        fails = draw(st.lists(_FAILS, min_size=1, max_size=3))
    else:
        fails = draw(st.lists(_UNLIMITED, min_size=1, max_size=2))
    messages = [draw(_sent_message(each)) for each in fails]
    simplified = draw(_EITHER) and kind != DURABLE
    return Case(factory, kind, way, messages, simplified=simplified)


@st.composite
def _filtered_case(draw: DrawFn, factory: int, filtered: str, kind: str, *, limited: bool) -> Case:
    """Some messages are not for the consumer."""
    taker = not limited and kind != DURABLE
    way = RECOVER if taker else draw(_one_of((RECOVER, LISTENER)))
    rejected = draw(st.lists(_EITHER, max_size=3))
    messages = [draw(_sent_message(0, each)) for each in (*rejected, True)]
    return Case(factory, kind, way, messages, filtered, taker)


@st.composite
def programs(draw: DrawFn) -> Program:
    """Factories without a limit, with one, and with time-outs, and cases of all side by side."""
    features = ((False, False), (False, True), (True, True), (True, draw(_EITHER)))
    factories = [draw(_factories(timed, limited)) for timed, limited in features]
    ways = (
        (RECOVER, LISTENER, draw(_one_of((RECOVER, LISTENER)))),
        (RECOVER, LISTENER, draw(_one_of((RECOVER, LISTENER)))),
        (TIME_OUT, TIME_OUT, draw(_one_of((RECOVER, LISTENER)))),
        (TIME_OUT, draw(_one_of((TIME_OUT, RECOVER, LISTENER)))),
    )
    cases = [
        draw(_failing_case(number, factories[number], way))
        for number, of_factory in enumerate(ways)
        for way in of_factory
    ]
    for number, limited in ((0, False), (1, True)):
        selecting = draw(_one_of(_SHARED))
        cases.append(draw(_filtered_case(number, SELECTOR, selecting, limited=limited)))
        cases.append(draw(_filtered_case(number, NO_LOCAL, QUEUE, limited=limited)))
    cases += [
        draw(_filtered_case(0, each, DURABLE, limited=False)) for each in (SELECTOR, NO_LOCAL)
    ]
    return Program(factories, cases)
