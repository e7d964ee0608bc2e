"""By which calls of a section its disagreement shows, and that what came before is as it was.

Until the call that decides all has to go as it went: only then is what the model permits of that
call known not to be what was seen. A client that does it right ends otherwise at one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from touchstone.reproducing.difference import (
    ComesBack,
    Gives,
    Sign,
    changes,
    own_values,
    sign_of_changing,
    tells,
    too_early,
    what_was_thrown,
)
from touchstone.reproducing.recording import Call, CallRecording, NotExpressible
from touchstone.reproducing.section import ProgramSection

_DID_NOT_COME: Final = "DidNotCome"
_CAME_AS_ANOTHER: Final = "CameAsAnother"
"""What the harness raises of a message that is not there, or of another kind."""


@dataclass(frozen=True)
class Decision:
    """What has to show."""

    signs: Mapping[int, Sign]
    """By the moments of calls."""
    silent: tuple[int, ...] = ()
    """Listeners that have to be called no more at the end."""


def decision(section: ProgramSection, recording: CallRecording) -> Decision:
    """What shows the disagreement of a section, whose calls the recording has.

    `NotExpressible` where no call of the client tells it.
    """
    calls = [call for call in recording.calls if call.moment > section.steps[0][0]]
    signs = _as_it_was(calls)
    last = [call for call in calls if call.moment > section.decides]
    if section.raised is not None:
        return _decision_of_raised(section.raised, recording, signs, last)
    if not last and section.gave_nothing:
        return Decision(signs, _message_listeners(recording))
    if not last and not _overlap(recording):
        raise NotExpressible("what decides is no call of the client")
    told = [call for call in last if _tells(call)]
    if told and told[-1].moment not in signs:
        signs[told[-1].moment] = sign_of_changing(told[-1], calls, section.permitted)
    if last and not told:
        signs[last[-1].moment] = ComesBack()
    return Decision(signs)


def _tells(call: Call) -> bool:
    """Whether an observer learns something of it, if only that an object is there."""
    return tells(call) or (call.method.startswith("get") and call.got is not None)


def _as_it_was(calls: Sequence[Call]) -> dict[int, Sign]:
    """That each call that tells something tells it again."""
    own = own_values(calls)
    signs: dict[int, Sign] = {}
    heard: dict[int | None, float] = {}
    for call in calls:
        silent, heard[call.on] = call.back - heard.get(call.on, call.at), call.back
        if not _tells(call):
            continue
        if call.threw:
            signs[call.moment] = what_was_thrown(call)
        elif not too_early(call, silent) and not changes(call, own):
            signs[call.moment] = Gives(call.got)
    return signs


def _overlap(recording: CallRecording) -> bool:
    """Whether a listener was called before another call of one had ended."""
    return any(
        callback.moment < other.moment and (callback.until is None or other.moment < callback.until)
        for callback in recording.callbacks
        for other in recording.callbacks
    )


def _message_listeners(recording: CallRecording) -> tuple[int, ...]:
    """Those of which one was not called, or not again, though it had to be."""
    numbers = [n for n, kind in recording.listeners.items() if kind == "MessageListener"]
    if not numbers:
        raise NotExpressible("what decides is no call of the client")
    return tuple(numbers)


def _decision_of_raised(
    raised: str, recording: CallRecording, signs: dict[int, Sign], last: Sequence[Call]
) -> Decision:
    received = [call for call in last if call.method.startswith("receive")]
    if raised == _CAME_AS_ANOTHER:
        if received and received[-1].got is not None:
            kinds = recording.held.get(received[-1].got.get("object", 0), ())
            if any(kind != "Message" for kind in kinds):
                return Decision(signs)
        raise NotExpressible("that a message is of no kind shows in no call")
    if raised == _DID_NOT_COME and not any(call.got is None for call in received):
        given = [value for call in last for value in call.given]
        listeners = [value["listener"] for value in given if value and "listener" in value]
        if not listeners:
            raise NotExpressible("the message that is missing was awaited by other means")
        return Decision(signs, tuple(listeners))
    if raised != _DID_NOT_COME and not any(call.threw for call in last):
        if any(callback.method == "onException" for callback in recording.callbacks):
            return Decision(signs)
        raise NotExpressible(f"no call of the trace threw the {raised} of the verdict")
    return Decision(signs)
