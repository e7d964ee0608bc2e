"""What seldom meets in a message is drawn besides, and wrong clients are noticed by it alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from drawn.reference_alone import OutletAlone, driver, is_known
from drawn.test_wrong_clients import Call, Wrong, WrongDriver
from jmsapi import Double, Float, JMSContext, Long, Message
from jmsapi.errors import (
    JMSException,
    MessageEOFException,
    MessageFormatException,
    MessageFormatRuntimeException,
    NullPointerException,
)
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.producing.producer import PulsarMessageProducer
from sample_messages import received
from touchstone.drawn.driving import Driver
from touchstone.drawn.full_messages import FULL
from touchstone.drawn.hunting import Hunt
from touchstone.drawn.producer_driving import ProducerDriver
from touchstone.drawn.program import Program, Step, in_short
from touchstone.drawn.rare_messages import rare_ones
from touchstone.reproducing.java_values import JavaValues
from touchstone.reproducing.relays import BrokerPlace

KINDS = ("message", "text", "bytes", "map", "stream", "object")
BODY, PROPERTIES, NULLS = "body", "properties", "JMSProducers"
BLOCK = 1024
ONE_BYTE_LESS_THAN_TWO_SAY = 65_535


def hunted(runs: Driver, subject: str, kinds: tuple[str, ...], *judged: str) -> Hunt:
    hunt = Hunt(runs, frozenset(judged), is_known)
    for programs, count in rare_ones(subject, kinds):
        hunt.draw(programs, count, 0)
    return hunt


def empty_last_array_is_the_end(message: Any, step: Step, call: Call) -> object:
    """readBytes says -1 where the stream ends with nothing."""
    answer = call()
    if step.method != "read_bytes" or answer != b"":
        return answer
    try:
        message.read_object()
    except MessageEOFException:
        return None
    return answer


def first_block_arrives(_: Any, step: Step, call: Call) -> object:
    """Of a text the first block alone, where it was received."""
    answer = call()
    return answer[:BLOCK] if step.on and isinstance(answer, str) else answer


def length_in_two_bytes(_: Any, step: Step, call: Call) -> object:
    """Of what is longer nothing is left."""
    answer = call()
    is_long = isinstance(answer, bytes) and len(answer) > ONE_BYTE_LESS_THAN_TWO_SAY
    return b"" if step.on and is_long else answer


def digits_of_a_float(message: Any, step: Step, call: Call) -> object:
    """A text as a double is rounded."""
    answer = call()
    if "get_double" not in step.method or not isinstance(answer, float):
        return answer
    get = message.get_object_property if "property" in step.method else message.get_object
    return Double(Float(answer)) if isinstance(get(*step.args), str) else answer


def failed_utf_goes_on(message: Any, step: Step, call: Call) -> object:
    """What is no text is passed by."""
    try:
        return call()
    except MessageFormatException:
        if step.method == "read_utf":
            message.read_byte()
        raise


def double_text_of_a_float(_: Any, step: Step, call: Call) -> object:
    """A double as text has the digits of a float."""
    answer = call()
    if step.method == "read_string" and isinstance(answer, str) and len(answer) > 12:
        return answer[:9]
    return answer


WRONG: dict[Wrong, tuple[str, str, str]] = {
    empty_last_array_is_the_end: (BODY, "stream", "API-STREAM-016"),
    first_block_arrives: (BODY, "text", "JMS-BODY-001"),
    length_in_two_bytes: (BODY, "bytes", "API-BYTES-033"),
    digits_of_a_float: (BODY, "map", "JMS-BODY-025"),
    failed_utf_goes_on: (BODY, "bytes", "JMS-BODY-034"),
    double_text_of_a_float: (BODY, "stream", "JMS-BODY-023"),
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_it_is_noticed(wrong: Wrong) -> None:
    subject, kind, id_ = WRONG[wrong]
    right = driver()
    runs = WrongDriver(right.session, right.trip, wrong=wrong)
    assert hunted(runs, subject, (kind,), id_).against(id_)


def test_digits_of_properties_are_noticed() -> None:
    right = driver()
    runs = WrongDriver(right.session, right.trip, wrong=digits_of_a_float)
    assert hunted(runs, PROPERTIES, KINDS, "JMS-PROP-029").against("JMS-PROP-029")


@pytest.mark.parametrize("kind", KINDS[1:])
def test_the_reference_agrees_on_bodies(kind: str) -> None:
    every = [f"{stem}-{n:03}" for stem in ("JMS-BODY", f"API-{kind.upper()}") for n in range(1, 50)]
    hunt = hunted(driver(), BODY, (kind,), *every, "API-OBJ-002")
    assert [str(each) for each in hunt.found.values()] == []
    assert hunt.driver.decided


Names = Callable[[Any], Any]


def lists_no_count(message: Any) -> Any:
    return [name for name in listed(message) if not name.startswith("JMSX")]


def lists_what_is_gone(message: Any) -> Any:
    return [*listed(message), "JMS_gone"]


def lists_a_header_field(message: Any) -> Any:
    return [*listed(message), "JMSMessageID"]


def lists_what_nobody_has(message: Any) -> Any:
    return [*listed(message), "JMSa"]


def lists_no_identifier(message: Any) -> Any:
    return [*listed(message), "JMS-a"]


listed: Names = PulsarMessage.property_names


@pytest.mark.parametrize(
    ("wrong", "id_", "words"),
    [
        (lists_no_count, "JMS-PROP-036", "gave a name that is read and not listed"),
        (lists_what_is_gone, "JMS-PROP-036", "gave a name that cannot be read"),
        (lists_no_identifier, "JMS-PROP-001", "gave a name that is no identifier"),
        (lists_a_header_field, "JMS-PROP-037", "gave the name of a header field"),
        (lists_what_nobody_has, "JMS-PROP-054", "gave a name that neither JMS nor a vendor has"),
    ],
)
def test_names_of_the_provider_are_looked_at(
    wrong: Names, id_: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exists = PulsarMessage.property_exists
    monkeypatch.setattr(PulsarMessage, "property_names", wrong)
    added = ("JMS-a", "JMSa", "JMSMessageID")
    monkeypatch.setattr(
        PulsarMessage, "property_exists", lambda self, name: name in added or exists(self, name)
    )
    get = PulsarMessage.get_object_property
    monkeypatch.setattr(
        PulsarMessage,
        "get_object_property",
        lambda self, name: "a" if name in added else get(self, name),
    )
    [against, *_] = hunted(driver(), PROPERTIES, KINDS, id_).against(id_)
    assert against.signature == f"provider_names {words}"


def folds_case_of_groups(message: Any, step: Step, call: Call) -> object:
    """A property of a group is found by any spelling."""
    if step.method in ("get_string_property", "property_exists") and step.args[0] == "jmsxgroupid":
        return getattr(message, step.method)("JMSXGroupID")
    return call()


def cuts_groups(_: Any, step: Step, call: Call) -> object:
    """The name of a group arrives up to 255 characters."""
    answer = call()
    return answer[:255] if step.on and isinstance(answer, str) else answer


def sequence_as_long(_: Any, step: Step, call: Call) -> object:
    """As an object, the number in a group is a long."""
    answer = call()
    if step.method == "get_object_property" and step.args[0] == "JMSXGroupSeq":
        return answer if answer is None else Long(answer)  # type: ignore[arg-type]
    return answer


@pytest.mark.parametrize(
    ("wrong", "id_"),
    [
        (folds_case_of_groups, "JMS-PROP-041"),
        (cuts_groups, "JMS-PROP-044"),
        (sequence_as_long, "JMS-PROP-045"),
    ],
)
def test_properties_of_groups_are_looked_at(wrong: Wrong, id_: str) -> None:
    right = driver()
    runs = WrongDriver(right.session, right.trip, wrong=wrong)
    assert hunted(runs, PROPERTIES, KINDS, id_).against(id_)


@dataclass
class LosesBodies(Driver):
    """What a message is made of is lost when a context makes it."""

    def _new_message(self, program: Program) -> Message:
        return super()._new_message(replace(program, body=()) if program.by_context else program)


@pytest.mark.parametrize(("kind", "id_"), [("text", "API-TEXT-003"), ("object", "API-OBJ-003")])
def test_messages_that_are_made_of_a_body_are_looked_at(kind: str, id_: str) -> None:
    right = driver()
    assert not hunted(right, FULL, (kind,), id_).found
    assert right.decided[id_]
    runs = LosesBodies(right.session, right.trip)
    assert hunted(runs, FULL, (kind,), id_).against(id_)


@pytest.mark.parametrize("refuses", [False, True])
def test_a_message_of_a_context_can_be_sent_by_a_session(refuses: bool) -> None:
    right = driver()
    foreign: list[Message] = []

    class Context:
        def create_text_message(self, *text: str) -> Message:
            foreign.append(right.session.create_text_message(*text))
            return foreign[-1]

    def trip(message: Message) -> Message | None:
        if refuses and any(message is each for each in foreign):
            raise JMSException("of another session")
        return right.trip(message)

    runs = Driver(right.session, trip, cast(JMSContext, Context()))
    against = hunted(runs, FULL, ("text",), "JMS-DEST-007").against("JMS-DEST-007")
    assert [each.signature for each in against] == ["send raised JMSException"] * refuses
    assert bool(runs.decided["JMS-DEST-007"]) is not refuses


def test_names_of_the_reference_are_right() -> None:
    hunt = hunted(driver(), PROPERTIES, KINDS, "JMS-PROP-036", "JMS-PROP-001")
    assert not hunt.found
    assert hunt.driver.decided["JMS-PROP-036"]


class NullProducer(PulsarJMSProducer):
    """One that sends null as each kind, as Java's does."""

    def send_null(self, destination: Any, of: str) -> Any:
        session: Any = self._producer._session
        if of == "Message":
            raise MessageFormatRuntimeException("no message")
        made = {
            "String": session.create_text_message,
            "Map": session.create_map_message,
            "byte[]": session.create_bytes_message,
            "Serializable": session.create_object_message,
        }[of]()
        return self.send(destination, made)


class DiesOfNullMaps(NullProducer):
    def send_null(self, destination: Any, of: str) -> Any:
        if of == "Map":
            raise NullPointerException("entries")
        return super().send_null(destination, of)


class SendsNullAsText(NullProducer):
    def send_null(self, destination: Any, of: str) -> Any:
        return super().send_null(destination, "Message" if of == "Message" else "String")


class DiesOfNoMessage(NullProducer):
    def send_null(self, destination: Any, of: str) -> Any:
        if of == "Message":
            raise NullPointerException("message")
        return super().send_null(destination, of)


class RefusesAsTheClassicOne(NullProducer):
    def send_null(self, destination: Any, of: str) -> Any:
        if of == "Message":
            raise JMSException("no message")
        return super().send_null(destination, of)


class NullOutlet(OutletAlone):
    """Its producers are of a class."""

    def __init__(self, kind: type[NullProducer]) -> None:
        super().__init__()
        self.kind = kind

    def producer(self, kind: str) -> Any:
        session: Any = self.session
        return self.kind(PulsarMessageProducer(session, None))


def hunted_nulls(kind: type[NullProducer]) -> Hunt:
    outlet = NullOutlet(kind)
    runs = ProducerDriver(outlet.session, received, outlet=outlet)  # type: ignore[arg-type]
    return hunted(runs, NULLS, KINDS, "JMS-CTX-006", "JMS-CTX-015")


def test_nulls_as_they_are_to_be() -> None:
    hunt = hunted_nulls(NullProducer)
    assert [str(each) for each in hunt.found.values()] == []
    assert hunt.driver.decided["JMS-CTX-006"]
    assert hunt.driver.decided["JMS-CTX-015"]


@pytest.mark.parametrize(
    ("wrong", "id_"),
    [
        (DiesOfNullMaps, "JMS-CTX-006"),
        (SendsNullAsText, "JMS-CTX-006"),
        (DiesOfNoMessage, "JMS-CTX-015"),
        (RefusesAsTheClassicOne, "JMS-CTX-015"),
    ],
)
def test_a_producer_that_is_wrong_about_null_is_noticed(
    wrong: type[NullProducer], id_: str
) -> None:
    assert {id_ for each in hunted_nulls(wrong).found.values() for id_ in each.ids} == {id_}


def test_what_is_long_is_shown_in_short_and_can_be_written_in_java() -> None:
    assert in_short("größe,5" * 9000) == "'größe,5' * 9000"
    assert in_short(b"\0a" * 9000) == "b'\\x00a' * 9000"
    assert in_short("ab" * 600 + "c") == "'abababababababababab'... of length 1201"
    values = JavaValues(BrokerPlace("h", 1), str, str)
    assert values.text({"String": "größe,5", "times": 9000}) == '"gr\\u00f6\\u00dfe,5".repeat(9000)'
    assert values.text({"bytes": "00ff", "times": 9000}) == (
        '"\\u0000\\u00ff".repeat(9000).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)'
    )
