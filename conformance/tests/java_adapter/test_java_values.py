"""Values, properties and messages between Python and Java, in both namespaces."""

from __future__ import annotations

from typing import Any

import jpype
import pytest

import jmsapi
from java_adapter.java_fakes import TYPED, bag, namespace
from jms_clients.errors import ClientError
from jms_clients.java.connections import Jms
from jms_clients.java.messages import MESSAGE
from jms_clients.java.values import OpaqueJavaObject
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    Long,
    MessageFormatException,
    Short,
)


def test_message_of_two_kinds_at_once_is_refused(jms: Jms) -> None:
    both = [jms.interface(name).class_ for name in ("TextMessage", "MapMessage")]
    handler = jpype.JProxy("java.lang.reflect.InvocationHandler", dict={})
    proxies = jpype.JClass("java.lang.reflect.Proxy")
    java = proxies.newProxyInstance(both[0].getClassLoader(), both, handler)

    with pytest.raises(ClientError, match="TextMessage and MapMessage at once"):
        MESSAGE.from_java(jms, java)


VALUES: list[tuple[object, str]] = [
    (True, "Boolean"),
    (False, "Boolean"),
    (Byte(-128), "Byte"),
    (Short(-32768), "Short"),
    (Int(2147483647), "Integer"),
    (Long(-(1 << 63)), "Long"),
    (Float(0.1), "Float"),
    (Double(0.1), "Double"),
    (Double("-inf"), "Double"),
    (Char("ß"), "Character"),
    (Char("\ud800"), "Character"),
    ("", "String"),
    ("grün \U0001f600 \0", "String"),
    ("half \ud83d a pair \ude00", "String"),
    ("wrong order \udfff\ud800", "String"),
    (b"", "byte[]"),
    (b"\0\x7f\x80\xff", "byte[]"),
    ([Int(1), None, "x", [b"y"]], "ArrayList"),
    ({"a": Short(1), "b": {"c": None}}, "HashMap"),
]


@pytest.mark.parametrize(("value", "java_class"), VALUES)
def test_a_value_keeps_its_type_both_ways(value: object, java_class: str) -> None:
    values = namespace("jakarta.jms").values
    java = values.to_java(value)
    assert java.getClass().getSimpleName() == java_class
    back = values.from_java(java)
    assert (type(back), back) == (type(value), value)


@pytest.mark.parametrize(
    ("plain", "java_class", "typed"),
    [
        (2**31 - 1, "Integer", Int(2**31 - 1)),
        (2**31, "Long", Long(2**31)),
        (-(2**63), "Long", Long(-(2**63))),
        (1.5, "Double", Double(1.5)),
        (bytearray(b"x"), "byte[]", b"x"),
        (jmsapi.DeliveryMode.PERSISTENT, "Integer", Int(2)),
        ((1, 2), "ArrayList", [Int(1), Int(2)]),
    ],
)
def test_a_plain_value_takes_the_type_that_fits(
    plain: object, java_class: str, typed: object
) -> None:
    values = namespace("jakarta.jms").values
    java = values.to_java(plain)
    assert java.getClass().getSimpleName() == java_class
    back = values.from_java(java)
    assert (type(back), back) == (type(typed), typed)


def test_null_is_none_both_ways() -> None:
    values = namespace("jakarta.jms").values
    assert values.to_java(None) is None
    assert values.from_java(None) is None


def test_what_java_has_nothing_for_is_left_to_the_client_to_refuse() -> None:
    values = namespace("jakarta.jms").values
    assert values.to_java(2**63).getClass().getSimpleName() == "BigInteger"
    assert values.to_java(1j).getClass().getSimpleName() == "Object"
    with pytest.raises(MessageFormatException, match="a complex has no counterpart"):
        values.serializable(1j)


def test_a_java_object_without_counterpart_is_opaque() -> None:
    values = namespace("jakarta.jms").values
    opaque = values.from_java(jpype.JClass("java.util.Locale").ROOT)
    assert opaque == OpaqueJavaObject("java.util.Locale", "")


@pytest.mark.parametrize(("kind", "value", "java_class"), TYPED)
def test_a_property_has_the_type_of_its_setter(
    jms: Jms, kind: str, value: Any, java_class: str
) -> None:
    fake = bag(jms)
    message = MESSAGE.from_java(jms, fake.java)
    plain = value if kind in ("boolean", "string") else value.real
    getattr(message, f"set_{kind}_property")("p", plain)
    java_name = "Int" if kind == "int" else kind.capitalize()
    assert fake.calls == [(f"set{java_name}Property", "String", java_class)]
    read = getattr(message, f"get_{kind}_property")("p")
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(("value", "java_class"), [(v, c) for _, v, c in TYPED] + [(None, "null")])
def test_an_object_property_has_the_type_of_its_value(
    jms: Jms, value: Any, java_class: str
) -> None:
    fake = bag(jms)
    message = MESSAGE.from_java(jms, fake.java)
    message.set_object_property("p", value)
    assert fake.calls == [("setObjectProperty", "String", java_class)]
    read = message.get_object_property("p")
    assert (type(read), read) == (type(value), value)


def test_a_number_that_does_not_fit_does_not_reach_the_client(jms: Jms) -> None:
    fake = bag(jms)
    message = MESSAGE.from_java(jms, fake.java)
    with pytest.raises(MessageFormatException, match="300 does not fit a byte"):
        message.set_byte_property("p", 300)
    assert fake.calls == []
