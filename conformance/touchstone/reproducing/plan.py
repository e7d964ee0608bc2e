"""What of a recording the program repeats: its calls, its variables, where it has to wait."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import pairwise
from typing import Final

from jms_clients.calls import FOREIGN
from touchstone.reproducing.deciding import Decision
from touchstone.reproducing.difference import Gives, GivesAsBefore, Hangs, Sign
from touchstone.reproducing.recording import (
    Call,
    Callback,
    CallRecording,
    NotExpressible,
    calls_of_the_api,
    object_of,
)
from touchstone.reproducing.relays import Fault
from touchstone.reproducing.section import ProgramSection
from touchstone.reproducing.turns import Turns, turns

_PURE: Final = ("get", "is", "propertyExists", "itemExists")
"""How methods begin that only look: left out unless they decide or give an object."""
_GENERAL: Final = ("Message", "Destination", "ConnectionFactory")
_MOST: Final = 1_000
"""Calls that are surely less than the 64 KiB that Java gives a method."""
_PAUSE: Final = 0.25
"""Seconds without a call that are kept as a pause; the harness itself rarely takes as long."""
_AT_ONCE: Final = 0.02
"""Seconds without a call before a fault for which nothing was waited."""

Step = Call | Fault
"""What the main thread does."""


@dataclass(frozen=True)
class Variable:
    """An object of the client."""

    name: str
    kind: str
    """The class or interface that it is declared as."""


@dataclass(frozen=True)
class ProgramPlan:
    """The parts of the program."""

    recording: CallRecording
    signs: Mapping[int, Sign]
    calls: tuple[Call, ...]
    variables: Mapping[int, Variable]
    overlapped: Mapping[int, int]
    """By the moment of a call that others overlap, the moment of the next one after its end."""
    pauses: Mapping[int, float]
    """Seconds before the call of a moment in which nothing happens."""
    silent: tuple[int, ...] = ()
    """The listeners that have to be called no more at the end."""
    turns: Turns = field(default_factory=Turns)
    words: Mapping[int, str] = field(default_factory=dict)
    """What is said before the call of a moment."""

    @property
    def main(self) -> tuple[Step, ...]:
        """What no listener calls, and the faults meanwhile."""
        return _main(self.recording, self.calls)

    def of(self, callback: Callback) -> tuple[Call, ...]:
        """What is called in this call of a listener."""
        return tuple(call for call in self.calls if call.within == callback)

    @property
    def is_long(self) -> bool:
        """Whether Java takes it in one method no more."""
        return len(self.calls) > _MOST and not self.overlapped

    @property
    def fields(self) -> bool:
        """Whether threads, or methods, share variables."""
        return bool(self.recording.listeners) or self.is_long


def plan(
    recording: CallRecording,
    signs: Mapping[int, Sign],
    left_out: Set[int] = frozenset(),
    silent: tuple[int, ...] = (),
) -> ProgramPlan:
    """The program for a recording whose difference shows by `signs`, or listeners that stay silent.

    It is without the calls of the moments `left_out`.
    """
    calls = [call for call in calls_of_the_api(recording) if call.moment not in left_out]
    for call in calls:
        if call.until is None and not isinstance(signs.get(call.moment), Hangs):
            raise NotExpressible(f"{call.method}() never came back")
    calls = _needed_calls(calls, signs)
    if signs and not any(call.moment in signs for call in calls):
        raise NotExpressible("what decides is no call of JMS")
    variables = _variables(recording, calls)
    steps = _main(recording, calls)
    overlapped = _overlapped_calls(steps)
    for moment in overlapped:
        if isinstance(signs.get(moment), Gives) and not recording.held:
            raise NotExpressible("a call that decides runs beside others")
    for fault in recording.faults:
        if fault.beyond:
            raise NotExpressible(fault.beyond)
    pauses = _pauses(recording, calls) | _pauses_of_faults(steps, overlapped)
    return ProgramPlan(recording, signs, tuple(calls), variables, overlapped, pauses, silent)


def _main(recording: CallRecording, calls: Sequence[Call]) -> tuple[Step, ...]:
    own: list[Step] = [call for call in calls if call.within is None]
    return tuple(merge(own, recording.faults, key=lambda step: step.moment))


def section_plan(
    recording: CallRecording,
    section: ProgramSection,
    decided: Decision,
    left_out: Set[int] = frozenset(),
) -> ProgramPlan:
    """The program for one section: in the order in which it was, and without its pauses."""
    if recording.faults:
        raise NotExpressible("a drawn program goes through a relay")
    made = plan(recording, decided.signs, left_out, decided.silent)
    words: dict[int, str] = {}
    for begin, said in section.steps:
        first = next((call.moment for call in made.calls if call.moment > begin), None)
        if first is not None:
            decides = begin == section.decides
            words[first] = f"{said}; permitted: {section.permitted}" if decides else said
    return replace(
        made,
        pauses={},
        turns=turns(made.calls, recording.callbacks),
        words=words,
    )


def _needed_calls(calls: Sequence[Call], signs: Mapping[int, Sign]) -> list[Call]:
    """Without what has no effect on what decides: reads, and messages that nobody sends."""
    made = {object_of(call.got) for call in calls if call.method.startswith("create")}
    compared = compared_moments(signs)
    used: set[int] = set()
    kept: list[Call] = []
    for call in reversed(calls):
        given = {number for number in map(object_of, call.given) if number is not None}
        decides = call.moment in signs or call.moment in compared or bool(call.threw)
        if decides or object_of(call.got) in used or not _without_effect(call, used, made):
            kept.append(call)
            used |= given if call.on is None else {*given, call.on}
    return kept[::-1]


def compared_moments(signs: Mapping[int, Sign]) -> Sequence[int]:
    """Of the calls with whose results others are compared."""
    return sorted(sign.moment for sign in signs.values() if isinstance(sign, GivesAsBefore))


def _without_effect(call: Call, used: set[int], made: Set[int | None]) -> bool:
    """Whether nobody sees that it is left out, when what comes later uses these objects.

    What is written into a message that the client has given, the client may show again; a look at
    a message may change what comes of it later.
    """
    if call.method.startswith("create"):
        return (
            call.method.endswith(("Message", "Queue", "Topic")) and "Temporary" not in call.method
        )
    if call.method.startswith(("set", "write", "clear")):
        is_own = call.on in made and call.on not in used
        return call.interface.endswith("Message") and is_own
    looks = call.method.startswith(_PURE) and call.method != "getEnumeration"
    return looks and not (call.interface.endswith("Message") and call.on in used)


def _variables(recording: CallRecording, calls: Sequence[Call]) -> dict[int, Variable]:
    made: dict[int, str] = {}
    for call in calls:
        if (number := object_of(call.got)) is not None:
            made.setdefault(number, _class_made(call))
    for callback in recording.callbacks:
        for number in map(object_of, callback.given):
            if number is not None:
                made.setdefault(number, "")
    counts: dict[str, int] = {}
    variables = {}
    for number, kind in made.items():
        held = recording.held.get(number, ())
        fitting = [kind for kind in held if kind not in _GENERAL] or list(held)
        kind = kind or (fitting[0] if fitting else _class_otherwise(number, calls))
        stem = _stem(kind)
        counts[stem] = counts.get(stem, 0) + 1
        variables[number] = Variable(f"{stem}{counts[stem]}", kind)
    return variables


def _class_made(call: Call) -> str:
    """The class or interface of what a call makes of nothing; "" for any other."""
    if call.on is not None:
        return ""
    return call.interface if call.method == FOREIGN else call.method


def _class_otherwise(number: int, calls: Sequence[Call]) -> str:
    """The class of an object that no interface of JMS holds."""
    if any(call.declared == "java.util.Enumeration" for call in calls if call.on == number):
        return "Enumeration<?>"
    values = (value for call in calls for value in (call.got, *call.given))
    told = (value["class"] for value in values if value and value.get("object") == number)
    return next((kind for kind in told if kind in ("byte[]", "java.util.ArrayList")), "Object")


def _stem(kind: str) -> str:
    """`consumer` for a JMSConsumer, `message` for a TextMessage."""
    if kind == "byte[]":
        return "array"
    word = ""
    for character in reversed(kind.partition("<")[0].rpartition(".")[2]):
        word = character + word
        if character.isupper():
            break
    return word.lower()


def _overlapped_calls(main: Sequence[Step]) -> dict[int, int]:
    """The calls during which others of other threads began, or faults, and the step behind each."""
    overlapped = {}
    for index, call in enumerate(main):
        if isinstance(call, Fault):
            continue
        end = math.inf if call.until is None else call.until
        during = [each for each in main[index + 1 :] if each.moment < end]
        if during and any(each.thread != call.thread for each in during):
            after = next((each.moment for each in main if each.moment > end), 0)
            overlapped[call.moment] = after
            if call.until is None:
                overlapped |= _on_other_threads(main[: index + 1], main[index + 1 :])
    return overlapped


def _on_other_threads(before: Sequence[Step], behind: Sequence[Step]) -> dict[int, int]:
    """The calls behind one that hangs which another thread made than those before it.

    Each has one of its own as well, and is waited for: which thread has called what may be why.
    """
    known = {step.thread for step in before}
    following = [*(step.moment for step in behind[1:]), 0]
    return {
        step.moment: after
        for step, after in zip(behind, following, strict=True)
        if isinstance(step, Call) and step.thread not in known
    }


def _pauses_of_faults(steps: Sequence[Step], overlapped: Mapping[int, int]) -> dict[int, float]:
    """How long what began before a fault, or hangs, had for its way, if anything was waited for."""
    pauses = {}
    for before, step in pairwise(steps):
        hangs = isinstance(before, Call) and before.until is None
        if isinstance(step, Fault) or hangs:
            runs = before.moment in overlapped
            gap = step.at - (before.at if runs else before.back)
            if gap >= _AT_ONCE or runs:
                pauses[step.moment] = max(gap, _PAUSE)
    return pauses


def _pauses(recording: CallRecording, calls: Sequence[Call]) -> dict[int, float]:
    """Where the scenario let time pass that no listener explains."""
    pauses = {}
    moments = [callback.moment for callback in recording.callbacks]
    made = next((call.moment for call in calls if call.method.startswith("createCon")), 0)
    everything = _main(recording, recording.calls)
    for before, call in pairwise(everything):
        heard = any(before.moment < moment < call.moment for moment in moments)
        gap = call.at - before.back
        if gap >= _PAUSE and not heard and call.moment > made and call in calls:
            pauses[call.moment] = gap
    return pauses
