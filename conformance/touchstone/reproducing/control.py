"""Controls: clients that keep a statement, which a program of another must not accuse.

A control's program is the same but for the ConnectionFactory, which is made as in its own run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from jms_brokers.brokers.profiles import PLAIN
from jms_clients.readiness import java_range
from jms_clients.registry import load_provider
from jvm_runtime import locks
from jvm_runtime.locks import Lock
from touchstone.errors import UsageError
from touchstone.reproducing.program_java import USUAL, ProgramJava
from touchstone.reproducing.recording import (
    Call,
    CallRecording,
    NotExpressible,
    Value,
    object_of,
    recording,
)
from touchstone.reproducing.relays import BrokerPlace
from touchstone.results.run_folder import TRACES, read_finished
from touchstone.verdicts import Verdict


@dataclass(frozen=True)
class Control:
    """A client, as a run has judged it."""

    client: str
    """Its provider and version."""
    broker: Mapping[str, str]
    namespace: str
    lock: Lock
    kept: frozenset[tuple[str, str]]
    """The scenarios and requirements that it kept."""
    factory: Sequence[Call]
    """How its ConnectionFactory is made, for a broker at `place`."""
    place: BrokerPlace
    java: ProgramJava = USUAL

    @classmethod
    def of_run(cls, run: Path) -> Self:
        """The client of a run; UsageError where that judged none in Java, or has no trace."""
        facts, lines = read_finished(run)
        made = [made for trace in sorted((run / TRACES).glob("*")) if (made := made_in(trace))]
        told = facts["providers"][0]
        provider = load_provider(told["name"])
        namespace, program = (getattr(provider, name, None) for name in ("namespace", "program"))
        if not made or namespace is None or program is None:
            raise UsageError(
                f"{run} is no control: no trace of it shows how a client in Java is made",
                hint="Judge one in Java; a run of many scenarios has traces.",
            )
        factory, place = min(made, key=lambda each: len(each[0]))
        kept = (line for line in lines if line["verdict"] == Verdict.CONFORMS)
        return cls(
            f"{told['name'].partition('@')[0]} {told['version']}",
            min(facts["brokers"], key=lambda broker: broker["profile"] != PLAIN),
            namespace,
            locks.load(program),
            frozenset((line["scenario"], line["requirement"]) for line in kept),
            factory,
            place,
            ProgramJava(java_range(provider).oldest, told.get("java") or facts.get("java", "")),
        )

    def calls(self, other: CallRecording) -> CallRecording:
        """The calls of another client, made of this one's factories."""
        theirs = [call for call in other.calls if _makes(call, other.calls)]
        own: list[Call] = []
        numbers = dict.fromkeys(object_of(call.got) for call in theirs if call.on is None)
        for count, number in enumerate(numbers, start=1):
            place = _place_of(number, theirs, other)
            own += self._made_as(number, place, -len(self.factory) * count)
        return replace(other, calls=(*own, *(c for c in other.calls if c not in theirs)))

    def _made_as(self, number: int | None, place: BrokerPlace, first: int) -> list[Call]:
        """This one's factory as the object `number`, from the moment `first` on."""

        def there(value: Value) -> Value:
            text = json.dumps(value).replace(
                f"{self.place.host}:{self.place.port}", f"{place.host}:{place.port}"
            )
            known: Any = json.loads(text)
            if known == {"int": str(self.place.port)}:
                return {"int": str(place.port)}
            return {**known, "object": number} if object_of(known) is not None else known

        return [
            replace(
                call,
                moment=first + at,
                until=first + at,
                on=None if call.on is None else number,
                given=tuple(map(there, call.given)),
                got=there(call.got),
            )
            for at, call in enumerate(self.factory)
        ]


def _place_of(number: int | None, makes: Sequence[Call], recording: CallRecording) -> BrokerPlace:
    """Where the factory of this number finds its broker: behind a relay, or at its own place."""
    given = [
        value for call in makes if number in (call.on, object_of(call.got)) for value in call.given
    ]
    text = json.dumps(given)
    for relay in recording.relays.values():
        if relay.address in text or {"int": str(relay.port)} in given:
            return relay
    return recording.place


def made_in(trace: Path) -> tuple[Sequence[Call], BrokerPlace] | None:
    """How the factory of a trace was made; None where there is none, or another one as well."""
    try:
        recorded = recording(trace.read_text(encoding="utf-8").splitlines())
    except NotExpressible:
        return None
    if recorded.relays:
        return None
    calls = [call for call in recorded.calls if _makes(call, recorded.calls)]
    return (calls, recorded.place) if sum(call.on is None for call in calls) == 1 else None


def _makes(call: Call, calls: Sequence[Call]) -> bool:
    """Whether the call makes a factory, or sets something of one."""
    if call.on is None:
        return "Factory" in call.method
    made = {object_of(each.got) for each in calls if each.on is None and "Factory" in each.method}
    return call.on in made and call.method.startswith("set")
