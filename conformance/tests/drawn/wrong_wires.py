"""What wrong clients make of messages on the wire, and by which statements they are accused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final
from unittest.mock import patch

from drawn.listed_programs import listed
from drawn.wire_in_memory import Change, InMemory, RawMessage
from touchstone.drawn import driving
from touchstone.drawn.driving import Disagreement
from touchstone.drawn.pulsar_wire import judging
from touchstone.drawn.pulsar_wire.drawing import programs
from touchstone.drawn.pulsar_wire.driving import WireDriver
from touchstone.drawn.pulsar_wire.foreign_drawing import foreign_programs
from touchstone.drawn.pulsar_wire.foreign_driving import ForeignDriver

ERRORS: Final = "jmsapi.errors"
"""The module of what a client raises."""
KNOWN: Final = {
    "raw_companion gave null",
    "raw_type_name gave another text",
    "raw_property of the group gave another text",
    "raw_property of the id gave null",
    "raw_property of a reply queue gave null",
    "reply_kind without a type gave another text",
}
"""What the reference is known for."""


@cache
def drawn(is_foreign: bool) -> Sequence[Any]:
    """The programs of every run."""
    made, count = (
        (foreign_programs(), judging.FOREIGN) if is_foreign else (programs(), judging.PROGRAMS)
    )
    return listed(made, count, 0)


def disagreements(driver: Any, *, is_foreign: bool) -> Iterator[Disagreement]:
    """What the programs show, and is not known."""
    with patch.object(
        driving, "is_raised_by_client", lambda error: type(error).__module__ == ERRORS
    ):
        for program in drawn(is_foreign):
            refuted = driver.disagreements(program)
            yield from (each for each in refuted if each.signature not in KNOWN)


def accused(topic: Callable[[], InMemory], *, is_foreign: bool = False) -> set[str]:
    """The statements by which a client is accused."""
    kind: Any = ForeignDriver if is_foreign else WireDriver
    driver = kind(lambda program: topic())
    return {id_ for each in disagreements(driver, is_foreign=is_foreign) for id_ in each.ids}


def changed(name: str, make: Callable[[str], str | None]) -> Change:
    """A raw property is another, or is not there."""

    def change(raw: RawMessage) -> Sequence[RawMessage]:
        if name not in raw.properties:
            return [raw]
        properties = {**raw.properties}
        text = make(properties.pop(name))
        return [replace(raw, properties=properties if text is None else {**properties, name: text})]

    return change


def added(name: str, text: str) -> Change:
    """There is a raw property that must not be there."""
    return lambda raw: [replace(raw, properties={name: text, **raw.properties})]


def added_over(raw: RawMessage, name: str, text: str) -> Sequence[RawMessage]:
    """A raw property is another, or is there besides."""
    return [replace(raw, properties={**raw.properties, name: text})]


def of_type(type_: str, make: Callable[[str], str]) -> Change:
    """The texts of the properties of a type are others."""

    def change(raw: RawMessage) -> Sequence[RawMessage]:
        properties = {
            name: make(text) if raw.properties.get(f"{name}_jsmtype") == type_ else text
            for name, text in raw.properties.items()
            if not name.startswith("JMS") or name == "JMS_foo"
        }
        return [replace(raw, properties={**raw.properties, **properties})]

    return change


def lost(has: Callable[[RawMessage], bool]) -> Change:
    return lambda raw: [] if has(raw) else [raw]


def of_kind(kind: str) -> Callable[[RawMessage], bool]:
    return lambda raw: raw.properties.get("JMSPulsarMessageType") == kind


def without_companions(raw: RawMessage) -> Sequence[RawMessage]:
    kept = {name: text for name, text in raw.properties.items() if not name.endswith("_jsmtype")}
    return [replace(raw, properties=kept)]


def untyped(type_: str, raw: RawMessage) -> Sequence[RawMessage]:
    """Without the companions of one type."""
    kept = {
        name: text
        for name, text in raw.properties.items()
        if not (name.endswith("_jsmtype") and text == type_)
    }
    return [replace(raw, properties=kept)]


def also_as_documented(raw: RawMessage) -> Sequence[RawMessage]:
    """With companions in both spellings."""
    more = {
        name.replace("_jsmtype", "_jmstype"): text
        for name, text in raw.properties.items()
        if name.endswith("_jsmtype")
    }
    return [replace(raw, properties={**more, **raw.properties})]


def never(_: str) -> None:
    return None


def to(text: str) -> Callable[[str], str]:
    return lambda _: text


def plus_a_second(text: str) -> str:
    return str(int(text) + 60_000)
