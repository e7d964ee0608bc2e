"""Wrong clients are noticed by drawn programs, by the statement that they break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import pytest

from drawn.reference_alone import driver, is_known
from jms_model.whole_bodies import GOT
from jmsapi import Byte, Char, Int, Long, Short
from jmsapi.errors import MessageNotWriteableException
from touchstone.drawn.driving import Driver
from touchstone.drawn.full_messages import FULL
from touchstone.drawn.hunting import Hunt
from touchstone.drawn.message_judging import PROGRAMS
from touchstone.drawn.producer_drawing import programs_about
from touchstone.drawn.program import Step

pytestmark = pytest.mark.thorough

Call = Callable[[], object]
Wrong = Callable[[Any, Step, Call], object]
"""What a wrong client makes of a call on a message."""


@dataclass
class WrongDriver(Driver):
    """Runs programs on a client that is wrong in one thing."""

    wrong: Wrong | None = None

    def _call(self, message: Any, step: Step) -> object:
        assert self.wrong is not None
        return self.wrong(message, step, lambda: super(WrongDriver, self)._call(message, step))


def int_as_short(message: Any, step: Step, call: Call) -> object:
    """An int entry that fits can be had as a short."""
    if step.method == "get_short" and isinstance(value := message.get_object(*step.args), Int):
        return Short(value & 0x7FFF)
    return call()


def empty_text_is_null(_: Any, step: Step, call: Call) -> object:
    """As some databases have it."""
    answer = call()
    return None if step.method == "get_text" and answer == "" else answer


def cleared_body_takes_properties(message: Any, step: Step, call: Call) -> object:
    """clearBody clears all."""
    if step.method == "clear_body":
        message.clear_properties()
    return call()


def cleared_properties_take_the_type(message: Any, step: Step, call: Call) -> object:
    """clearProperties clears JMSType, too."""
    if step.method == "clear_properties":
        message.jms_type = None
    return call()


_got: WeakSet[Any] = WeakSet()


def object_is_not_copied(message: Any, step: Step, call: Call) -> object:
    """What the application puts into a list that it got, it gets the next time, too."""
    answer = call()
    if step.method == "set_object":
        _got.discard(message)
    if step.method == "get_object" and isinstance(answer, list):
        answer += [GOT] if message in _got else []
        _got.add(message)
    return answer


def null_in_letters_is_null(_: Any, step: Step, call: Call) -> object:
    """Where a header field came as text."""
    answer = call()
    return None if step.method == "get_jms_type" and answer == "null" and step.on else answer


def a_name_in_other_letters_is_lost(_: Any, step: Step, call: Call) -> object:
    """Of the properties that arrive."""
    answer = call()
    if step.method == "property_names" and step.on and isinstance(answer, list):
        return [name for name in answer if name.isascii()]
    return answer


def null_entry_is_none(message: Any, step: Step, call: Call) -> object:
    """itemExists looks at the value."""
    if step.method == "item_exists":
        return message.get_object(*step.args) is not None
    return call()


def first_value_stays(message: Any, step: Step, call: Call) -> object:
    """A name that is there is not set again."""
    if step.method == "set_int" and step.args[0] and message.item_exists(step.args[0]):
        return None
    return call()


def long_property_is_int(_: Any, step: Step, call: Call) -> object:
    """A long that fits is an int as an object."""
    answer = call()
    if step.method == "get_object_property" and isinstance(answer, Long) and abs(answer) < 2**31:
        return Int(answer)
    return answer


def unsigned_is_signed(_: Any, step: Step, call: Call) -> object:
    """readUnsignedByte gives what readByte gives."""
    answer = call()
    return answer - 256 if step.method == "read_unsigned_byte" and answer > 127 else answer  # type: ignore[operator]


def names_in_ascii(_: Any, step: Step, call: Call) -> object:
    """Other names are not listed."""
    answer: Any = call()
    if step.method != "property_names":
        return answer
    return [name for name in answer if name.isascii()]


def failed_read_goes_on(message: Any, step: Step, call: Call) -> object:
    """What cannot be read as a boolean is passed by."""
    if step.method != "read_boolean" or not hasattr(message, "read_string"):
        return call()
    try:
        return call()
    except Exception:
        try:
            message.read_object()
        finally:
            pass
        raise


def null_text_is_false(_: Any, step: Step, call: Call) -> object:
    """A null as a byte is zero."""
    if step.method != "get_byte_property":
        return call()
    try:
        return call()
    except ValueError:
        return Byte(0)


def received_header_is_fixed(message: Any, step: Step, call: Call) -> object:
    """The type of a received message cannot be set."""
    if step.method == "set_jms_type" and message.jms_destination is not None:
        raise MessageNotWriteableException("received")
    return call()


def text_as_char(message: Any, step: Step, call: Call) -> object:
    """A String of one character can be had as char."""
    if step.method == "get_char":
        text = message.get_object(*step.args)
        if type(text) is str and len(text) == 1 and text.isascii():
            return Char(text)
    return call()


def copied_once(message: Any, step: Step, call: Call) -> object:
    """A second reset is none."""
    if step.method == "reset" and getattr(message, "was_reset", False):
        return None
    if step.method == "reset":
        message.was_reset = True
    return call()


def true_is_minus_one(message: Any, step: Step, call: Call) -> object:
    """writeBoolean(true) writes 0xFF."""
    if step.method == "write_boolean" and step.args == (True,):
        return message.write_byte(-1)
    return call()


BODY = "body"
WRONG: dict[Wrong, tuple[str, str, str]] = {
    int_as_short: (BODY, "map", "JMS-BODY-018"),
    empty_text_is_null: (BODY, "text", "API-TEXT-002"),
    cleared_body_takes_properties: ("properties", "text", "JMS-BODY-004"),
    cleared_properties_take_the_type: (FULL, "map", "API-MSG-019"),
    object_is_not_copied: (BODY, "object", "JMS-BODY-039"),
    null_in_letters_is_null: (FULL, "text", "JMS-HDR-017"),
    a_name_in_other_letters_is_lost: (FULL, "message", "JMS-PROP-036"),
    null_entry_is_none: (BODY, "map", "API-MAP-026"),
    first_value_stays: (BODY, "map", "API-MAP-027"),
    long_property_is_int: ("properties", "text", "JMS-PROP-034"),
    unsigned_is_signed: (BODY, "bytes", "API-BYTES-003"),
    names_in_ascii: ("properties", "message", "JMS-PROP-036"),
    failed_read_goes_on: (BODY, "stream", "JMS-BODY-034"),
    null_text_is_false: ("properties", "text", "JMS-PROP-032"),
    received_header_is_fixed: ("headers", "text", "JMS-HDR-024"),
    text_as_char: (BODY, "map", "JMS-BODY-026"),
    true_is_minus_one: (BODY, "bytes", "API-BYTES-020"),
    copied_once: (BODY, "stream", "API-STREAM-017"),
}
"""Each with what programs are about, the kind of message, and the statement that it breaks."""


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_it_is_noticed(wrong: Wrong) -> None:
    subject, kind, id_ = WRONG[wrong]
    right = driver()
    hunt = Hunt(WrongDriver(right.session, right.trip, wrong=wrong), frozenset([id_]), is_known)
    hunt.draw(programs_about(subject, (kind,)), PROGRAMS, 0)
    assert [len(each.program.steps) <= 8 for each in hunt.against(id_)[:1]] == [True]


def test_nobody_else_is_accused() -> None:
    """Of bytes that several methods wrote those of one are wrong: the others stay in peace."""
    right = driver()
    judged = frozenset(f"API-BYTES-{number:03}" for number in range(1, 40)) | {"API-MSG-003"}
    hunt = Hunt(WrongDriver(right.session, right.trip, wrong=true_is_minus_one), judged, is_known)
    hunt.draw(programs_about(BODY, ("bytes",)), PROGRAMS, 0)
    assert {id_ for each in hunt.found.values() for id_ in each.ids} == {"API-BYTES-020"}
