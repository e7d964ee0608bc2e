"""A program on the modes of sessions, as data, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.session import CLIENT
from jms_model.delivery.vendors import INDIVIDUAL
from jms_model.session_modes import (
    LISTENER,
    MODES,
    NO_ACKNOWLEDGE,
    PROGRAM,
    RECEIVE,
    name_of,
)
from touchstone.drawn import lockstep
from touchstone.drawn.lockstep import Program

FORMS: Final = ("session", "session", "context", "context of a context")
"""What is made: contexts, too, of a factory and of another."""
_FORMS: Final = st.sampled_from(FORMS)
NO_MODES: Final = (-1, 5, 99, 102, 256, 258, 999, 2**31 - 1, -(2**31))
"""Numbers that are no mode of anybody."""
_HOW: Final = st.sampled_from([LISTENER, RECEIVE])
_SENT: Final = st.sampled_from([1, 2, 3, 5, 20])
_COUNT: Final = st.integers(1, 3)
_PATTERNS: Final = st.sampled_from(["each", "none", "last", "middle", "all but each third"])


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call, or several of a kind."""

    def __str__(self) -> str:
        match self.method, self.args:
            case "create", (mode, form, sent):
                shown = name_of(mode) if mode == INDIVIDUAL else str(mode)
                return f"{self.makes} = a {form} in mode {shown} for a queue with {sent} messages"
            case "take", (how, acknowledged):
                all_ = f"{self.on} gets all by {how}"
                numbers = ", ".join(map(str, acknowledged))
                return f"{all_}, and acknowledges {numbers}" if acknowledged else all_
            case "left", _:
                return f"another session gets what {self.on} left"
            case "emptied", _:
                return f"the queue of {self.on} is empty"
        return f"{self.on}.{self.method}"


def _acknowledged_numbers(pattern: str, sent: int) -> tuple[int, ...]:
    match pattern:
        case "each":
            return tuple(range(1, sent + 1))
        case "last":
            return (sent,)
        case "middle":
            return ((sent + 1) // 2,)
        case "all but each third":
            return tuple(number for number in range(1, sent + 1) if number % 3)
    return ()


@st.composite
def programs(draw: DrawFn, document: str) -> Program:
    """Sessions in a mode each get messages, acknowledge some, and close, in this order."""
    modes = MODES[document]
    offered = [*modes.offers, *(mode for mode in modes.offers if mode not in (0, 1, 3))]
    made: list[tuple[str, int, int]] = []
    steps: list[Step] = []
    for number in range(draw(_COUNT)):
        name = f"s{number}"
        is_odd = bool(modes.refuses) and draw(st.integers(0, 4)) == 4
        mode = draw(st.sampled_from(NO_MODES if is_odd else offered))
        args = (mode, draw(_FORMS), sent := draw(_SENT))
        steps.append(Step(PROGRAM, "create", args, name))
        if not is_odd:
            made.append((name, mode, sent))
    for name, mode, sent in made:
        steps += [Step(name, look) for look in ("acknowledge_mode", "transacted", "emptied")]
        how, pattern = draw(_HOW) if mode else RECEIVE, draw(_PATTERNS)
        given = _acknowledged_numbers(pattern, sent) if mode in (CLIENT, INDIVIDUAL) else ()
        if mode in NO_ACKNOWLEDGE:
            given = _acknowledged_numbers(draw(st.sampled_from(["none", "middle"])), sent)
        if mode == CLIENT and given and not modes.settles_up_to:
            given = _acknowledged_numbers("each", sent) if how == LISTENER else (sent,)
        steps.append(Step(name, "take", (how, given)))
        if draw(st.booleans()):
            steps.append(Step(name, "commit"))
    steps += [Step(name, "close") for name, *_ in draw(st.permutations(made))]
    steps += [Step(name, "left") for name, *_ in made]
    return Program(steps)
