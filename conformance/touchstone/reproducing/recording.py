"""What a trace keeps of the calls of a client in Java, read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from jms_brokers.shared.registry import families
from jms_clients.calls import FOREIGN
from touchstone.reproducing.relays import BrokerPlace, Fault, faults, place_of, relays

_GIVES: Final = "getEnumeration"
Value = Mapping[str, Any] | None
"""A value as `jms_clients.calls` renders it: null, or its type with its content."""


class NotExpressible(Exception):
    """No program in plain Java can show this; the text is the reason."""


@dataclass(frozen=True)
class Callback:
    """One call of a listener."""

    listener: int
    time: int
    """The how many-th call of this listener's method it is."""
    method: str
    given: tuple[Value, ...]
    moment: int
    until: int | None
    threw: tuple[str, ...]


@dataclass(frozen=True)
class Call:
    """One call, from the moment it began until it came back."""

    moment: int
    until: int | None
    on: int | None
    """The object; None where the class `method` was made an object of."""
    declared: str
    method: str
    given: tuple[Value, ...]
    got: Value
    threw: tuple[str, ...]
    """The class of what it threw, and those above it; nothing where it came back."""
    text: str
    at: float
    back: float
    thread: int
    within: Callback | None
    """The call of a listener that it was made in."""
    filled: Value = None
    """What it has written into the array that it was given."""

    @property
    def interface(self) -> str:
        """The simple name of the interface that it was made by."""
        return self.declared.rpartition(".")[2]


@dataclass(frozen=True)
class CallRecording:
    """All calls of one scenario, in the order in which they began."""

    place: BrokerPlace
    calls: tuple[Call, ...]
    callbacks: tuple[Callback, ...]
    listeners: Mapping[int, str]
    held: Mapping[int, tuple[str, ...]]
    """By object the interfaces that it was held as."""
    ended: int | None = field(default=None)
    """When the scenario, or what judges the requirement in it, failed; None where it did not."""
    looked: int = 0
    """When the broker itself was asked last; 0 for never."""
    relays: Mapping[int, BrokerPlace] = field(default_factory=dict)
    """By their numbers, where the relays between client and broker were."""
    faults: tuple[Fault, ...] = ()
    """What was done by these, in order."""


def recording(lines: Iterable[str], requirement: str = "") -> CallRecording:
    """The calls in the lines of a trace; `NotExpressible` where there are none, or not all.

    They end where the scenario failed, or the part of it that judges the requirement; what drawn
    programs have found stands behind that, in sections of its own.
    """
    events = java_events(lines)
    place = _only_place(events)
    for event in events:
        if event["java"] == "dropped":
            raise NotExpressible(f"its trace was cut: {event['count']} calls are missing")
    sectioned = any(event["java"] == "finding" for event in events)
    end = next(
        (
            event
            for event in events
            if event["java"] == "ended"
            or (event["java"] == "failed" and requirement in event["ids"] and not sectioned)
        ),
        None,
    )
    ended = None if end is None else int(end["moment"])
    looks = [event["moment"] for event in events if event["java"] == "looked"]
    callbacks = _callbacks(events)
    held: dict[int, tuple[str, ...]] = {}
    for event in events:
        if event["java"] == "held":
            known = held.get(event["object"], ())
            held[event["object"]] = (*known, event["as"])
    last = events[-1] if end is None else end
    calls = _apart_from_enumerations(
        [
            _call(event, callbacks, last["at"])
            for event in events
            if event["java"] in ("call", "new")
        ]
    )
    came = {object_of(call.got) for call in calls}
    came |= {object_of(value) for _, callback in callbacks for value in callback.given}
    own = [call for call in calls if call.on is None or call.on in came]  # or a scenario before's
    done = [fault for fault in faults(events) if ended is None or fault.moment < ended]
    if any(_around(fault.moment, fault.thread, callbacks) for fault in done):
        raise NotExpressible("a listener itself makes a fault between client and broker")
    return CallRecording(
        place,
        _without_polls([call for call in own if ended is None or call.moment < ended]),
        tuple(callback for _, callback in callbacks if ended is None or callback.moment < ended),
        {event["number"]: event["as"] for event in events if event["java"] == "listener"},
        held,
        ended,
        max((moment for moment in looks if ended is None or moment < ended), default=0),
        relays(events),
        tuple(done),
    )


def _only_place(events: Iterable[Mapping[str, Any]]) -> BrokerPlace:
    """The broker's place, though clients reach it by relays as well; or `NotExpressible`."""
    ways = {event["url"]: event for event in events if event["java"] == "at"}
    if not ways:
        raise NotExpressible(
            "its trace has no calls of Java: the client is not in Java, or the run is an old one"
        )
    behind = {event["here"]: event["broker"] for event in events if event["java"] == "relay"}
    if behind and any(map(_tells_where, ways)):
        raise NotExpressible("the broker tells its clients another address than the relay's")
    places = {_place(event, behind) for event in ways.values()}
    if len(places) > 1:
        raise NotExpressible("the scenario reaches its broker in several ways, as through a proxy")
    return places.pop()


def _tells_where(url: str) -> bool:
    scheme = urlsplit(url).scheme
    return any(each.tells_where and scheme in each.schemes for each in families().values())


def _declared(event: Mapping[str, Any]) -> str:
    """The interface by which it is called: a client's own class may be none that others see."""
    if event["method"] in ("hasMoreElements", "nextElement"):
        return "java.util.Enumeration"
    return str(event.get("as", ""))


def java_events(lines: Iterable[str]) -> list[dict[str, Any]]:
    """What the lines of a trace say of calls of Java."""
    return [event for event in map(json.loads, lines) if "java" in event]


def _place(event: Mapping[str, Any], behind: Mapping[str, str]) -> BrokerPlace:
    url, admin = urlsplit(event["url"]), urlsplit(event.get("admin", ""))
    there = BrokerPlace(url.hostname or "", url.port or 0, admin.port or 0)
    broker = behind.get(there.address)
    return there if broker is None else replace(place_of(broker), admin_port=there.admin_port)


def _apart_from_enumerations(calls: list[Call]) -> list[Call]:
    """Each browser that is its own enumeration apart from that: other clients make another."""
    both = {call.on for call in calls if call.method == _GIVES and object_of(call.got) == call.on}

    def apart(call: Call) -> Call:
        if call.on is None or call.on not in both:
            return call
        if call.method == _GIVES and call.got is not None:
            return replace(call, got={**call.got, "object": -call.on})
        return replace(call, on=-call.on) if call.interface == "Enumeration" else call

    return list(map(apart, calls))


def _without_polls(calls: list[Call]) -> tuple[Call, ...]:
    """Without those of the same question asked again and again that had no answer yet."""
    kept: list[Call] = []
    asked: set[tuple[object, ...]] = set()
    for call in reversed(calls):
        question = call.on, call.method, json.dumps(call.given)
        polls = call.method.startswith("receive") and call.got is None and not call.threw
        if not (polls and question in asked):
            kept.append(call)
        asked = {pair for pair in asked if pair[0] != call.on}
        if call.method.startswith("receive"):
            asked.add(question)
    return tuple(kept[::-1])


def calls_of_the_api(recording: CallRecording) -> list[Call]:
    """The calls that an application makes: those of JMS, and how the factory is made."""
    made = {
        call.got["object"]
        for call in recording.calls
        if call.on is None and call.got is not None and "object" in call.got
    }
    kept = []
    for call in recording.calls:
        of_jms = call.declared.startswith(("jakarta.jms.", "javax.jms.", "java.util.Enumeration"))
        makes = call.on is None and ("." in call.method or call.method in ("byte[]", FOREIGN))
        sets = call.on in made and not of_jms
        changes = call.method == "="
        if of_jms or makes or changes or (sets and call.method.startswith("set")):
            kept.append(call)
    return kept


def object_of(value: Value) -> int | None:
    """The number of the object that a value is."""
    return value.get("object") if value is not None else None


def _callbacks(events: list[dict[str, Any]]) -> list[tuple[int, Callback]]:
    """The calls of listeners, each with the thread that it ran on."""
    callbacks: list[tuple[int, Callback]] = []
    times: dict[tuple[int, str], int] = {}
    for index, event in enumerate(events):
        if event["java"] != "callback":
            continue
        key = event["number"], event["method"]
        times[key] = times.get(key, 0) + 1
        back = next(
            (
                later
                for later in events[index + 1 :]
                if later["java"] == "returned"
                and (later["thread"], later["number"]) == (event["thread"], event["number"])
            ),
            None,
        )
        callback = Callback(
            *(event["number"], times[key], event["method"], tuple(event["given"])),
            event["moment"],
            back["moment"] if back else None,
            tuple(back.get("threw", ())) if back else (),
        )
        callbacks.append((event["thread"], callback))
    return callbacks


def _around(moment: int, thread: int, callbacks: list[tuple[int, Callback]]) -> list[Callback]:
    """The calls of listeners that the thread was in then."""
    return [
        callback
        for its_thread, callback in callbacks
        if its_thread == thread and callback.moment < moment < (callback.until or moment + 1)
    ]


def _call(event: Mapping[str, Any], callbacks: list[tuple[int, Callback]], last: float) -> Call:
    """A call; what never came back went on to the `last` time."""
    around = _around(event["moment"], event["thread"], callbacks)
    return Call(
        moment=event["moment"],
        until=event.get("until"),
        on=event.get("on"),
        declared=_declared(event),
        method=event["method"],
        given=tuple(event["given"]),
        got=event.get("got"),
        threw=tuple(event.get("threw", ())),
        text=event.get("text", ""),
        at=event["at"],
        back=event.get("back", last),
        thread=event["thread"],
        within=around[-1] if around else None,
        filled=event.get("filled"),
    )
