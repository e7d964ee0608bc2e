"""What clients exchange and what is expected of it, without any broker."""

from __future__ import annotations

import base64
import datetime
import json
from collections import Counter
from pathlib import Path

import pytest

from jmsapi import Byte, Char, Double, Float, Int, Long, Short, Value
from touchstone.catalogue import load_library
from touchstone.catalogue.deviations import Deviation, Subject, load_deviations, read_deviations
from touchstone.errors import HarnessError, ProviderError, UsageError
from touchstone.families.settings import BrokerSettings
from touchstone.interop.behaviours import BEHAVIOURS, JMS, RAW
from touchstone.interop.expectations import read_by_jms, read_raw, times_told, when_sent
from touchstone.interop.judging import Client, Exchange, compared, explained, stale, unless
from touchstone.interop.pairs import EVERYBODY, Pair, sample_exchanges
from touchstone.interop.parts import Reading, Sent
from touchstone.interop.raw.forms import raw_properties, told
from touchstone.interop.raw.messages import message_id
from touchstone.interop.running import Wanted, check, clients_of, names_of_exchanges
from touchstone.interop.samples import KINDS, NAME, samples
from touchstone.interop.script import (
    long_text,
)
from touchstone.interop.shown import shown
from touchstone.interop.wire_forms import java_object, map_of_one, modified_utf8, stream
from touchstone.verdicts import Verdict

SAMPLES = samples("tenant/space")
RECORDED = Path(__file__).parents[2] / "impl/tests/data/starlight-wire.json"
GOLDEN = {
    vector["name"]: base64.b64decode(raw["payload_b64"])
    for vector in json.loads(RECORDED.read_text("utf-8"))
    for raw in vector["observed"] or ()
    if vector["direction"] == "jms->wire" and isinstance(raw, dict)
}
ITEMS: list[Value | None] = [
    *(True, Byte(-1), Short(258), Char("A"), Int(1), Long(2), Float(1.0), Double(1.0)),
    *("é", b"\x09\x08", b"", None, None),
]
SENT = Sent(1_000, 1_002, "ID:1:2:-1")
LIBRARY = load_library()


def subject(provider: str, version: str = "1") -> Subject:
    return Subject(provider, version, "native", "pulsar", "4.0.7")


def entry(**changes: object) -> Deviation:
    fields = {
        "file": "file.toml",
        "provider": "one",
        "requirement": "SLJ-PRIO-003",
        "message": "JMSPriority is * instead of 9",
        "kind": "known-defect",
        "reason": "It is so.",
        "link": "",
        "date": datetime.date(2026, 11, 22),
        "scenario": "exchange/priority-9",
    }
    return Deviation(**{**fields, **changes})  # type: ignore[arg-type]


ONE, OTHER = Client("one", subject("one")), Client("other", subject("other"))


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("map-int", map_of_one("k", Int(1))),
        ("map-long", map_of_one("k", Long(1))),
        ("map-byte", map_of_one("k", Byte(1))),
        ("map-char", map_of_one("k", Char("A"))),
        ("map-double", map_of_one("k", Double(1.0))),
        ("map-null", map_of_one("k", None)),
        ("map-long-key", map_of_one("q" * 300, Int(1))),
        ("object-int", java_object(Int(1))),
        ("object-double", java_object(Double(1.5))),
        ("object-bytes", java_object(b"\x01\x02")),
        ("object-hashmap", SAMPLES["object-map"].payload),
        (
            "stream-seq",
            stream(ITEMS),
        ),
    ],
)
def test_bodies_are_those_of_the_real_client(name: str, payload: bytes) -> None:
    assert payload == GOLDEN[name]


@pytest.mark.parametrize(
    ("value", "payload"),
    [
        ("a", "74000161"),
        (
            Short(1),
            "7372000f6a6176612e6c616e672e53686f7274684d37133460da5202000153000576616c7565787200106a61"
            "76612e6c616e672e4e756d62657286ac951d0b94e08b02000078700001",
        ),
        (
            True,
            "737200116a6176612e6c616e672e426f6f6c65616ecd207280d59cfaee0200015a000576616c7565787001",
        ),
        (
            Float(1.0),
            "7372000f6a6176612e6c616e672e466c6f6174daedc9a2db3cf0ec02000146000576616c7565787200106a61"
            "76612e6c616e672e4e756d62657286ac951d0b94e08b02000078703f800000",
        ),
        (b"\1\2\3", "757200025b42acf317f8060854e0020000787000000003010203"),
    ],
)
def test_values_are_written_as_java_writes_them(value: Value, payload: str) -> None:
    assert java_object(value).hex() == f"aced0005{payload}"


def test_long_texts_have_a_longer_count() -> None:
    assert (
        map_of_one("k", "y" * 70_000).hex().startswith("aced000577070000000100016b7c000000000001")
    )
    assert modified_utf8("a\0é😀").hex() == "61c080c3a9eda0bdedb880"


def test_no_form_is_made_up() -> None:
    with pytest.raises(TypeError, match="the form of a list is not recorded"):
        java_object([])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (Byte(-1), "byte -1"),
        (Double(-0.0), "double -0.0"),
        (Float(float("nan")), "float nan"),
        (Char('"'), 'char "\\""'),
        ("é\x00", '"\\u00e9\\u0000"'),
        (b"\x09", "bytes 09"),
        ({"b": [Int(1)], "a": None}, '{"a": null, "b": [int 1]}'),
        (7, "untyped int 7"),
        (complex(1), "complex (1+0j)"),
    ],
)
def test_values_are_shown_with_their_types(value: object, text: str) -> None:
    assert shown(value) == text


def test_values_of_other_types_are_shown_otherwise() -> None:
    alike = [
        Byte(1),
        Short(1),
        Int(1),
        Long(1),
        Float(1.0),
        Double(1.0),
        True,
        "1",
        b"1",
        Char("1"),
    ]
    assert len({shown(value) for value in alike}) == len(alike)


def test_long_values_are_told_apart_by_their_checksums() -> None:
    first, second = shown("a" * 1000 + "b"), shown("a" * 1000 + "c")
    assert first != second
    assert max(len(first), len(second)) < 200


def test_samples_cover_every_kind_and_have_names_of_their_own() -> None:
    assert {sample.kind for sample in SAMPLES.values()} == set(KINDS)
    assert not set(SAMPLES) & set(BEHAVIOURS)
    assert len(SAMPLES) > 150
    assert all(NAME not in sample.properties for sample in SAMPLES.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_raw_form_of_a_sample_is_what_a_raw_reader_has_to_see(name: str) -> None:
    """The two are written apart: what is sent by the plain client, and what it is to read."""
    sample = SAMPLES[name]
    sent = Sent(1_000, 1_000, sample.raw.get("JMSMessageId", "ID:1:2:-1"))
    properties = raw_properties(sample, 1_000)
    payload = "no value" if sample.payload is None else shown(sample.payload)
    view = times_told(
        {
            "raw payload": payload,
            "raw key": shown(sample.key),
            "raw event time": "1000",
            "JMSMessageID": shown("ID:1:2:-1"),
            **{f"raw {shown(key)}": shown(text) for key, text in told(properties).items()},
        },
        sent,
        (sample.options.get("time_to_live", 0),),
    )
    expected = {k: v for k, v in read_raw(sample, sent).items() if k != "raw names"}
    assert compared(expected, view) == ()


@pytest.mark.parametrize("name", SAMPLES)
def test_each_expectation_names_a_requirement(name: str) -> None:
    sample = SAMPLES[name]
    for expected in (read_by_jms(sample, SENT, "queue"), read_raw(sample, SENT)):
        assert {id_ for _, id_ in expected.values()} <= LIBRARY.requirements.keys()


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=lambda one: one.name)
def test_each_behaviour_expects_something_by_a_requirement(behaviour: object) -> None:
    for producer in (JMS, RAW):
        for consumer in (JMS, RAW):
            expected = behaviour.expected(producer, consumer, {"message_id": "m", "ids": ["1"]})  # type: ignore[attr-defined]
            assert expected
            assert {id_ for _, id_ in expected.values()} <= LIBRARY.requirements.keys()


def test_times_are_told_from_the_time_of_sending() -> None:
    view = {
        "JMSTimestamp": "1001",
        "JMSDeliveryTime": "2502",
        "JMSExpiration": "0",
        "raw event time": "900",
        'raw "JMSDeliveryTime"': '"x"',
        "JMSPriority": "1001",
    }
    assert times_told(view, SENT, (1500,)) == {
        "JMSTimestamp": when_sent(),
        "JMSDeliveryTime": when_sent(1500),
        "JMSExpiration": "0",
        "raw event time": "-100 ms from the time of sending",
        'raw "JMSDeliveryTime"': "x",
        "JMSPriority": "1001",
    }


def test_floats_are_compared_as_numbers() -> None:
    raw = {"a": "1.0E-4", "a_jsmtype": "double", "b": "0.1", "b_jsmtype": "float", "c": "1.0E-4"}
    assert told(raw) == {**raw, "a": "0.0001", "b": "0.10000000149011612"}
    assert told({"a": "x", "a_jsmtype": "double"})["a"] == "x"


class Told:
    """What pulsar-client tells of a position, by methods and by its text."""

    def __init__(self, text: str, *parts: int) -> None:
        self._text = text
        self.ledger_id, self.entry_id, self.partition, self.batch_index = (
            lambda part=part: part for part in parts
        )

    def __str__(self) -> str:
        return self._text


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (Told("(7,2,-1,-1)", 7, 2, -1, -1), "ID:7:2:-1"),
        (Told("(7,2,4,3)", 7, 2, 3, 4), "ID:7:2:3:4"),
        (Told("(7,0,-1,3);(7,2,-1,3)", 7, 2, 3, -1), "ID:7:0:3;7:2:3"),
    ],
)
def test_ids_are_those_of_the_real_client(told: Told, text: str) -> None:
    assert message_id(told) == text


def test_a_long_text_is_above_the_limit_of_the_broker_and_has_no_two_parts_alike() -> None:
    text = long_text()
    assert len(text.encode()) > 5 * 2**20
    assert len({text[at : at + 8] for at in range(0, len(text), 8)}) == len(text) // 8


def exchanges(
    reading: Reading, sent: Sent = SENT, known: tuple[Deviation, ...] = ()
) -> list[Exchange]:
    pair = Pair(ONE, OTHER, known)
    return list(sample_exchanges(pair, "q", SAMPLES, {"priority-9": sent}, reading))


def right_view() -> dict[str, str]:
    expected = read_by_jms(SAMPLES["priority-9"], SENT, "q")
    times = {when_sent(): "1001"}
    return {field: times.get(value, value) for field, (value, _) in expected.items()}


def test_a_message_that_is_seen_as_it_has_to_be_conforms() -> None:
    message, rest = exchanges(Reading({"priority-9": [right_view()]}, whole=True))
    assert message.verdict is Verdict.CONFORMS
    assert rest.verdict is Verdict.CONFORMS
    assert len(message.requirements) == len(right_view()) + 1


@pytest.mark.parametrize(
    ("reading", "sent", "message"),
    [
        (Reading(), SENT, "arrived is never instead of once"),
        (Reading(errors=["JMSException: no"]), SENT, "arrived is JMSException: no instead of once"),
        (Reading({"priority-9": [{}, {}]}), SENT, "arrived is 2 times instead of once"),
        (Reading(), Sent(error="JMSException: full"), "sent is JMSException: full instead of yes"),
        (
            Reading({"priority-9": [{**right_view(), "JMSPriority": "4"}]}),
            SENT,
            "JMSPriority is 4 instead of 9",
        ),
        (
            Reading({"priority-9": [{k: v for k, v in right_view().items() if k != "body"}]}),
            SENT,
            'body is absent instead of "h"',
        ),
    ],
)
def test_what_goes_wrong_violates(reading: Reading, sent: Sent, message: str) -> None:
    first = exchanges(reading, sent)[0]
    assert first.verdict is Verdict.VIOLATES
    assert first.reason == message


def test_an_exception_is_booked_on_a_message_only_where_no_other_can_be_meant() -> None:
    names = ("priority-8", "priority-9")
    reading = Reading(errors=["JMSException: no"])
    sent = dict.fromkeys(names, SENT)
    found = list(sample_exchanges(Pair(ONE, OTHER, ()), "q", SAMPLES, sent, reading))
    assert [each.reason for each in found][:2] == ["arrived is never instead of once"] * 2


@pytest.mark.parametrize(
    ("waited", "verdict"), [(59_999, Verdict.VIOLATES), (60_000, Verdict.INCONCLUSIVE)]
)
def test_a_message_that_is_read_behind_its_life_is_not_judged(
    waited: int, verdict: Verdict
) -> None:
    reading = Reading(until=SENT.since + waited)
    sent = {"time-to-live-minute": SENT}
    first, _ = sample_exchanges(Pair(ONE, OTHER, ()), "q", SAMPLES, sent, reading)
    assert first.verdict is verdict


@pytest.mark.parametrize("whole", [True, False])
def test_a_message_of_nobody_violates(*, whole: bool) -> None:
    assert exchanges(Reading(unknown=[{}], whole=whole))[1].verdict is Verdict.VIOLATES


def test_that_nothing_else_came_is_open_where_the_last_message_did_not() -> None:
    failed = Sent(error="JMSException: full")
    read = Reading({"priority-9": [right_view()]}, errors=["JMSException: no"])

    assert exchanges(Reading(whole=True), failed)[1].verdict is Verdict.CONFORMS
    for rest in (exchanges(Reading(), failed)[1], exchanges(read)[1]):
        assert rest.verdict is Verdict.INCONCLUSIVE
        assert str(rest.reason).startswith("the last message")
    assert str(rest.reason).endswith("; JMSException: no")


@pytest.mark.parametrize(
    ("known", "verdict"),
    [
        (entry(), Verdict.DEVIATES),
        (entry(role="producer"), Verdict.DEVIATES),
        (entry(role="consumer"), Verdict.VIOLATES),
        (entry(provider="other", role="consumer"), Verdict.DEVIATES),
        (entry(provider="third"), Verdict.VIOLATES),
        (entry(scenario="exchange/priority-*"), Verdict.DEVIATES),
        (entry(scenario="exchange/priority-9[JMSPriority]"), Verdict.DEVIATES),
        (entry(scenario="exchange/priority-9[body]"), Verdict.VIOLATES),
        (entry(scenario="exchange/priority-8"), Verdict.VIOLATES),
        (entry(scenario=""), Verdict.VIOLATES),
        (entry(message="JMSPriority is 5 instead of 9"), Verdict.VIOLATES),
        (entry(requirement="SLJ-PRIO-001"), Verdict.VIOLATES),
    ],
    ids=lambda value: str(getattr(value, "scenario", value)),
)
def test_an_entry_explains_exactly_what_it_names(known: Deviation, verdict: Verdict) -> None:
    (difference,) = compared({"JMSPriority": ("9", "SLJ-PRIO-003")}, {"JMSPriority": "4"})
    (told_,) = explained([difference], "priority-9", ONE, OTHER, [known])
    assert told_.verdict is verdict


def test_an_entry_that_explains_nothing_is_stale_where_all_was_judged() -> None:
    known = entry()
    reading = Reading({"priority-9": [right_view()]})
    judged = exchanges(reading, known=(known,))
    wrong = {**right_view(), "JMSPriority": "4"}
    needed = exchanges(Reading({"priority-9": [wrong]}), known=(known,))
    unjudged = Exchange("priority-9", "one", "other", dict(judged[0].requirements), unjudged="gone")

    assert stale([known], judged, (ONE, OTHER)) == [known]
    assert stale([known], needed, (ONE, OTHER)) == []
    assert stale([known], [*judged, unjudged], (ONE, OTHER)) == []
    assert stale([entry(provider="third")], judged, (ONE, OTHER)) == []


def wanted(**changes: object) -> Wanted:
    fields = {
        "clients": ("reference",),
        "exchanges": (),
        "results": Path("results"),
        "broker": BrokerSettings(),
    }
    return Wanted(**{**fields, **changes})  # type: ignore[arg-type]


def test_shipped_entries_name_exchanges_that_there_are() -> None:
    known = load_deviations(LIBRARY)
    assert any(each.of_exchange for each in known)
    check(wanted(), known)


@pytest.mark.parametrize(
    ("asked", "known", "error", "says"),
    [
        (wanted(exchanges=("no-such",)), (), UsageError, "There is no exchange 'no-such'"),
        (wanted(clients=("a", "a")), (), UsageError, "a is named twice"),
        (wanted(), (entry(scenario="exchange/none-9"),), HarnessError, "there is no such exchange"),
        (wanted(), (entry(scenario="exchange/none-*"),), HarnessError, "there is no such exchange"),
    ],
)
def test_what_there_is_not_is_refused(
    asked: Wanted, known: tuple[Deviation, ...], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        check(asked, known)


def test_a_client_of_another_broker_is_refused() -> None:
    with pytest.raises(ProviderError, match="family artemis"):
        clients_of(["qpid"], "4.0.7")


def test_a_role_is_one_of_two(tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    path.write_text(
        '[[deviation]]\nprovider = "one"\nrequirement = "SLJ-PRIO-003"\nmessage = "x"\n'
        'class = "known-defect"\nreason = "y"\ndate = 2026-11-22\nrole = "reader"\n'
    )
    with pytest.raises(HarnessError, match="unknown role 'reader'"):
        read_deviations(path, LIBRARY)


def test_names_are_unique() -> None:
    assert max(Counter(names_of_exchanges()).values()) == 1
    assert len(set(EVERYBODY)) == 5


def test_what_something_else_may_have_caused_is_not_judged() -> None:
    differing = Exchange(
        "text", "a", "b", {"body": "SLJ-BODY-001"},
        compared({"body": ("one", "SLJ-BODY-001")}, {"body": "two"}),
    )  # fmt: skip
    same = Exchange("text", "a", "b", {"body": "SLJ-BODY-001"})

    assert unless(None, differing).verdict is Verdict.VIOLATES
    assert unless("the clock was set", same).verdict is Verdict.CONFORMS
    doubtful = unless("the clock was set", differing)
    assert doubtful.verdict is Verdict.INCONCLUSIVE
    assert doubtful.reason == f"{differing.reason}; the clock was set"
    assert doubtful.differences == ()
