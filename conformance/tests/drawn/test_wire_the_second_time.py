"""What is wrong only when a message comes again or is sent on is noticed, as are companions."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import pytest

from drawn.wire_in_memory import Change, InMemory, RawMessage
from drawn.wrong_wires import (
    accused,
    added,
    changed,
    never,
    to,
    untyped,
    without_companions,
)
from jms_model.pulsar_wire.looks import NUMBER
from pulsar_jms.mapping import properties
from pulsar_jms.mapping.properties import BOOKKEEPING
from pulsar_jms.messages import received_properties

AGAIN: Final[Mapping[str, tuple[Change, set[str]]]] = {
    **{
        f"{name} is supplied": (added(name, "x"), {id_})
        for name, id_ in (
            ("JMSXConsumerTXID", "SLJ-PROP-029"),
            ("JMSXRcvTimestamp", "SLJ-PROP-030"),
            ("JMSXState", "SLJ-PROP-031"),
        )
    },
    "type is lost": (changed("JMSType", never), {"SLJ-HDR-001"}),
    "priority is lost": (changed("JMSPriority", never), {"SLJ-PRIO-003", "SLJ-PRIO-040"}),
    "ints are texts": (partial(untyped, "int"), {"SLJ-PROP-005", "SLJ-PROP-024"}),
}
"""What a wrong client makes of what comes again."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", AGAIN)
def test_what_is_wrong_when_it_comes_again_is_noticed(name: str) -> None:
    change, ids = AGAIN[name]
    assert accused(partial(InMemory, reads_again=change)) == ids


ONWARD: Final[Mapping[str, tuple[Change, set[str]]]] = {
    "no companions": (without_companions, {"SLJ-PROP-005", "SLJ-PROP-015"}),
    "no type": (changed("JMSType", never), {"SLJ-HDR-001"}),
    "group is no key": (lambda raw: [replace(raw, key=None)], {"SLJ-PROP-019", "SLJ-PROP-021"}),
    "another priority": (changed("JMSPriority", to("4")), {"SLJ-PRIO-001", "SLJ-PRIO-003"}),
    "the connection of the first": (changed("JMSConnectionID", to("one")), {"SLJ-PROP-025"}),
    "correlation is encoded again": (
        changed("JMSCorrelationID", lambda t: b64encode(t.encode()).decode()),
        {"SLJ-HDR-002", "SLJ-HDR-003"},
    ),
    "redelivery is kept": (added("JMSXState", "1"), {"SLJ-PROP-031"}),
}
"""What a wrong client writes of what was received and is sent on."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", ONWARD)
def test_what_is_wrong_when_it_is_sent_on_is_noticed(name: str) -> None:
    change, ids = ONWARD[name]
    assert ids <= accused(partial(InMemory, writes_onward=change))


@pytest.mark.parametrize("is_foreign", [False, True])
def test_companions_that_are_shown_are_noticed(
    is_foreign: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(properties, "_is_property", lambda name, wire: name not in BOOKKEEPING)
    assert accused(InMemory, is_foreign=is_foreign) == {"SLJ-PROP-015", "SLJ-PROP-016"}


@pytest.mark.parametrize("is_foreign", [False, True])
def test_companions_that_are_there_without_being_named_are_noticed(
    is_foreign: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_property = properties._is_property
    monkeypatch.setattr(
        received_properties,
        "received_names",
        lambda wire: [name for name in wire if is_property(name, wire)],
    )
    monkeypatch.setattr(properties, "_is_property", lambda name, wire: name not in BOOKKEEPING)
    assert accused(InMemory, is_foreign=is_foreign) == {"SLJ-PROP-015", "SLJ-PROP-016"}


TWICE: Final[Mapping[str, tuple[Change, set[str]]]] = {
    "no companions": (without_companions, {"SLJ-PROP-005", "SLJ-PROP-015"}),
    "no type": (changed("JMSType", never), {"SLJ-HDR-001"}),
    "group is no key": (lambda raw: [replace(raw, key=None)], {"SLJ-PROP-019", "SLJ-PROP-021"}),
    "no priority": (changed("JMSPriority", never), {"SLJ-PRIO-001", "SLJ-PRIO-003"}),
}
"""What a wrong client writes of a message that it has sent before."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", TWICE)
def test_what_is_wrong_the_second_time_is_noticed(name: str) -> None:
    change, ids = TWICE[name]
    before = [""]

    def the_second_time(raw: RawMessage) -> Sequence[RawMessage]:
        is_second = before[0] == raw.properties[NUMBER]
        before[0] = raw.properties[NUMBER]
        return change(raw) if is_second else [raw]

    assert ids <= accused(partial(InMemory, writes=the_second_time))


@pytest.mark.thorough
def test_what_is_wrong_when_a_foreign_message_is_sent_on_is_noticed() -> None:
    wrong = partial(InMemory, writes_onward=changed("JMSType", never))
    assert accused(wrong, is_foreign=True) == {"SLJ-HDR-001"}
