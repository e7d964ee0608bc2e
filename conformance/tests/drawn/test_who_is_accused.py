"""A fault is put down to the call that has it, not to those around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings

from jms_model.answers import Answer, Gave, Raised
from jms_model.headers import Name
from jms_model.jms_producer import JMSProducer
from jms_model.message import Message
from jms_model.producer import MessageProducer
from jmsapi import Byte
from jmsapi.errors import (
    JMSException,
    MessageEOFException,
    MessageFormatException,
    MessageFormatRuntimeException,
    MessageNotReadableException,
    MessageNotWriteableException,
    NullPointerException,
    NumberFormatException,
)
from touchstone.drawn.drawing import programs
from touchstone.drawn.driving import is_harmless
from touchstone.drawn.program import SEND, Program

NOTHING = Gave(None)


def followed(kind: str, *calls: tuple[str, Sequence[Any], Answer]) -> Message:
    """A message behind calls that ended as JMS permits."""
    message = Message(kind)
    for method, args, answer in calls:
        assert message.ended(message.expect(method, args), answer), method
    return message


def accused(message: Message, method: str, args: Sequence[Any], answer: Answer) -> set[str]:
    """The statements that a call breaks which ended so; none where that is permitted."""
    expectation = message.expect(method, args)
    return set() if expectation.ending(answer) else {*expectation.broken_by(answer)}


def test_that_null_is_refused_is_no_fault_of_get_body() -> None:
    refused = ("get_body", ["String"], Raised(MessageFormatException()))
    written = followed("stream", refused)
    npe = Raised(NullPointerException())
    assert accused(written, "write_bytes", [None], npe) == {"JMS-BODY-037"}
    read_only = followed("stream", ("reset", (), NOTHING), refused)
    assert accused(read_only, "write_bytes", [None], npe) == {"API-STREAM-017"}
    assert accused(read_only, "write_bytes", [None], NOTHING) == set()
    assert accused(read_only, "write_bytes", [b""], NOTHING) == {"API-MSG-009"}


def test_bytes_that_only_moved_are_not_accused() -> None:
    written = ("write_utf", ["\0"], NOTHING), ("write_byte", [Byte(1)], NOTHING)
    message = followed("bytes", *written, ("reset", (), NOTHING))
    shorter = Gave(b"\0\1\0\1")
    assert accused(message, "get_body", ["byte[]"], shorter) == {"API-BYTES-028"}


def test_an_empty_message_that_get_body_did_not_reset_is_no_fault_of_reads() -> None:
    given_empty = ("get_body", ["Object"], NOTHING)
    not_readable = Raised(MessageNotReadableException())
    for read, args in (("read_byte", ()), ("read_bytes", (-1, 4)), ("body_length", ())):
        message = followed("bytes", given_empty)
        assert accused(message, read, args, not_readable) == set()
        assert accused(message, "write_byte", [Byte(1)], NOTHING) == {"API-MSG-017"}
        reset = followed("bytes", given_empty, ("reset", (), NOTHING))
        assert reset.expect(read, args).ending(not_readable) is None


def test_what_has_to_keep_the_mode_of_a_body_is_accused_of_what_another_mode_would_do() -> None:
    asked = ("is_body_assignable_to", ["Boolean"], Gave(False))
    written = followed("bytes", ("write_byte", [Byte(1)], NOTHING), asked)
    read_only, broken = Raised(MessageNotWriteableException()), Raised(JMSException())
    assert accused(written, "write_byte", [Byte(1)], read_only) == {"API-MSG-012"}
    assert accused(written, "write_byte", [Byte(1)], broken) == {"API-BYTES-021"}
    assert accused(written, "read_byte", (), Gave(Byte(1))) == {"API-MSG-012"}
    assert accused(written, "read_byte", (), Raised(MessageEOFException())) == {"API-MSG-012"}
    assert accused(written, "read_byte", (), broken) == set()
    read = followed("bytes", ("reset", (), NOTHING), asked)
    assert accused(read, "write_byte", [Byte(1)], NOTHING) == {"API-MSG-012"}
    assert accused(read, "write_byte", [Byte(1)], broken) == {"API-BYTES-039"}


def test_a_header_field_that_was_set_again_did_not_arrive_so() -> None:
    sent = ("set_jms_type", ["a"], NOTHING)
    for message in (followed("text", sent).sent(), followed("text", sent)):
        message.headers.sent()
        carried = "JMS-HDR-017" if message.body.is_received else "JMS-HDR-018"
        assert accused(message, "get_jms_type", (), NOTHING) == {"API-MSG-028", carried}
        again = message.expect("set_jms_type", ["b"])
        assert message.ended(again, NOTHING)
        assert accused(message, "get_jms_type", (), Gave("a")) == {"API-MSG-028"}
        message.headers.sent()
        resent = accused(message, "get_jms_type", (), Gave("a"))
        assert resent == {"API-MSG-028", "JMS-HDR-018"}


def test_what_a_message_has_before_a_send_nobody_need_have_put_there() -> None:
    for preset, ids in ((0, {"JMS-HDR-022", "JMS-DLY-001"}), (5, {"JMS-HDR-003"})):
        message = followed("text", ("set_jms_delivery_time", [preset], NOTHING))
        sending = MessageProducer(Name("queue", "q")).send(message, None, None)
        assert sending.arrive is not None
        sending.arrive(1000, 1001)
        assert accused(message, "get_jms_delivery_time", (), Gave(preset)) == ids


def test_a_field_that_the_client_sets_may_be_why_another_changes() -> None:
    producer, message = MessageProducer(Name("queue", "q")), Message("text")
    sending = producer.send(message, None, None)
    assert sending.arrive is not None
    came = sending.arrive(1000, 1001)
    assert came.ended(came.expect("get_jms_message_id", ()), Gave("ID:1"))
    assert accused(came, "get_jms_message_id", (), Gave("ID:2")) == {"JMS-HDR-008"}
    assert came.ended(came.expect("set_jms_timestamp", [5]), NOTHING)
    assert accused(came, "get_jms_message_id", (), Gave("ID:2")) == set()
    assert accused(came, "get_jms_timestamp", (), Gave(0)) == {"API-MSG-021"}


def test_a_text_that_is_lost_is_no_late_change_to_null() -> None:
    for late, ids in ((None, {"JMS-BODY-001", "API-TEXT-002"}), ("b", {"JMS-HDR-025"})):
        message = followed("text", ("set_text", ["a"], NOTHING))
        came = message.sent()
        assert message.ended(message.expect("set_text", [late]), NOTHING)
        came.changed_meanwhile(message)
        assert accused(came, "get_text", (), Gave(late)) == ids


def test_null_in_place_of_names_is_wrong_and_no_fault_of_the_model() -> None:
    for method, ids in (("map_names", {"API-MAP-025"}), ("property_names", {"JMS-PROP-036"})):
        assert accused(Message("map"), method, (), NOTHING) == ids
    names = JMSProducer().expect("property_names", ())
    assert names.ending(NOTHING) is None


def test_a_text_that_is_no_number_is_refused_by_a_producer_in_either_way() -> None:
    producer = JMSProducer()
    producer.expect("set_property", ("a", "")).permitted[0].effect()
    read = producer.expect("get_int_property", ("a",))
    for error in (NumberFormatException(), MessageFormatRuntimeException()):
        assert read.ending(Raised(error)) is not None
    assert {*read.broken_by(Raised(JMSException()))} == {"API-JPROD-027"}


def test_an_error_for_a_property_that_was_cleared_is_no_fault_of_clearing() -> None:
    producer = JMSProducer()
    for method, args in (("set_property", ("a", Byte(1))), ("clear_properties", ())):
        producer.expect(method, args).permitted[0].effect()
    read = producer.expect("get_string_property", ("a",))
    assert {*read.broken_by(Raised(NullPointerException()))} == {"API-JPROD-033"}
    assert {*read.broken_by(Gave("1"))} == {"API-JPROD-033", "API-JPROD-021"}


def test_that_no_body_is_refused_does_not_show_that_another_arrived() -> None:
    came = Message("message").sent()
    refused = Raised(MessageFormatException())
    assert accused(came, "get_body", ["Object"], refused) == {"API-MSG-010"}
    text = followed("text", ("set_text", [None], NOTHING)).sent()
    assert accused(text, "get_body", ["Object"], refused) == {"API-MSG-010"}
    assert accused(text, "get_body", ["Object"], Gave("a")) == {"API-MSG-010", "JMS-BODY-001"}


def test_the_class_for_which_no_body_is_refused_is_no_fault_of_what_cleared_properties() -> None:
    known = ("get_body", ["Object"], NOTHING), ("clear_properties", (), NOTHING)
    message = followed("text", *known)
    refused = Raised(MessageFormatException())
    assert accused(message, "get_body", ["Map"], refused) == set()
    assert accused(Message("text"), "get_body", ["Map"], refused) == {"API-MSG-010"}
    assert accused(message, "get_body", ["Object"], Gave("a")) == {"API-MSG-019", "JMS-PROP-040"}
    assert accused(followed("text").sent(), "get_body", ["Map"], refused) == {"API-MSG-010"}


def test_what_get_body_should_have_reset_is_not_known_any_more() -> None:
    message = followed("bytes", ("write_byte", [Byte(1)], NOTHING))
    assert not is_harmless("get_body", message.expect("get_body", ["byte[]"]), NOTHING)
    text = followed("text", ("set_text", ["a"], NOTHING))
    assert is_harmless("get_body", text.expect("get_body", ["String"]), NOTHING)


@settings(database=None, deadline=None, max_examples=300)
@given(programs("headers", ("text",)))
def test_no_message_is_sent_with_a_time_that_the_application_set(program: Program) -> None:
    messages = [Message(program.kind)]
    for step in program.steps:
        message = messages[step.on]
        if step.method == SEND:
            values = message.headers.values
            assert not values.get("jms_delivery_time")
            assert not values.get("jms_expiration")
            messages.append(message.sent())
        else:
            expectation = message.expect(step.method, step.args)
            message.follow(expectation, expectation.permitted[0])
