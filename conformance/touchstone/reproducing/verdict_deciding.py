"""What of a recording shows the difference of a verdict: calls, or that a listener is not called.

What a call of its own cannot tell, as that one never comes back, has to be what no client does that
keeps its statement: a wait that failed may have been for anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from jms_clients.calls import FOREIGN
from touchstone.reproducing.deciding import Decision
from touchstone.reproducing.difference import (
    Gives,
    Hangs,
    Passes,
    Returns,
    Sign,
    Throws,
    as_python,
    names_a_call,
    signs,
)
from touchstone.reproducing.recording import (
    Call,
    CallRecording,
    NotExpressible,
    calls_of_the_api,
    object_of,
)

_AWAITED: Final = re.compile(r"not within [\d.]+ s|.* did not come back within ")
"""How reasons begin of what was awaited in vain."""
_TOLD_EARLY: Final = "onCompletion was called while the broker's confirmation was held back"
_RETURNED_EARLY: Final = "send() returned while the broker's confirmation was held back"
_COUNTED: Final = re.compile(r"assert (\d+) == (\d+)$", re.MULTILINE)
_TO_CLIENT: Final = "TO_CLIENT"
_COMPLETING: Final = "CompletionListener"
_COME_BACK: Final = ("close", "commit", "rollback", "recover", "acknowledge", "start", "stop")
"""Methods that have to come back where no listener is at work, whatever others do."""
_LEAST, _MOST = 10, 30
"""Seconds for which a program waits for what never came back."""


def verdict_decision(reason: str, seen: str | None, recording: CallRecording) -> Decision:
    """What has to show; `NotExpressible` where no call of the client tells it."""
    found = (
        _hanging(reason, recording)
        or _untold(reason, seen, recording)
        or _told_early(reason, recording)
        or _returned_early(reason, recording)
    )
    if found is not None:
        return found
    done = [fault.moment for fault in recording.faults]
    if done and _AWAITED.match(reason):
        raise NotExpressible("what was awaited behind a fault is no call of the client")
    shown = signs(reason, seen, recording)
    if done and not any(
        names_a_call(reason) or _is_in(seen or "", call)
        for call in recording.calls
        if call.moment in shown and (call.until or 0) > done[0]
    ):
        raise NotExpressible("no call behind the fault decides")
    if any(call.method == FOREIGN for call in recording.calls) and not _is_told(shown, seen):
        raise NotExpressible("what a message shows that the harness implements may decide")
    return Decision(shown)


def _is_in(seen: str, call: Call) -> bool:
    """Whether what a call gave or threw is what the scenario compared, or a text in it."""
    if call.threw:
        names = {name.rpartition(".")[2] for name in call.threw}
        return not names.isdisjoint(re.findall(r"\w+", seen))
    value = as_python(call.got)
    return value is not None and (value == seen or (value[0] in "'\"b" and value in seen))


def _is_told(shown: Mapping[int, Sign], seen: str | None) -> bool:
    """Whether one call decides, by an exception or by just what the scenario compared."""
    [sign, *others] = shown.values()
    compared = isinstance(sign, Gives) and as_python(sign.value) == seen
    return not others and (compared or isinstance(sign, Throws | Passes))


def _hanging(reason: str, recording: CallRecording) -> Decision | None:
    """The only call that never came back, where it has to."""
    hung = [call for call in calls_of_the_api(recording) if call.until is None]
    if not _AWAITED.match(reason) or len(hung) != 1 or recording.faults:
        return None
    [call] = hung
    at_work = [each for each in recording.callbacks if each.until is None and each != call.within]
    closed = call.method == "receive" and not call.given and _is_closed_meanwhile(call, recording)
    if at_work or not (closed or call.method in _COME_BACK):
        return None
    seconds = min(max(math.ceil(call.back - call.at), _LEAST), _MOST)
    return Decision({call.moment: Hangs(seconds)})


def _is_closed_meanwhile(call: Call, recording: CallRecording) -> bool:
    """Whether its object, or what that was made of, was closed while the call went on."""
    makers = {object_of(each.got): each.on for each in reversed(recording.calls)}
    chain: list[int | None] = [call.on]
    while (maker := makers.get(chain[-1])) is not None and maker not in chain:
        chain.append(maker)
    return any(
        each.on in chain and each.method == "close" and each.until is not None and not each.threw
        for each in recording.calls
        if each.moment > call.moment
    )


def _untold(reason: str, seen: str | None, recording: CallRecording) -> Decision | None:
    """The completion listeners of sends of which the client never told anything.

    It has to tell of each, once the connection is lost at the latest.
    """
    sends = _completing_sends(recording)
    told = {callback.listener for callback in recording.callbacks}
    untold = tuple(number for number in sends if number not in told)
    last = max((call.moment for call in sends.values()), default=0)
    waited = _AWAITED.match(reason) or seen == "[]"
    if not untold or not waited or recording.looked > last or _is_held_back(recording):
        return None
    return Decision({}, untold)


def _told_early(reason: str, recording: CallRecording) -> Decision | None:
    """Sends that were told to be complete while no confirmation could come.

    The program waits for that before it lets confirmations come again.
    """
    stalls = _stalls(recording)
    sends = _completing_sends(recording)
    early = [
        callback
        for callback in recording.callbacks
        if callback.method == "onCompletion"
        and callback.listener in sends
        and any(
            begin < sends[callback.listener].moment and callback.moment < end
            for begin, end in stalls
        )
    ]
    counted = _COUNTED.match(reason)
    missing = counted is not None and int(counted[2]) - int(counted[1]) == len(early)
    return Decision({}) if early and (missing or reason.startswith(_TOLD_EARLY)) else None


def _returned_early(reason: str, recording: CallRecording) -> Decision | None:
    """The send that came back while no confirmation could come."""
    if not reason.startswith(_RETURNED_EARLY):
        return None
    early = [
        call
        for call in calls_of_the_api(recording)
        if call.method == "send" and call.within is None and not call.threw
        if any(
            begin < call.moment and (call.until or end) < end for begin, end in _stalls(recording)
        )
    ]
    if not early:
        raise NotExpressible("no send came back while the broker's confirmation was held back")
    return Decision({early[-1].moment: Returns()})


def _completing_sends(recording: CallRecording) -> dict[int, Call]:
    """By the number of their listeners the sends that came back, and whose outcome is told."""
    kinds = recording.listeners
    return {
        value["listener"]: call
        for call in recording.calls
        for value in call.given
        if value and kinds.get(value.get("listener", 0)) == _COMPLETING
        if call.until is not None and not call.threw
    }


def _stalls(recording: CallRecording) -> Sequence[tuple[int, float]]:
    """From when until when nothing came to the client through a relay."""
    found: list[tuple[int, float]] = []
    begun: dict[int, int] = {}
    for fault in recording.faults:
        if fault.does == "stall" and _TO_CLIENT in fault.given:
            begun.setdefault(fault.relay, fault.moment)
        elif fault.does == "resume" and _TO_CLIENT in fault.given and fault.relay in begun:
            found.append((begun.pop(fault.relay), fault.moment))
    return [*found, *((begin, math.inf) for begin in begun.values())]


def _is_held_back(recording: CallRecording) -> bool:
    """Whether a relay holds back at the end what the broker says, on a connection that lives."""
    held = {fault.relay for fault in recording.faults if fault.does == "stall"}
    ended = {fault.relay for fault in recording.faults if fault.does in ("resume", "down", "cut")}
    return bool(held - ended)
