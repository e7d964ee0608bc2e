"""What is noted of the calls of a client in Java: types as they were, nothing of the harness."""

from __future__ import annotations

import gc
import json
import time
import weakref
from typing import Any, NoReturn
from unittest.mock import ANY

import jpype
import pytest

from java_adapter.java_fakes import Fake, namespace
from jms_brokers.shared.named_destinations import NamedQueue
from jms_clients.calls import CALLS, Calls, unheard_calls
from jms_clients.java.messages import JavaBytesMessage, JavaMapMessage
from jms_clients.java.producers import JavaJMSProducer, JavaMessageProducer
from jms_clients.java.sessions import JavaSession
from jms_scenarios.foreign_messages import ForeignMap
from jmsapi import IllegalStateException, Int, MessageFormatException, Short


def noted(calls: Calls, kind: str = "call") -> list[dict[str, Any]]:
    return [event for event in map(json.loads, calls.lines()) if event["java"] == kind]


def told() -> tuple[Any, Calls]:
    """The classes of a namespace, whose calls are noted from now on."""
    jms, calls = namespace("jakarta.jms"), Calls()
    jms.tell(calls, "amqp://127.0.0.1:4711", "")
    return jms, calls


def test_values_keep_their_types() -> None:
    jms, calls = told()
    message = JavaMapMessage(jms, Fake(jms, "MapMessage").java)
    message.set_short("k", 3)
    message.set_object("k", 1.5)
    message.set_char("k", "\ud800")
    message.set_bytes("k", b"\x00\xff")
    message.set_string("k", "x" * 70_000)
    message.set_string("k", "größe,5" * 10_000)
    message.set_bytes("k", b"\0block\xff" * 10_000)
    message.set_bytes("k", bytes(range(256)) * 100)
    message.set_object("k", None)
    assert [event["given"][1] for event in noted(calls)] == [
        {"short": "3"},
        {"Double": "1.5", "as": "java.lang.Double"},
        {"char": 0xD800},
        {"bytes": "00ff"},
        {"String": "x", "times": 70_000},
        {"String": "größe,5", "times": 10_000},
        {"bytes": b"\0block\xff".hex(), "times": 10_000},
        {"cut": "byte[]"},
        None,
    ]


@pytest.mark.parametrize(
    ("of", "kind"),
    [
        ("String", "java.lang.String"),
        ("Map", "java.util.Map"),
        ("byte[]", "byte[]"),
        ("Serializable", "java.io.Serializable"),
        ("Message", "jakarta.jms.Message"),
    ],
)
def test_a_null_is_given_to_the_send_of_its_class(of: str, kind: str) -> None:
    jms, calls = told()
    fake = Fake(jms, "JMSProducer", send=lambda _, body: None)
    JavaJMSProducer(jms, fake.java).send_null(None, of)  # type: ignore[arg-type]
    [event] = noted(calls)
    assert event["given"][1] == {"null": kind}


def test_what_a_call_gave_or_threw_is_noted_with_the_interface_it_was_made_by() -> None:
    jms, calls = told()

    def fail() -> None:
        raise jpype.JClass("jakarta.jms.IllegalStateException")("closed")

    session = JavaSession(jms, Fake(jms, "Session", getTransacted=lambda: True, commit=fail).java)
    assert session.transacted is True
    with pytest.raises(IllegalStateException, match="closed"):
        session.commit()
    given, thrown = noted(calls)
    assert (given["as"], given["got"]) == ("jakarta.jms.Session", {"boolean": True})
    assert thrown["text"] == "closed"
    assert thrown["threw"][:2] == ["jakarta.jms.IllegalStateException", "jakarta.jms.JMSException"]
    assert given["moment"] < given["until"] < thrown["moment"] < thrown["until"]


def test_a_change_of_the_applications_array_is_noted_before_the_next_call() -> None:
    jms, calls = told()
    session = JavaSession(jms, Fake(jms, "Session", getTransacted=lambda: True).java)
    array = jms.made(jms.values.bytes(b"\x01\x02"))
    array[0] = 9
    with unheard_calls():
        assert session.transacted
    assert session.transacted
    [made] = noted(calls, "new")
    changed, asked = noted(calls)
    assert (changed["method"], changed["given"]) == ("=", [{"bytes": "0902"}])
    assert changed["on"] == made["got"]["object"]
    assert asked["method"] == "getTransacted"


def test_time_in_which_the_harness_calls_by_itself_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Programs of plain JMS would wait as long."""
    jms, calls = told()
    message = JavaMapMessage(jms, Fake(jms, "MapMessage").java)
    clock = iter(range(0, 1_000_000, 100))
    monkeypatch.setattr("jms_clients.calls.time.perf_counter", lambda: next(clock))
    message.set_short("k", 3)
    with unheard_calls():
        for _ in range(50):
            time.perf_counter()
    message.set_short("k", 4)
    first, second = noted(calls)
    assert second["at"] - first["back"] < 5000


def test_what_is_held_by_another_class_is_noted_as_what_it_is() -> None:
    jms, calls = told()
    producer = JavaJMSProducer(jms, Fake(jms, "JMSProducer").java)
    producer.set_property("k", None)
    jms.run(producer.java.send, None, jms.cast(jms.values.to_java([1]), "java.io.Serializable"))
    jms.run(producer.java.send, None, jms.cast(jms.values.to_java({}), "java.util.Map"))
    assert [event["given"][1] for event in noted(calls)] == [
        {"null": "java.lang.Object"},
        {"List": [{"Integer": "1", "as": "java.lang.Integer"}], "as": "java.io.Serializable"},
        {"Map": [], "as": "java.util.Map"},
    ]


def test_bytes_that_are_held_as_an_object_and_sets_are_noted_by_what_is_in_them() -> None:
    jms, calls = told()
    names = jpype.JClass("java.util.HashSet")(["p"])
    fake = Fake(jms, "JMSProducer", getPropertyNames=lambda: names)
    jms.run(fake.java.setProperty, "k", jms.cast(jms.values.bytes(b"\x01"), "java.lang.Object"))
    jms.run(fake.java.getPropertyNames)
    given, gave = noted(calls)
    assert given["given"][1] == {"bytes": "01", "as": "java.lang.Object"}
    assert gave["got"] == {"Set": [{"String": "p"}], "as": "java.util.HashSet"}


class Unreadable:
    def fail(self, what: str) -> NoReturn:
        raise MessageFormatException(what)


def test_a_message_of_another_provider_is_noted_with_all_that_it_has() -> None:
    jms, calls = told()
    properties = {"n": Int(5), "bad": Unreadable(), "none": object()}
    message = ForeignMap({"k": Short(1)}, properties=properties, reply_to=NamedQueue("reply"))
    producer = JavaMessageProducer(jms, Fake(jms, "MessageProducer").java)
    producer.send(message)
    gc.collect()
    producer.send(message)

    first, _ = noted(calls, "new")
    sent, _ = noted(calls)
    headers, told_properties, body = first["given"]
    assert (first["method"], first["as"]) == ("foreign", "MapMessage")
    assert sent["given"][0]["object"] == first["got"]["object"]
    assert [{"String": "JMSReplyTo"}, {"named": "Queue", "name": {"String": "reply"}}] in (
        headers["Map"]
    )
    assert not any(name == {"String": "JMSType"} for name, _ in headers["Map"])
    assert {name["String"]: value for name, value in told_properties["Map"]} == {
        "n": {"Integer": "5", "as": "java.lang.Integer"},
        "bad": {"throws": "jakarta.jms.MessageFormatException"},
        "none": {"object": ANY, "class": "java.lang.Object", "as": "java.lang.Object"},
    }
    assert body == {"Map": [[{"String": "k"}, {"Short": "1", "as": "java.lang.Short"}]]}
    assert message.asked == []


@pytest.mark.parametrize(
    "quiet", [Calls.paused, lambda _: unheard_calls()], ids=["paused", "unheard"]
)
def test_a_listener_that_nobody_hears_of_is_not_kept(quiet: Any) -> None:
    """With it were what it was made with: messages, and by them connections that are closed."""
    jms, calls = told()

    class Listener:
        def __call__(self, _: object) -> None:
            pass

    listener = Listener()
    gone = weakref.ref(listener)
    with quiet(calls):
        proxy = jms.called_back("MessageListener", onMessage=listener)
    del proxy, listener
    gc.collect()
    assert gone() is None


def test_what_is_too_much_is_counted() -> None:
    jms, calls = told()
    session = JavaSession(jms, Fake(jms, "Session", getTransacted=lambda: True).java)
    for _ in range(CALLS):
        assert session.transacted
    [dropped] = noted(calls, "dropped")
    assert dropped["count"] == 2  # besides the calls, where the broker is and what the object is


def test_a_destination_of_another_client_is_noted_by_its_name() -> None:
    jms, calls = told()
    producer = JavaJMSProducer(jms, Fake(jms, "JMSProducer").java)
    producer.set_jms_reply_to(NamedQueue("q"))
    [event] = noted(calls)
    assert event["given"] == [{"named": "Queue", "name": {"String": "q"}}]


def test_what_a_call_has_written_into_an_array_is_noted() -> None:
    jms, calls = told()

    def fill(array: Any) -> Any:
        array[0] = 5
        return jpype.java.lang.Integer(1)

    message = JavaBytesMessage(jms, Fake(jms, "BytesMessage", readBytes=fill).java)
    assert message.read_bytes(2) == b"\x05"
    [event] = noted(calls)
    assert (event["given"], event["filled"]) == ([{"bytes": "0000"}], {"bytes": "0500"})


def test_that_the_broker_was_asked_is_noted_once_between_calls() -> None:
    jms, calls = told()
    message = JavaMapMessage(jms, Fake(jms, "MapMessage").java)
    calls.looked()
    calls.looked()
    message.set_short("k", 3)
    calls.looked()
    assert len(noted(calls, "looked")) == 2
