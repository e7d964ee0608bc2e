"""How programs are drawn in which something ends before it is done, or comes to nothing.

They are few, drawn besides those on held messages and on listeners.
"""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.provider import QUEUE
from jms_model.delivery.session import AUTO, CLIENT, TRANSACTED, Received
from touchstone.drawn.sessions.drawing import HOLDING, LISTENERS, TEXTS
from touchstone.drawn.sessions.holding import SENDER, SOURCES, Holding
from touchstone.drawn.sessions.program import Program, Step

HELD_ONES: Final = 9
HEARD_ONES: Final = 6
LATE_ONES: Final = 4
"""So many are drawn of each."""
_MODES: Final = st.sampled_from([CLIENT, CLIENT, CLIENT, TRANSACTED])
_MODES_OF_LATE_ONES: Final = st.sampled_from([AUTO, CLIENT])
_FEW: Final = st.lists(st.sampled_from(SOURCES), min_size=2, max_size=3, unique=True)
_DEEDS: Final = st.sampled_from(["give back and end", "close one and settle", "ask in vain"] * 2)
_ENDS: Final = st.sampled_from(["close a consumer", "close the session", "close the connection"])
_SETTLES: Final = st.sampled_from(["settle", "settle by the first", "settle by the last"])
_IN_VAIN: Final = st.sampled_from(["receive_no_wait", "receive_briefly"])
_COUNT: Final = st.integers(1, 3)
_ANY: Final = st.integers(0, 2)
_HEARD: Final = st.sampled_from([SOURCES[0], SOURCES[-1]])
"""A queue, and a durable subscription: they outlive their consumer."""
_WITHIN: Final = st.sampled_from(
    [
        *(("give back", "close"), ("give back", "close"), ("close", "give back")),
        *(("settle", "close"), ("give back", "settle by the last", "close"), ("close", "settle")),
    ]
)
"""What a listener does before it returns."""


@st.composite
def programs_on_held_messages_left(draw: DrawFn) -> Program:
    """Programs in which a session gives back and ends, loses a consumer, or asks in vain."""
    holding = _filled(draw)
    match draw(_DEEDS):
        case "give back and end":
            holding.does("give back", 0)
            for name in holding.open_consumers()[: draw(_ANY)]:
                holding.gets(name)
            holding.does(draw(_ENDS), draw(_ANY))
        case "close one and settle":
            holding.does("close a consumer", draw(_ANY))
            if draw(st.booleans()):
                holding.fills([1, 1, 1], "later")
                holding.gets_all()
            holding.does(draw(_SETTLES), 0)
            holding.does(draw(_ENDS), draw(_ANY))
        case _:
            holding.gets_all()
            for name in draw(st.permutations(holding.open_consumers())):
                holding.adds(Step(name, draw(_IN_VAIN)))
            holding.does(draw(_SETTLES), 0)
            holding.does(draw(_ENDS), draw(_ANY))
    holding.gets_all()
    holding.looks_at_the_rest()
    return Program(holding.model.simplified, holding.steps)


@st.composite
def programs_on_consumers_closed_by_listeners(draw: DrawFn) -> Program:
    """Programs in which a listener settles or gives back, and closes its own consumer."""
    holding = Holding.begun(LISTENERS, draw(st.booleans()), draw(_MODES))
    method, args = draw(_HEARD)
    holding.adds(Step("s0", method, args, "k0"))
    holding.adds(Step("k0", "listen"))
    holding.adds(Step("c0", "start"))
    holding.fills([draw(_COUNT)], draw(TEXTS))
    before = draw(_ANY)
    for _ in range(before):
        _hears(holding)
        _returns(holding)
    _hears(holding)
    for deed in draw(_WITHIN):
        if deed == "close":
            holding.adds(Step("k0", "close"))
        else:
            holding.does(deed, 0)
    _returns(holding)
    holding.hears_the_rest()
    if "k0" not in holding.open_consumers():
        holding.adds(Step(SENDER, method, args, "k1"))
        holding.gets_all()
    holding.looks_at_the_rest()
    return Program(holding.model.simplified, holding.steps)


@st.composite
def programs_on_sessions_made_while_stopped(draw: DrawFn) -> Program:
    """Programs in which a session with a listener is made on a connection that was stopped.

    A context would start it.
    """
    holding = Holding.begun(LISTENERS, False, draw(_MODES))
    method, args = draw(_HEARD)
    if draw(st.booleans()):
        holding.adds(Step("s0", "create_consumer", (f"{QUEUE}1", None), "k0"))
        holding.adds(Step("k0", "listen"))
    holding.adds(Step("c0", "start"))
    holding.adds(Step("c0", "stop"))
    holding.adds(Step("c0", "create_session", (draw(_MODES_OF_LATE_ONES),), "late"))
    holding.adds(Step("late", method, args, "k1"))
    holding.adds(Step("k1", "listen"))
    holding.fills([1, draw(_COUNT)], draw(TEXTS))
    holding.adds(Step("c0", "start"))
    holding.hears_the_rest()
    holding.looks_at_the_rest()
    return Program(holding.model.simplified, holding.steps)


def _filled(draw: DrawFn) -> Holding:
    """A session that has got some of what there is."""
    holding = Holding.begun(HOLDING, draw(st.booleans()), draw(_MODES))
    holding.consumes(draw(_FEW))
    holding.fills([draw(_COUNT) for _ in range(3)], draw(TEXTS))
    for name in holding.open_consumers():
        for _ in range(draw(_COUNT)):
            holding.gets(name)
    return holding


def _hears(holding: Holding) -> None:
    heard = Step("s0", "hear", (), holding.new("m"))
    holding.adds(heard)
    holding.adds(Step(heard.makes, "delivery"))


def _returns(holding: Holding) -> None:
    for name in holding.model.of_kind(Received):
        holding.adds(Step(name, "returns"))
