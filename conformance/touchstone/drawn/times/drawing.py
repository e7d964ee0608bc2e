"""Programs on delays and times to live, drawn."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.times.sent import (
    DURABLE,
    QUEUE,
    SHARED,
    SHARED_DURABLE,
    SIMPLE_SHARED,
    TOPIC,
)
from touchstone.drawn.times.program import (
    BROWSE,
    BROWSER,
    COMMIT,
    CONTEXT,
    FORMS,
    HELD,
    HELD_LISTENER,
    LISTENER,
    NO_WAIT,
    OF_QUEUES,
    PRODUCER,
    RECEIVE,
    RECOVER,
    SEND,
    SIMPLIFIED,
    SIMPLIFIED_FORMS,
    SUBSCRIBE,
    UNIDENTIFIED,
    WAIT,
    WAYS,
    Maker,
    Program,
    Route,
    SendOptions,
    Step,
)

DELAY, LIVE = "set_delivery_delay", "set_time_to_live"
GAP: Final = 2000
"""Milliseconds in the middle of a program: transactions are committed behind it."""
DELAYS: Final = (0, 0, 1, 200, 400, 900, 2200, 2200, 5000, 600_000, 2**31 - 1, 2**31 + 300)
"""Milliseconds; what is longer than a program must not come."""
SHORT_DELAYS: Final = (0, 0, 1, 250, 400, 600_000)
"""The same behind the middle."""
LIVES: Final = (0, 0, 1, 250, 250, 60_000, 2**32 + 300)
"""Milliseconds."""
JMS_OUTLETS: Final = (QUEUE, QUEUE, QUEUE, TOPIC, DURABLE, SHARED, SHARED_DURABLE)
STARLIGHT_OUTLETS: Final = (QUEUE, TOPIC, DURABLE, SIMPLE_SHARED, SIMPLE_SHARED)
LANES: Final = range(10, 17)
"""How many there are side by side."""
AT_ONCE: Final = (RECEIVE, NO_WAIT, LISTENER)
FIRST: Final[Mapping[str, Sequence[tuple[int, int]]]] = {
    "d0": [(200, 0)],
    "d1": [(0, 250), (0, 250), (0, 250), (0, 0)],
    "d2": [(2200, 0), (0, 250)],
    "d3": [(2200, 0)],
    "d4": [(400, 0)],
}
"""With which delays and times to live some lanes begin: what a browser has to show in the end, what
lives beside what expires, what a commit could hold up, and what nothing can."""
_MANY: Final = 99
_PRIORITY: Final = st.integers(0, 9)
_EITHER: Final = st.booleans()


def _one_in(count: int) -> st.SearchStrategy[bool]:
    return st.integers(0, count - 1).map(lambda number: number == count - 1)


@st.composite
def programs(
    draw: DrawFn, outlets: Sequence[str] = JMS_OUTLETS, *, transacted: bool = True
) -> Program:
    """Lanes side by side; what is sent, committed and browsed before a wait, and behind it.

    The simplest, which is always drawn, has none, and nobody waits for it.
    """
    if draw(st.integers(0, _MANY)) == 0:
        return Program([], [], [])
    at_once = st.sampled_from(AT_ONCE)
    lanes = [
        Route("d0", QUEUE, BROWSER),
        Route("d1", draw(st.sampled_from(outlets)), draw(st.sampled_from((HELD, HELD_LISTENER)))),
        Route("d2", QUEUE, draw(at_once)),
        Route("d3", QUEUE, draw(at_once)),
        Route("d4", outlets[-1], draw(at_once)),
    ]
    count = draw(st.integers(LANES.start, LANES.stop - 1))
    lanes += [draw(_lanes(f"d{number}", outlets)) for number in range(len(lanes), count)]
    makers: list[Maker] = []
    for lane in lanes:
        makers += draw(_makers(lane, transacted=transacted))
    steps: list[Step] = []
    for delays in (DELAYS, SHORT_DELAYS):
        is_first = not steps
        if not is_first:
            steps.append(Step("", WAIT, (GAP,)))
            steps += [Step(maker.name, COMMIT) for maker in makers if maker.transacted]
            brief = st.sampled_from(SHORT_DELAYS)
            steps += [Step(maker.name, DELAY, (draw(brief),)) for maker in makers]
        for maker in makers:
            first = FIRST.get(maker.lane, ()) if is_first and maker.name.endswith("p0") else ()
            steps += draw(_sends(maker, delays, first))
        steps += draw(_looks(lanes, makers))
    steps += [Step(maker.name, COMMIT) for maker in makers if maker.transacted]
    return Program(lanes, makers, _numbered(steps))


def _numbered(steps: Sequence[Step]) -> list[Step]:
    """Each send with a number of its own."""
    numbers = itertools.count(1)
    return [
        replace(step, args=(replace(step.args[0], number=next(numbers)),))
        if step.method == SEND
        else step
        for step in steps
    ]


@st.composite
def _lanes(draw: DrawFn, name: str, outlets: Sequence[str]) -> Route:
    outlet = draw(st.sampled_from(outlets))
    ways = [*WAYS, *OF_QUEUES, BROWSER] if outlet == QUEUE else WAYS
    if outlet in (DURABLE, SHARED_DURABLE):
        ways = [way for way in ways if way != CONTEXT]
    return Route(name, outlet, draw(st.sampled_from(ways)))


@st.composite
def _makers(draw: DrawFn, lane: Route, *, transacted: bool) -> list[Maker]:
    """One producer or two side by side; of a transaction all are, whose rest might be held up."""
    is_transacted = transacted and lane.way not in (RECOVER, BROWSER) and draw(_one_in(3))
    if lane.name in FIRST:
        is_transacted = transacted and lane.name == "d2"
    kinds = draw(
        st.lists(st.sampled_from((PRODUCER, UNIDENTIFIED, SIMPLIFIED)), min_size=1, max_size=2)
    )
    return [
        Maker(f"{lane.name}p{number}", lane.name, kind, is_transacted)
        for number, kind in enumerate(kinds)
    ]


@st.composite
def _sends(
    draw: DrawFn, maker: Maker, delays: Sequence[int], first: Sequence[tuple[int, int]]
) -> list[Step]:
    """Settings, some of them made twice or back to 0, and sends."""
    steps: list[Step] = []
    forms = SIMPLIFIED_FORMS if maker.kind == SIMPLIFIED else FORMS
    for delay, lives in first:
        steps += [
            Step(maker.name, DELAY, (delay,)),
            Step(maker.name, LIVE, (lives,)),
            Step(maker.name, SEND, (SendOptions(0, draw(st.sampled_from(forms)), lives),)),
        ]
    for _ in range(draw(st.integers(1, 4))):
        for name, values in ((DELAY, delays), (LIVE, LIVES)):
            times = draw(st.sampled_from((0, 1, 1, 2)))
            given = [draw(st.sampled_from(values)) for _ in range(times)]
            steps += [Step(maker.name, name, (value,)) for value in given]
        options = SendOptions(
            0,
            draw(st.sampled_from(forms)),
            draw(st.sampled_from(LIVES)),
            draw(_PRIORITY),
            not draw(_one_in(6)),
        )
        steps.append(Step(maker.name, SEND, (options,)))
    return steps


@st.composite
def _looks(draw: DrawFn, lanes: Sequence[Route], makers: Sequence[Maker]) -> list[Step]:
    """Browsers, and subscriptions that are made when something was sent."""
    transacted = {maker.lane for maker in makers if maker.transacted}
    steps = []
    for lane in lanes:
        if lane.way == BROWSER:
            steps.append(Step(lane.name, BROWSE))
        elif lane.outlet != QUEUE and lane.name not in transacted and draw(_EITHER):
            steps.append(Step(lane.name, SUBSCRIBE, (draw(st.sampled_from((TOPIC, DURABLE))),)))
    return steps
