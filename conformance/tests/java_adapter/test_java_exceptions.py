"""What Java throws keeps its class and its text, in both namespaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jpype
import pytest

import jmsapi
from java_adapter.java_fakes import CHECKED, UNCHECKED, Fake, namespace
from jms_clients.errors import ClientError, ProviderError
from jms_clients.java.connections import JavaConnectionFactory, Jms
from jms_clients.java.errors import java_error
from jms_clients.java.messages import MESSAGE
from jms_clients.origins import Origin, origin_of


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
    held = [type(each) for each in vars(error).values() if each != error.__notes__]
    assert held == [str, str, Origin]
    assert any("JMSException" in note for note in error.__notes__)


def java(name: str, text: str = "why") -> Any:
    """An exception of java.lang."""
    return jpype.JClass(f"java.lang.{name}")(text)


def caused(outer: Any, inner: Any) -> Any:
    """`outer` with `inner` as its cause."""
    outer.initCause(inner)
    return outer


def raised_here(error: Exception) -> Exception:
    """`error` as it is after it was raised in this module, which is nobody's of the harness."""
    try:
        raise error
    except Exception as raised_one:
        return raised_one


def refused_by_the_adapter() -> Exception:
    """What JPype raises for arguments that no method takes."""
    jms = namespace("jakarta.jms")
    with pytest.raises(TypeError) as caught:
        jms.run(jpype.JClass("java.lang.Integer").parseInt, object())
    return caught.value


@pytest.mark.parametrize(
    ("make", "origin"),
    [
        (lambda jms: jms.interface("JMSException")("why"), Origin.CLIENT),
        (lambda jms: java("ClassCastException"), Origin.CLIENT),
        (lambda jms: java("StackOverflowError"), Origin.CLIENT),
        (lambda jms: java("NoClassDefFoundError"), Origin.CLASS_PATH),
        (
            lambda jms: caused(java("NoClassDefFoundError"), java("ClassNotFoundException")),
            Origin.CLASS_PATH,
        ),
        (
            lambda jms: caused(
                java("NoClassDefFoundError"),
                jpype.JClass("java.lang.ExceptionInInitializerError")(java("ClassCastException")),
            ),
            Origin.CLIENT,
        ),
        (
            lambda jms: caused(
                java("NoClassDefFoundError"),
                caused(jms.interface("JMSException")("why"), java("ClassNotFoundException")),
            ),
            Origin.CLIENT,
        ),
        (lambda jms: java("ClassNotFoundException"), Origin.CLIENT),
        (lambda jms: java("NoSuchMethodError"), Origin.CLASS_PATH),
        (lambda jms: java("UnsupportedClassVersionError"), Origin.CLASS_PATH),
        (
            lambda jms: caused(jms.interface("JMSException")("why"), java("NoClassDefFoundError")),
            Origin.CLASS_PATH,
        ),
        (
            lambda jms: caused(jms.interface("JMSException")("why"), java("ClassCastException")),
            Origin.CLIENT,
        ),
        (
            lambda jms: caused(
                jms.interface("JMSException")("why"),
                java_error(refused_by_the_adapter(), jms.namespace),
            ),
            Origin.ADAPTER,
        ),
        (
            lambda jms: java_error(raised_here(RuntimeError("on purpose")), jms.namespace),
            Origin.CLIENT,
        ),
    ],
)
def test_an_exception_says_where_it_was_thrown(
    jms: Jms, make: Callable[[Jms], Any], origin: Origin
) -> None:
    assert origin_of(thrown(jms, make(jms))) is origin


def test_an_exception_of_a_listener_has_the_places_of_python(jms: Jms) -> None:
    places = java_error(raised_here(RuntimeError("on purpose")), jms.namespace).getStackTrace()
    assert str(places[0].getClassName()) == __name__
    assert str(places[0].getMethodName()) == "raised_here"


def test_a_factory_that_is_none_of_an_older_api_is_the_adapters_matter(jms: Jms) -> None:
    factory = JavaConnectionFactory(jms, Fake(jms, "ConnectionFactory").java)
    with pytest.raises(ProviderError, match=r"is no .*\.QueueConnectionFactory") as caught:
        factory.create_queue_connection()
    assert origin_of(caught.value) is not Origin.CLIENT
