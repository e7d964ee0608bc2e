"""In which calls of a recording a verdict's difference shows: the ones that decide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from touchstone.reproducing.recording import (
    Call,
    CallRecording,
    NotExpressible,
    Value,
    calls_of_the_api,
)

_RAISED: Final = re.compile(
    r"(?:ClientError: )?(?!ClientError:)([\w.$]*(?:Exception|Error))(?::|$)"
)
_NOT_REFUSED: Final = re.compile(r"not refused: ([\w, ]+?) was expected")
_NONE_RAISED: Final = re.compile(r"assert \[\] == \[<class '[\w.]*\.(\w+)'>\]")
"""What a listener's calls had to be refused with, and were not."""
_COUNTED: Final = re.compile(r"assert (\d+) == (\d+)$", re.MULTILINE)
_NOT_ZERO: Final = re.compile(r"assert \d+ == 0$", re.MULTILINE)
_MISSING: Final = re.compile(r"no message came within|^the marker did not come")
_CHANGING: Final = frozenset(
    {
        *("getJMSMessageID", "getJMSTimestamp", "getJMSExpiration", "getJMSDeliveryTime"),
        *("getProviderVersion", "getJMSDestination", "getJMSReplyTo", "getQueueName"),
        *("getTopicName", "getClientID"),
    }
)
"""Methods whose results are others in each run, or are objects, besides null and 0."""
_OF_JMS: Final = re.compile(r"(jakarta|javax)\.jms\.\w+$")
_COMPLETING: Final = "CompletionListener"
_SILENCE: Final = 0.5
"""Seconds after which receiveNoWait() that gives nothing is taken for an answer."""
_SETTLED: Final = (None, "0", "", False)


@dataclass(frozen=True)
class Throws:
    """It throws an exception that is of this class to an application.

    What a client derives from one of JMS' classes is that one to it: a client may throw the one
    and the other for the same reason. What JMS does not know is of its own class alone.
    """

    kind: str


@dataclass(frozen=True)
class Passes:
    """It throws none of these exceptions, of which one is expected."""

    kinds: tuple[str, ...]


@dataclass(frozen=True)
class ComesBack:
    """It throws nothing."""


@dataclass(frozen=True)
class Gives:
    """It gives this value; an object of the client stands for any."""

    value: Value


@dataclass(frozen=True)
class GivesAnother:
    """It gives something else than this value."""

    value: Value


@dataclass(frozen=True)
class GivesAsBefore:
    """It gives what the call of this moment gave, though it has to be another in each run."""

    moment: int


@dataclass(frozen=True)
class ComesTooSoon:
    """It comes back before so many calls of completion listeners have ended."""

    count: int


@dataclass(frozen=True)
class Returns:
    """It comes back, though what it has to wait for cannot come."""


@dataclass(frozen=True)
class Hangs:
    """It does not come back for so many seconds."""

    seconds: int


Sign = (
    Throws
    | Passes
    | ComesBack
    | Gives
    | GivesAnother
    | GivesAsBefore
    | ComesTooSoon
    | Returns
    | Hangs
)


def signs(reason: str, seen: str | None, recording: CallRecording) -> Mapping[int, Sign]:
    """By the moments of the calls that decide, what each has to show for the difference to be seen.

    Where the reason names a call's outcome it is that call, else every call that gave a value: the
    scenario has drawn its conclusion from them. `NotExpressible` where nothing can be compared.
    """
    calls = [call for call in calls_of_the_api(recording) if call.until is not None]
    if match := _NOT_REFUSED.match(reason):
        names = tuple(re.split(r" or |, ", match[1]))
        return _last(calls, Passes(names), lambda call: call.within is None and not call.threw)
    if match := _NONE_RAISED.match(reason):
        return _last(
            calls,
            Passes((match[1],)),
            lambda call: call.within is not None and not call.threw and not gives_value(call),
            "no listener called what had to be refused",
        )
    if match := _RAISED.match(reason):
        name = match[1].rpartition(".")[2]
        return _last(
            calls,
            None,
            lambda call: any(each.rpartition(".")[2] == name for each in call.threw),
            f"no call of the trace threw the {name} of the verdict",
        )
    if _MISSING.match(reason):
        return {_longest_wait(calls).moment: Gives(None)}
    if match := _COUNTED.match(reason):
        ended, wanted = int(match[1]), int(match[2])
        soon = _too_soon(calls, recording, ended) if ended < wanted else None
        if soon is not None:
            return {soon.moment: ComesTooSoon(wanted)}
    permitted = "0" if _NOT_ZERO.search(reason) else ""
    return _compared_signs(seen, calls, recording.looked, permitted)


def _longest_wait(calls: Sequence[Call]) -> Call:
    """Of the receives that gave nothing at the end, one behind the other, the longest."""
    received = [call for call in calls if call.method.startswith("receive") and not call.threw]
    in_vain: list[Call] = []
    for call in reversed(received):
        if call.got is None and (not in_vain or call.on == in_vain[0].on):
            in_vain.append(call)
        elif in_vain:
            break
    if not in_vain:
        raise NotExpressible(
            "the message that is missing was awaited by other means than a receive"
        )
    return max(in_vain, key=lambda call: call.back - call.at)


def what_was_thrown(call: Call) -> Throws:
    """That a call throws what it threw."""
    return Throws(next((name for name in call.threw if _OF_JMS.match(name)), call.threw[0]))


def names_a_call(reason: str) -> bool:
    """Whether the reason itself tells which call decides, and by what."""
    patterns = (_NOT_REFUSED, _NONE_RAISED, _RAISED, _MISSING)
    return any(pattern.match(reason) for pattern in patterns)


def _last(
    calls: Sequence[Call], sign: Sign | None, fits: Any, otherwise: str = "no call decides"
) -> Mapping[int, Sign]:
    for call in reversed(calls):
        if fits(call):
            return {call.moment: sign or what_was_thrown(call)}
    raise NotExpressible(otherwise)


def _too_soon(calls: Sequence[Call], recording: CallRecording, ended: int) -> Call | None:
    """The last call, if it had to wait for completion listeners, of whose calls so many had ended.

    It is the end of an object or of a transaction.
    """
    completing = {number for number, kind in recording.listeners.items() if kind == _COMPLETING}
    last = next((call for call in reversed(calls) if call.within is None), None)
    if last is None or last.threw or last.method not in ("close", "commit") or not completing:
        return None
    before = [
        callback
        for callback in recording.callbacks
        if callback.listener in completing
        and callback.until is not None
        and callback.until < (last.until or 0)
    ]
    return last if len(before) == ended else None


def _compared_signs(
    seen: str | None, calls: Sequence[Call], looked: int, permitted: str
) -> Mapping[int, Sign]:
    told = [call for call in calls if tells(call)]
    said = [call for call in told if call.method not in _CHANGING]
    if looked > max((call.moment for call in said), default=0) and not _is_among(said, seen or ""):
        raise NotExpressible("what the broker itself shows decides")
    own = own_values(calls)
    if told and seen is not None and as_python(told[-1].got) == seen:
        last = told[-1]
        if not last.threw and changes(last, own):
            return {last.moment: sign_of_changing(last, calls, permitted)}
        return {last.moment: Gives(last.got)}
    shown: dict[int, Sign] = {}
    heard: dict[int | None, float] = {}
    for call in told:
        silent, heard[call.on] = call.back - heard.get(call.on, call.at), call.back
        if call.threw:
            shown[call.moment] = what_was_thrown(call)
        elif not changes(call, own) and not too_early(call, silent):
            shown[call.moment] = Gives(call.got)
    refused = {call.method for call in told if call.threw}
    shown |= {
        call.moment: ComesBack()
        for call in calls
        if call.moment not in shown and not call.threw
        if (call.method in refused and not tells(call)) or _is_named(call, seen or "")
    }
    if not shown:
        raise NotExpressible(
            "what the scenario compared is no result of a call that stays the same"
        )
    return shown


def _is_among(told: Sequence[Call], seen: str) -> bool:
    """Whether a text or bytes that a call gave stands in what the scenario compared."""
    values = (as_python(call.got) for call in told)
    return any(value in seen for value in values if value and value[0] in "'\"b")


def _is_named(call: Call, seen: str) -> bool:
    """Whether the scenario names it, by a text that it was given, among what had to be refused."""
    texts = (value["String"] for value in call.given if value and "String" in value)
    return "Message" not in call.method and any(" " in text and text in seen for text in texts)


def gives_value(call: Call) -> bool:
    """Whether the method is one that gives something, be it null."""
    return call.got is not None or call.method.startswith(("get", "receive", "read", "next"))


def tells(call: Call) -> bool:
    """Whether an observer learns something of it: what is made for the next step tells nothing."""
    if call.on is None or call.method == "=" or call.interface == "ConnectionFactory":
        return bool(call.threw)
    if call.threw:
        return True
    made = call.got is not None and "object" in call.got and "content" not in call.got
    return gives_value(call) and (not made or call.method.startswith("receive"))


def changes(call: Call, own: Sequence[object]) -> bool:
    """Whether what it gave is another value in each run: none of the program's own."""
    return call.method in _CHANGING and _content(call.got) not in (*_SETTLED, *own)


def sign_of_changing(call: Call, calls: Sequence[Call], permitted: str = "") -> Sign:
    """How a call shows the difference whose result is another in each run.

    An id that another message has, or a value where `permitted` says that there is none.
    """
    if call.method == "getJMSMessageID":
        for other in calls:
            is_same = other.method == call.method and other.got == call.got
            if is_same and other.moment < call.moment:
                return GivesAsBefore(other.moment)
    if permitted == "0":
        return GivesAnother({"long": "0"})
    raise NotExpressible(f"what {call.method}() gives is another value in each run")


def own_values(calls: Sequence[Call]) -> Sequence[object]:
    """What the program itself gives to calls, but for what it has from other calls."""
    came: list[object] = []
    own: list[object] = []
    for call in calls:
        own += [content for content in map(_content, call.given) if content not in came]
        if _content(call.got) not in own:
            came.append(_content(call.got))
    return own


def _content(value: Value) -> object:
    return None if value is None else next(iter(value.values()))


def too_early(call: Call, silent: float) -> bool:
    """Whether that nothing was there yet says nothing of what comes, after so many seconds."""
    return call.method == "receiveNoWait" and call.got is None and silent < _SILENCE


def as_python(value: Value) -> str | None:
    """How pytest shows the value, where that is told by the value alone."""
    if value is None:
        return "None"
    kind, content = next(iter(value.items()))
    if kind in ("boolean", "Boolean"):
        return str(content)
    if kind == "String" and "times" not in value:
        return repr(content)
    if kind == "bytes":
        return repr(bytes.fromhex(content))
    if kind in ("int", "long", "double"):
        return str(content)
    return None
