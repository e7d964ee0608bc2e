"""What Java throws keeps its class and its text, in both namespaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jpype
import pytest

import jmsapi
from java_fakes import CHECKED, UNCHECKED, Fake, namespace
from touchstone.errors import ClientError
from touchstone.providers.java.connections import Jms
from touchstone.providers.java.messages import MESSAGE


def thrown(jms: Jms, error: Any) -> Exception:
    """What a call raises whose Java side throws `error`."""

    def fail() -> None:
        raise error

    return raised(jms, fail)


def raised(jms: Jms, fail: Callable[[], None]) -> Exception:
    """What a call raises whose Java side does `fail`."""
    message = MESSAGE.from_java(jms, Fake(jms, "Message", acknowledge=fail).java)
    with pytest.raises(Exception) as caught:  # noqa: PT011 (any class is what is tested)
        message.acknowledge()
    return caught.value


@pytest.mark.parametrize("name", CHECKED + UNCHECKED)
def test_an_exception_keeps_class_text_and_code(jms: Jms, name: str) -> None:
    error = thrown(jms, jms.interface(name)("why", "E7"))
    assert type(error) is getattr(jmsapi, name)
    assert isinstance(error, (jmsapi.JMSException, jmsapi.JMSRuntimeException))
    assert (error.reason, error.error_code) == ("why", "E7")
    assert error.linked_exception is None


def test_a_linked_exception_is_the_cause(jms: Jms) -> None:
    java = jms.interface("JMSException")("outer")
    java.setLinkedException(jms.interface("InvalidSelectorException")("inner"))
    error = thrown(jms, java)
    assert type(error.__cause__) is jmsapi.InvalidSelectorException
    assert error.__cause__.reason == "inner"


@pytest.mark.parametrize(
    "name",
    [
        "IllegalArgumentException",
        "NumberFormatException",
        "UnsupportedOperationException",
    ],
)
def test_an_exception_of_java_itself_keeps_class_and_text(jms: Jms, name: str) -> None:
    error = thrown(jms, jpype.JClass(f"java.lang.{name}")("why"))
    assert type(error) is getattr(jmsapi, name)
    assert str(error) == "why"


def test_a_null_pointer_exception_keeps_class_and_text(jms: Jms) -> None:
    require = jpype.JClass("java.util.Objects").requireNonNull
    error = raised(jms, lambda: require(None, "why"))
    assert type(error) is jmsapi.NullPointerException
    assert str(error) == "why"


def test_an_exception_of_another_class_goes_by_the_nearest_above(jms: Jms) -> None:
    error = thrown(jms, jpype.JClass("java.nio.file.InvalidPathException")("in", "why"))
    assert type(error) is jmsapi.IllegalArgumentException


def test_an_exception_without_counterpart_speaks_against_the_client(jms: Jms) -> None:
    error = thrown(jms, jpype.JClass("java.lang.ClassCastException")("why"))
    assert type(error) is ClientError
    assert str(error) == "java.lang.ClassCastException: why"


def test_half_a_surrogate_pair_is_escaped_in_what_people_read() -> None:
    values = namespace("jakarta.jms").values
    assert values.shown(values.text("x\ud800\U0001f600")) == "x\\ud800\U0001f600"


def test_an_exception_holds_nothing_of_java(jms: Jms) -> None:
    error = thrown(jms, jms.interface("JMSException")("why", "E7"))
    assert [type(each) for each in vars(error).values() if each != error.__notes__] == [str, str]
    assert any("JMSException" in note for note in error.__notes__)
