"""The part of a recording that shows one disagreement of a drawn program, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from touchstone.reproducing.recording import (
    Call,
    Callback,
    CallRecording,
    NotExpressible,
    Value,
    object_of,
)

_LEAST: Final = 10_000
_MOST: Final = 20_000
"""Milliseconds in which a message has to come that did not."""
_SHORT: Final = 500
"""A receive that waits for less has to give nothing."""


@dataclass(frozen=True)
class ProgramSection:
    """The steps of a program, of which one has shown what some statements do not permit."""

    ids: tuple[str, ...]
    steps: tuple[tuple[int, str], ...]
    """The moment and the words of each, up to the one that has shown it."""
    end: int
    permitted: str
    """How the last step may end, in words."""
    raised: str | None
    """The name in Python of what was raised, if that is what was wrong."""
    gave_nothing: bool

    @property
    def decides(self) -> int:
        """The moment from which on the call is made that decides."""
        return self.steps[-1][0]


@dataclass
class _Open:
    ids: tuple[str, ...]
    steps: list[tuple[int, str]] = field(default_factory=list)


def sections(events: Iterable[Mapping[str, Any]]) -> list[ProgramSection]:
    """Those of a trace, in their order; what did not show itself again is none."""
    complete: list[ProgramSection] = []
    open_: _Open | None = None
    for event in events:
        match event.get("java"):
            case "finding":
                open_ = _Open(tuple(event["ids"]))
            case "step" if open_ is not None:
                open_.steps.append((event["moment"], event["words"]))
            case "shown" if open_ is not None:
                complete.append(_section(open_, event))
                open_ = None
    return complete


def _section(open_: _Open, shown: Mapping[str, Any]) -> ProgramSection:
    """It ends where the next step begins behind the one that has shown it."""
    last = max(
        (number for number, (_, words) in enumerate(open_.steps) if words == shown["words"]),
        default=len(open_.steps) - 1,
    )
    behind = [moment for moment, _ in open_.steps[last + 1 :]]
    steps = tuple(open_.steps[: last + 1])
    end = min([*behind, shown["moment"]])
    permitted = shown["permitted"]
    return ProgramSection(open_.ids, steps, end, permitted, shown["raised"], shown["nothing"])


def section_calls(recording: CallRecording, section: ProgramSection) -> CallRecording:
    """The calls of a section, and those before it that made the objects that it needs."""
    begin = section.steps[0][0]
    inside = [call for call in recording.calls if begin < call.moment < section.end]
    for call in inside:
        if call.until is None or call.until > section.end:
            raise NotExpressible(f"{call.method}() never came back")
    callbacks = tuple(
        _ended_callback(callback, section, [call for call in inside if call.within == callback])
        for callback in recording.callbacks
        if begin < callback.moment < section.end
    )
    before = [call for call in recording.calls if call.moment < begin]
    calls = [*_makers(before, inside), *_patient_calls(inside, section)]
    return _numbered(recording, [_call_within(call, callbacks) for call in calls], callbacks)


def _numbered(
    recording: CallRecording, calls: Sequence[Call], callbacks: Sequence[Callback]
) -> CallRecording:
    """With the listeners that are set, numbered from 1 on, and without the calls of others."""
    set_ = dict.fromkeys(
        value["listener"] for value in _values(calls) if value and "listener" in value
    )
    numbers = {number: new for new, number in enumerate(set_, start=1)}

    def callback(each: Callback) -> Callback:
        return replace(each, listener=numbers[each.listener])

    def call(inner: Call) -> Call:
        given = tuple(
            {"listener": numbers[each["listener"]]} if each and "listener" in each else each
            for each in inner.given
        )
        return replace(inner, given=given, within=inner.within and callback(inner.within))

    return replace(
        recording,
        calls=tuple(
            call(each) for each in calls if each.within is None or each.within.listener in numbers
        ),
        callbacks=tuple(callback(each) for each in callbacks if each.listener in numbers),
        listeners={new: recording.listeners[number] for number, new in numbers.items()},
    )


def _ended_callback(callback: Callback, section: ProgramSection, calls: Sequence[Call]) -> Callback:
    """A listener's call, ended by the step that had it end: its thread may tell of it later."""
    acted = max([callback.moment, *(call.moment for call in calls)])
    if callback.until is None:
        return callback
    ends = [moment for moment, _ in section.steps if acted < moment < callback.until]
    until = max(ends, default=callback.until)
    return (
        replace(callback, until=until)
        if until < section.end
        else replace(callback, until=None, threw=())
    )


def _call_within(call: Call, callbacks: Sequence[Callback]) -> Call:
    """The call, within the call of a listener as the section has it."""
    moment = None if call.within is None else call.within.moment
    return replace(
        call, within=next((callback for callback in callbacks if callback.moment == moment), None)
    )


def _makers(before: Sequence[Call], inside: Sequence[Call]) -> list[Call]:
    """What has made the objects that are used inside, and set them up."""
    needed = _used_objects(inside)
    kept: list[Call] = []
    for call in reversed(before):
        makes = object_of(call.got) in needed
        sets = call.on in needed and call.method.startswith(("set", "start"))
        if (makes or sets) and not call.threw and call.within is None:
            kept.append(call)
            needed |= _used_objects([call])
    return kept[::-1]


def _used_objects(calls: Iterable[Call]) -> set[int]:
    calls = list(calls)
    used = {call.on for call in calls} | {object_of(value) for value in _values(calls)}
    return {number for number in used if number is not None}


def _values(calls: Iterable[Call]) -> Iterator[Value]:
    for call in calls:
        yield from call.given


def _patient_calls(calls: Sequence[Call], section: ProgramSection) -> list[Call]:
    """Without a receive that was made again for more time; what gave nothing waits long enough."""
    starts = [moment for moment, _ in section.steps]

    def asks_again(call: Call, later: Call | None) -> bool:
        if later is None or not _gave_no_message(call):
            return False
        same = (call.on, call.method) == (later.on, later.method)
        return same and not any(call.moment < start < later.moment for start in starts)

    pairs = pairwise([*calls, None])
    return [_waiting_call(call) for call, later in pairs if call and not asks_again(call, later)]


def _gave_no_message(call: Call) -> bool:
    return call.method == "receive" and call.got is None and not call.threw


def _waiting_call(call: Call) -> Call:
    if not _gave_no_message(call) or not call.given or call.given[0] is None:
        return call
    [(kind, text)] = call.given[0].items()
    if int(text) < _SHORT:
        return call
    return replace(call, given=({kind: str(min(max(int(text), _LEAST), _MOST))},))
