"""Clients of JMS 1.1: what they lack is found from their classes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jpype
import pytest

import jmsapi
from java_adapter.java_fakes import Fake, namespace
from jms_clients.errors import NotInThisVersion
from jms_clients.java.connections import JavaConnectionFactory, Jms
from jms_clients.java.listeners import java_completion_listener
from jms_clients.java.messages import MESSAGE
from jms_clients.origins import Origin, origin_of


def older() -> Jms:
    """The namespace javax.jms as a client of JMS 1.1 has it: without the newer interfaces."""
    namespace("javax.jms")
    jms = Jms("javax.jms")
    has = jms._jpype.JClass

    def without(name: str) -> Any:
        if name in ("javax.jms.JMSContext", "javax.jms.CompletionListener"):
            raise TypeError(f"Class {name} is not found")
        return has(name)

    jms._jpype = SimpleNamespace(**{**vars(jpype), "JClass": without})
    return jms


def test_an_interface_that_came_later_is_lacking() -> None:
    with pytest.raises(NotInThisVersion, match="lacks this: CompletionListener"):
        java_completion_listener(older(), SimpleNamespace(), None, None)


def test_an_interface_that_nobody_has_is_the_adapters_matter(jms: Jms) -> None:
    with pytest.raises(TypeError):
        jms.interface("NoSuchThing")


def test_a_client_is_of_jms_2_by_its_interfaces(jms: Jms) -> None:
    assert JavaConnectionFactory(jms, Fake(jms, "ConnectionFactory").java).has_jms_2
    old = older()
    assert not JavaConnectionFactory(old, Fake(old, "ConnectionFactory").java).has_jms_2


def test_a_client_is_of_jms_2_by_its_own_class(jms: Jms) -> None:
    """The interfaces may be newer than the client, of which a method is abstract then."""
    kind = jpype.JClass("java.util.AbstractList").class_
    part = SimpleNamespace(getClass=lambda: kind)
    found = {name: jms.implements(part, name) for name in ("indexOf", "get", "noSuchMethod")}
    assert found == {"indexOf": True, "get": False, "noSuchMethod": False}


@pytest.mark.parametrize(
    ("of", "text", "origin"),
    [
        ("javax.jms", "jakarta.jms.InvalidSelectorException: x =", Origin.BROKER),
        ("jakarta.jms", "javax.jms.InvalidSelectorException: x =", Origin.BROKER),
        ("javax.jms", "javax.jms.InvalidSelectorException: x =", Origin.CLIENT),
        ("javax.jms", "jakarta.jms.JMSException: in use", Origin.CLIENT),
        ("javax.jms", "jakarta.jms.NoSuchException: in use", Origin.CLIENT),
        ("javax.jms", "in use", Origin.CLIENT),
    ],
)
def test_a_class_that_a_broker_names_and_the_client_has_not_got_is_not_the_clients(
    of: str, text: str, origin: Origin
) -> None:
    """Where it would be the class that was thrown nothing was lost."""
    jms = namespace(of)

    error = jms.interface("JMSException")(text)

    def fail() -> None:
        raise error

    made = MESSAGE.from_java(jms, Fake(jms, "Message", acknowledge=fail).java)
    with pytest.raises(jmsapi.JMSException) as caught:
        made.acknowledge()
    assert origin_of(caught.value) is origin
