"""Drawn messages on the wire notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import pytest

from drawn.sessions_in_memory import declared_by
from drawn.wire_in_memory import Change, InMemory
from drawn.wrong_wires import (
    accused,
    added,
    added_over,
    also_as_documented,
    changed,
    disagreements,
    lost,
    never,
    of_kind,
    of_type,
    plus_a_second,
    to,
    untyped,
    without_companions,
)
from jms_scenarios.starlight.interop import test_drawn_programs as declaring
from touchstone.drawn.pulsar_wire.driving import WireDriver
from touchstone.drawn.pulsar_wire.foreign_driving import ForeignDriver

SENT: Final = declared_by(declaring.test_drawn_messages_travel)
FOREIGN: Final = declared_by(declaring.test_drawn_foreign_messages_arrive)
BROKEN_BY_ALL: Final = {
    "SLJ-PROP-003",
    "SLJ-PROP-004",
    "SLJ-PROP-020",
    "SLJ-HDR-004",
    "SLJ-HDR-008",
}
BY_THE_BROKER: Final = {"SLJ-PROP-023"}
"""Of what a broker alone tells."""


@pytest.mark.parametrize("is_foreign", [False, True])
def test_the_reference_is_accused_of_nothing_and_all_is_decided(is_foreign: bool) -> None:
    kind: Any = ForeignDriver if is_foreign else WireDriver
    driver = kind(lambda program: InMemory())
    assert [str(each) for each in disagreements(driver, is_foreign=is_foreign)] == []
    declared = (FOREIGN if is_foreign else SENT) - BROKEN_BY_ALL - BY_THE_BROKER
    assert sorted(id_ for id_ in declared if not driver.decided[id_]) == []
    assert sorted(driver.decided.keys() - (FOREIGN if is_foreign else SENT)) == []


WRITES: Final[Mapping[str, tuple[Change, set[str]]]] = {
    "int in hexadecimal": (of_type("int", lambda t: hex(int(t))), {"SLJ-PROP-001", "SLJ-PROP-002"}),
    "boolean in capitals": (of_type("boolean", str.upper), {"SLJ-PROP-001"}),
    "double as Python has it": (
        of_type("double", lambda t: t.replace("E", "e")),
        {"SLJ-PROP-001", "SLJ-PROP-011"},
    ),
    "float as Python has it": (
        of_type("float", lambda t: t.replace("E", "e")),
        {"SLJ-PROP-001", "SLJ-PROP-012"},
    ),
    "no companions": (without_companions, {"SLJ-PROP-015"}),
    "companions in both spellings": (also_as_documented, {"SLJ-PROP-015"}),
    "group is no key": (lambda raw: [replace(raw, key=None)], {"SLJ-PROP-019"}),
    "key in capitals": (
        lambda raw: [replace(raw, key=raw.key and raw.key.upper())],
        {"SLJ-PROP-019"},
    ),
    "no connection id": (changed("JMSConnectionID", never), {"SLJ-PROP-025"}),
    "one connection id": (changed("JMSConnectionID", to("one")), {"SLJ-PROP-025"}),
    "no type": (changed("JMSType", never), {"SLJ-HDR-001"}),
    "correlation is plain": (changed("JMSCorrelationID", to("YQ==")), {"SLJ-HDR-002"}),
    "simple reply": (
        changed("JMSReplyTo", lambda t: t.rpartition("/")[2]),
        {"SLJ-HDR-005"},
    ),
    "reply topic as queue": (changed("JMSReplyToType", to("queue")), {"SLJ-HDR-007"}),
    "temporary reply has a type of its own": (
        lambda raw: (
            added_over(raw, "JMSReplyToType", "temporary-queue")
            if raw.properties.get("JMSReplyTo", "").endswith("temporary-q")
            else [raw]
        ),
        {"SLJ-HDR-006", "SLJ-HDR-009"},
    ),
    "reply without its tenant": (
        changed("JMSReplyTo", lambda t: t.replace("other/space", "public/default")),
        {"SLJ-HDR-005"},
    ),
    "reply where there is none": (
        added("JMSReplyTo", "persistent://public/default/none"),
        {"SLJ-HDR-005"},
    ),
    "kinds alike": (changed("JMSPulsarMessageType", to("text")), {"SLJ-BODY-006"}),
    "stream twice": (
        lambda raw: [raw] * (2 if of_kind("stream")(raw) else 1),
        {"SLJ-BODY-007"},
    ),
    "text in another encoding": (
        lambda raw: [replace(raw, payload=raw.payload + b"\0") if of_kind("text")(raw) else raw],
        {"SLJ-INTR-001"},
    ),
    "mode by its name": (changed("JMSDeliveryMode", to("NON_PERSISTENT")), {"SLJ-MODE-001"}),
    "mode always": (added("JMSDeliveryMode", "2"), {"SLJ-MODE-002"}),
    "what is not persistent is lost": (
        lost(lambda raw: "JMSDeliveryMode" in raw.properties),
        {"SLJ-MODE-004"},
    ),
    "priority is reversed": (
        changed("JMSPriority", lambda t: str(9 - int(t))),
        {"SLJ-PRIO-001"},
    ),
    "priority always": (added("JMSPriority", "4"), {"SLJ-PRIO-002"}),
    "expiration in seconds": (changed("JMSExpiration", lambda t: t[:-3]), {"SLJ-EXP-001"}),
    "expiration always": (added("JMSExpiration", "2000000000000"), {"SLJ-EXP-004"}),
    "what expires is lost": (
        lost(lambda raw: 0 < int(raw.properties.get("JMSExpiration", 0)) < 2**41),
        {"SLJ-EXP-003"},
    ),
    "delivery time is late": (changed("JMSDeliveryTime", plus_a_second), {"SLJ-DLY-007"}),
}
"""What a wrong client writes, and which statements have to notice it."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", WRITES)
def test_wrong_raw_message_is_noticed(name: str) -> None:
    change, ids = WRITES[name]
    assert ids <= accused(partial(InMemory, writes=change))


READS: Final[Mapping[str, tuple[Change, set[str]]]] = {
    **{
        f"{type_} as a text": (partial(untyped, type_), {id_})
        for type_, id_ in (
            ("boolean", "SLJ-PROP-006"),
            ("byte", "SLJ-PROP-007"),
            ("short", "SLJ-PROP-008"),
            ("long", "SLJ-PROP-009"),
            ("double", "SLJ-PROP-013"),
            ("float", "SLJ-PROP-014"),
        )
    },
    "int as a text": (partial(untyped, "int"), {"SLJ-PROP-005", "SLJ-PROP-024"}),
    "group from elsewhere": (
        lambda raw: [replace(raw, key=raw.key and "x")],
        {"SLJ-PROP-021"},
    ),
    "no sequence": (changed("JMSXGroupSeq", never), {"SLJ-PROP-024"}),
    **{
        f"{name} is supplied": (added(name, "x"), {id_})
        for name, id_ in (
            ("JMSXUserID", "SLJ-PROP-026"),
            ("JMSXAppID", "SLJ-PROP-027"),
            ("JMSXProducerTXID", "SLJ-PROP-028"),
            ("JMSXConsumerTXID", "SLJ-PROP-029"),
            ("JMSXRcvTimestamp", "SLJ-PROP-030"),
            ("JMSXState", "SLJ-PROP-031"),
        )
    },
    "type is lost": (changed("JMSType", never), {"SLJ-HDR-001"}),
    "correlation is not decoded": (changed("JMSCorrelationID", to("YQ==")), {"SLJ-HDR-003"}),
    "reply queue as topic": (added("JMSReplyToType", "topic"), {"SLJ-HDR-006"}),
    "reply topic as queue": (changed("JMSReplyToType", never), {"SLJ-HDR-007"}),
    **{
        f"{kind} as bytes": (
            partial(
                lambda kind, raw: (
                    changed("JMSPulsarMessageType", to("bytes"))(raw)
                    if of_kind(kind)(raw)
                    else [raw]
                ),
                kind,
            ),
            {id_},
        )
        for kind, id_ in (
            ("text", "SLJ-BODY-001"),
            ("stream", "SLJ-BODY-003"),
            ("map", "SLJ-BODY-004"),
            ("object", "SLJ-BODY-005"),
        )
    },
    "bytes are lost": (lost(of_kind("bytes")), {"SLJ-BODY-002"}),
    "mode is lost": (changed("JMSDeliveryMode", never), {"SLJ-MODE-003"}),
    "priority is lost": (changed("JMSPriority", never), {"SLJ-PRIO-003", "SLJ-PRIO-040"}),
    "expiration is lost": (changed("JMSExpiration", never), {"SLJ-EXP-001"}),
    "delivery time is lost": (changed("JMSDeliveryTime", to("7")), {"SLJ-DLY-007"}),
}
"""What a wrong client makes of what it reads."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", READS)
def test_wrong_receiver_is_noticed_by_that_alone(name: str) -> None:
    change, ids = READS[name]
    assert accused(partial(InMemory, reads=change)) == ids


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("counts", "id_"),
    [((1, 1), "SLJ-REDL-003"), ((0, 0), "SLJ-REDL-002"), ((0, 2), "SLJ-REDL-001")],
)
def test_wrong_count_is_noticed(counts: tuple[int, int], id_: str) -> None:
    assert id_ in accused(partial(InMemory, counts=counts))


FOREIGN_READS: Final[Mapping[str, tuple[Change, set[str]]]] = {
    "digits are guessed": (
        lambda raw: [
            replace(
                raw,
                properties={
                    **raw.properties,
                    **{
                        f"{name}_jsmtype": "int"
                        for name, text in raw.properties.items()
                        if text == "42" and f"{name}_jsmtype" not in raw.properties
                    },
                },
            )
        ],
        {"SLJ-PROP-017"},
    ),
    "foreign bytes are text": (added("JMSPulsarMessageType", "text"), {"SLJ-INTR-003"}),
    "another reply is a queue": (
        lambda raw: (
            changed("JMSReplyToType", to("queue"))(raw)
            if raw.properties.get("JMSReplyToType") not in ("queue", "topic")
            else [raw]
        ),
        {"SLJ-HDR-009"},
    ),
    "no kind is known": (changed("JMSPulsarMessageType", never), {"SLJ-INTR-002"}),
}
"""What a wrong client makes of what others write."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", FOREIGN_READS)
def test_wrong_receiver_of_foreign_messages_is_noticed_by_that_alone(name: str) -> None:
    change, ids = FOREIGN_READS[name]
    assert accused(partial(InMemory, reads=change), is_foreign=True) == ids
