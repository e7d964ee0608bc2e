"""The adapter for JMS clients in Java: values, exceptions and calls, in both namespaces."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jpype
import pytest

import jmsapi
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    JMSException,
    Long,
    Message,
    MessageFormatException,
    Queue,
    Short,
    TextMessage,
    Topic,
)
from jvm_runtime import fetch, in_process, locks
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarStreamMessage,
    PulsarTextMessage,
)
from touchstone.errors import ClientError
from touchstone.providers.java.connections import JavaConnection, JavaConnectionFactory, Jms
from touchstone.providers.java.consumers import JavaQueueBrowser
from touchstone.providers.java.destinations import (
    DESTINATION,
    JavaQueue,
    JavaTemporaryQueue,
    JavaTemporaryTopic,
    JavaTopic,
    kind_told,
)
from touchstone.providers.java.foreign import java_message
from touchstone.providers.java.messages import MESSAGE
from touchstone.providers.java.producers import JavaJMSProducer, JavaMessageProducer
from touchstone.providers.java.sessions import JavaSession
from touchstone.providers.java.values import OpaqueJavaObject
from touchstone.scenario.deadline import within


@cache
def namespace(name: str) -> Jms:
    """The classes of one namespace, in the JVM that all tests of this process share."""
    in_process.start("pulsar-client")
    lock = Path(__file__).with_name("jms-api.lock")
    for jar in fetch.fetch(locks.parse(lock.read_text(encoding="utf-8"), lock.name)):
        jpype.addClassPath(str(jar))
    return Jms(name)


@pytest.fixture(params=["jakarta.jms", "javax.jms"])
def jms(request: pytest.FixtureRequest) -> Jms:
    """The classes of each namespace."""
    return namespace(request.param)


class Fake:
    """A Java object of one interface; keeps the calls, with the classes of their arguments."""

    def __init__(self, jms: Jms, interface: str, **answers: Callable[..., Any]) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.called: list[Any] = []
        """The methods of Java that were called."""
        self.arguments: dict[str, tuple[Any, ...]] = {}
        self._answers = answers
        handler = jpype.JProxy("java.lang.reflect.InvocationHandler", dict={"invoke": self._invoke})
        kind = jms.interface(interface).class_
        self.java: Any = jpype.JClass("java.lang.reflect.Proxy").newProxyInstance(
            kind.getClassLoader(), [kind], handler
        )

    def _invoke(self, proxy: Any, method: Any, arguments: Any) -> Any:
        name = str(method.getName())
        given = tuple(arguments or ())
        if name == "equals":
            identity = jpype.JClass("java.lang.System").identityHashCode
            return jpype.java.lang.Boolean(identity(proxy) == identity(given[0]))
        if name == "hashCode":
            return jpype.java.lang.Integer(7)
        if name == "toString":
            return f"a fake {id(self)}"
        self.called.append(method)
        self.calls.append((name, *(_class(each) for each in given)))
        self.arguments[name] = given
        answer = self._answers.get(name)
        return None if answer is None else answer(*given)


def _class(value: Any) -> str:
    if value is None:
        return "null"
    return str(value.getClass().getSimpleName()) if hasattr(value, "getClass") else "proxy"


def test_message_of_two_kinds_at_once_is_refused(jms: Jms) -> None:
    both = [jms.interface(name).class_ for name in ("TextMessage", "MapMessage")]
    handler = jpype.JProxy("java.lang.reflect.InvocationHandler", dict={})
    proxies = jpype.JClass("java.lang.reflect.Proxy")
    java = proxies.newProxyInstance(both[0].getClassLoader(), both, handler)

    with pytest.raises(ClientError, match="TextMessage and MapMessage at once"):
        MESSAGE.from_java(jms, java)


def bag(jms: Jms, interface: str = "Message") -> Fake:
    """A message that keeps what its setters are given and gives it to the getters."""
    kept: dict[str, Any] = {}

    def put(name: Any, value: Any) -> None:
        kept[str(name)] = value

    def get(name: Any) -> Any:
        return kept.get(str(name))

    names = ("Boolean", "Byte", "Short", "Int", "Long", "Float", "Double", "String", "Object")
    answers: dict[str, Callable[..., Any]] = {}
    for name in names:
        answers |= {f"set{name}Property": put, f"get{name}Property": get}
    return Fake(jms, interface, **answers)


# -- values --------------------------------------------------------------------------------------

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
    found = values.from_java(jpype.JClass("java.util.Locale").ROOT)
    assert found == OpaqueJavaObject("java.util.Locale", "")


TYPED = [
    ("boolean", True, "Boolean"),
    ("byte", Byte(5), "Byte"),
    ("short", Short(5), "Short"),
    ("int", Int(5), "Integer"),
    ("long", Long(5), "Long"),
    ("float", Float(0.1), "Float"),
    ("double", Double(0.1), "Double"),
    ("string", "text", "String"),
]


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


# -- exceptions ----------------------------------------------------------------------------------

CHECKED = [
    name
    for name, kind in vars(jmsapi).items()
    if isinstance(kind, type) and issubclass(kind, JMSException)
]
UNCHECKED = [
    name
    for name, kind in vars(jmsapi).items()
    if isinstance(kind, type) and issubclass(kind, jmsapi.JMSRuntimeException)
]


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


# -- listeners -----------------------------------------------------------------------------------


def java_call(jms: Jms, interface: str, method: str, target: Any, *given: Any) -> Any:
    """Have Java call `target` on a thread of its own; what the call throws, None for nothing."""
    (found,) = (m for m in jms.interface(interface).class_.getMethods() if m.getName() == method)
    objects: Any = jpype.JArray(jpype.JObject)
    thrown: list[Any] = []

    def run() -> None:
        try:
            found.invoke(target, objects(given))
        except jpype.JException as error:
            thrown.append(error.getCause())

    thread = jpype.JClass("java.lang.Thread")(jpype.JProxy("java.lang.Runnable", dict={"run": run}))
    thread.start()
    thread.join(60_000)
    assert not thread.isAlive()
    return thrown[0] if thrown else None


def browsed(jms: Jms, enumeration: Any) -> jmsapi.Enumeration:
    """What a browser gives for an enumeration of Java."""
    fake = Fake(jms, "QueueBrowser", getEnumeration=lambda: enumeration)
    return JavaQueueBrowser(jms, fake.java).enumeration


def test_an_enumeration_ends_where_java_throws(jms: Jms) -> None:
    message = Fake(jms, "TextMessage", getText=lambda: "t")
    listed = browsed(jms, jpype.java.util.Vector([message.java]).elements())
    assert listed.has_more_elements()
    first = next(listed)
    assert isinstance(first, TextMessage)
    assert first.text == "t"
    assert not listed.has_more_elements()
    with pytest.raises(StopIteration):
        next(listed)
    assert list(listed) == []


def test_a_loop_asks_first_and_does_not_see_what_is_past_the_end(jms: Jms) -> None:
    left = [Fake(jms, "TextMessage", getText=lambda: "t").java]
    java = Fake(
        Jms("java.util"),
        "Enumeration",
        hasMoreElements=lambda: jpype.java.lang.Boolean(bool(left)),
        nextElement=lambda: left.pop() if left else None,
    ).java
    (listed,) = list(browsed(jms, java))
    assert isinstance(listed, TextMessage)
    assert listed.text == "t"
    with pytest.raises(ClientError, match=r"nextElement\(\) gave null"):
        next(browsed(jms, java))


def test_an_enumeration_has_no_null(jms: Jms) -> None:
    with pytest.raises(ClientError, match=r"nextElement\(\) gave null"):
        next(browsed(jms, jpype.java.util.Vector([None]).elements()))


def hear(jms: Jms, listener: Callable[[Any], None], message: Any) -> Any:
    """What Java sees thrown when a message comes to `listener` of a session; None for nothing."""
    fake = Fake(jms, "Session")
    JavaSession(jms, fake.java).message_listener = listener
    (java_listener,) = fake.arguments["setMessageListener"]
    return java_call(jms, "MessageListener", "onMessage", java_listener, message)


def test_a_listener_is_called_on_a_daemon_thread_with_the_message(jms: Jms) -> None:
    seen: list[tuple[object, bool, bool]] = []

    def listener(message: Any) -> None:
        thread = threading.current_thread()
        seen.append((message, thread is threading.main_thread(), thread.daemon))

    message = Fake(jms, "TextMessage").java
    assert hear(jms, listener, message) is None
    ((received, in_main, daemon),) = seen
    assert isinstance(received, TextMessage)
    assert (in_main, daemon) == (False, True)


def test_what_a_listener_raises_is_thrown_unchecked(jms: Jms) -> None:
    def listener(message: Any) -> None:
        raise KeyError("lost")

    error = hear(jms, listener, Fake(jms, "Message").java)
    assert str(error.getClass().getName()) == "java.lang.RuntimeException"
    assert str(error.getMessage()) == "KeyError: 'lost'"


@pytest.mark.parametrize("name", UNCHECKED)
def test_an_unchecked_exception_of_a_listener_keeps_its_class(jms: Jms, name: str) -> None:
    def listener(message: Any) -> None:
        raise getattr(jmsapi, name)("why", "E7")

    error = hear(jms, listener, Fake(jms, "Message").java)
    assert str(error.getClass().getName()) == f"{jms.namespace}.{name}"
    assert (str(error.getMessage()), str(error.getErrorCode())) == ("why", "E7")


def test_an_exception_listener_is_given_the_exception(jms: Jms) -> None:
    seen: list[Exception] = []
    fake = Fake(jms, "Connection")
    JavaConnection(jms, fake.java).exception_listener = seen.append
    (told,) = fake.arguments["setExceptionListener"]
    error = jms.interface("JMSSecurityException")("why", "E7")
    assert java_call(jms, "ExceptionListener", "onException", told, error) is None
    assert [(type(each), str(each)) for each in seen] == [(jmsapi.JMSSecurityException, "why")]


class Outcomes:
    """A completion listener that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def on_completion(self, message: Any) -> None:
        """Keep a confirmation."""
        self.told.append((message,))

    def on_exception(self, message: Any, exception: Exception) -> None:
        """Keep a failure."""
        self.told.append((message, exception))


def test_a_completion_listener_is_told_of_the_message_that_was_sent(jms: Jms) -> None:
    fake, outcomes = Fake(jms, "MessageProducer"), Outcomes()
    message = MESSAGE.from_java(jms, Fake(jms, "TextMessage").java)
    producer = JavaMessageProducer(jms, fake.java)
    producer.send(message, completion_listener=outcomes)
    sent, told = fake.arguments["send"]
    java_call(jms, "CompletionListener", "onCompletion", told, sent)
    failure = jms.interface("ResourceAllocationException")("full")
    java_call(jms, "CompletionListener", "onException", told, sent, failure)
    (confirmed,), (failed, error) = outcomes.told
    assert confirmed is message
    assert failed is message
    assert type(error) is jmsapi.ResourceAllocationException


# -- destinations, sending, closing --------------------------------------------------------------


def test_a_destination_has_its_type_name_and_equality(jms: Jms) -> None:
    name = jpype.JString("q")
    java = Fake(jms, "Queue", getQueueName=lambda: name).java
    queue = DESTINATION.from_java(jms, java)
    assert isinstance(queue, Queue)
    assert not isinstance(queue, Topic)
    assert queue.queue_name == "q"
    assert queue == DESTINATION.from_java(jms, java)
    assert queue != DESTINATION.from_java(jms, Fake(jms, "Queue").java)


def test_a_destination_of_no_kind_is_an_object_of_the_interface(jms: Jms) -> None:
    class Nowhere(jmsapi.Destination):
        def __repr__(self) -> str:
            return "nowhere"

    java = jpype.JObject(DESTINATION.to_java(jms, Nowhere()), jms.interface("Destination"))

    assert str(java.toString()) == "nowhere"
    assert not isinstance(java, jms.interface("Queue"))
    with pytest.raises(TypeError, match="is no destination"):
        DESTINATION.to_java(jms, "nowhere")


def test_a_destination_of_every_kind_is_what_it_tells() -> None:
    kinds: list[type] = [
        kind_told(queue, temporary) for queue in (True, False) for temporary in (True, False)
    ]

    assert kinds == [JavaTemporaryQueue, JavaQueue, JavaTemporaryTopic, JavaTopic]


SENDS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({}, ("Message",)),
    ({"destination": True}, ("Destination", "Message")),
    ({"priority": 7}, ("Message", "int", "int", "long")),
    (
        {"destination": True, "delivery_mode": 1, "time_to_live": 5},
        ("Destination", "Message", "int", "int", "long"),
    ),
    ({"completion_listener": Outcomes()}, ("Message", "CompletionListener")),
    (
        {"destination": True, "priority": 7, "completion_listener": Outcomes()},
        ("Destination", "Message", "int", "int", "long", "CompletionListener"),
    ),
]


@pytest.mark.parametrize(("options", "signature"), SENDS)
def test_a_send_is_the_one_of_java_that_takes_its_options(
    jms: Jms, options: dict[str, Any], signature: tuple[str, ...]
) -> None:
    fake = Fake(jms, "MessageProducer", **DEFAULTS)
    if "destination" in options:
        options = options | {"destination": DESTINATION.from_java(jms, Fake(jms, "Topic").java)}
    producer = JavaMessageProducer(jms, fake.java)
    producer.send(MESSAGE.from_java(jms, Fake(jms, "Message").java), **options)
    (send,) = (method for method in fake.called if method.getName() == "send")
    assert tuple(str(kind.getSimpleName()) for kind in send.getParameterTypes()) == signature


DEFAULTS: dict[str, Callable[..., Any]] = {
    "getDeliveryMode": lambda: jpype.java.lang.Integer(2),
    "getPriority": lambda: jpype.java.lang.Integer(4),
    "getTimeToLive": lambda: jpype.java.lang.Long(0),
}


def test_what_a_send_leaves_open_is_taken_from_the_producer(jms: Jms) -> None:
    fake = Fake(jms, "MessageProducer", **DEFAULTS)
    producer = JavaMessageProducer(jms, fake.java)
    producer.send(MESSAGE.from_java(jms, Fake(jms, "Message").java), priority=7)
    _, *options = fake.arguments["send"]
    assert [int(each) for each in options] == [2, 7, 0]


def seen_by_java(jms: Jms, message: Message, kind: str) -> Any:
    """`message` as a client in Java sees it, through the interface `kind`."""
    return MESSAGE.from_java(jms, jms.cast(java_message(jms, message), f"{jms.namespace}.{kind}"))


def test_a_message_of_another_client_answers_for_itself(jms: Jms) -> None:
    message = PulsarTextMessage("hello")
    message.set_short_property("size", 3)
    message.jms_type = "kind"
    seen = seen_by_java(jms, message, "TextMessage")

    assert isinstance(seen, TextMessage)
    assert (seen.text, seen.jms_type, seen.jms_reply_to) == ("hello", "kind", None)
    assert list(seen.property_names()) == ["size"]
    assert type(seen.get_object_property("size")) is Short
    seen.jms_message_id = "ID:7"
    seen.jms_priority = 9
    assert (message.jms_message_id, message.jms_priority) == ("ID:7", 9)


def test_a_completion_listener_is_told_of_the_foreign_message(jms: Jms) -> None:
    message, outcomes = PulsarTextMessage("hello"), Outcomes()
    fake = Fake(jms, "MessageProducer")
    JavaMessageProducer(jms, fake.java).send(message, completion_listener=outcomes)
    sent, told = fake.arguments["send"]
    java_call(jms, "CompletionListener", "onCompletion", told, sent)

    ((confirmed,),) = outcomes.told
    assert confirmed is message


def test_a_foreign_message_throws_the_exceptions_of_jms(jms: Jms) -> None:
    message = PulsarStreamMessage()
    message.write_int(7)
    message.reset()
    seen = seen_by_java(jms, message, "StreamMessage")

    assert seen.read_object() == Int(7)
    with pytest.raises(jmsapi.MessageEOFException):
        seen.read_object()


def test_a_foreign_message_gives_its_bytes(jms: Jms) -> None:
    message = PulsarBytesMessage()
    message.write_bytes(b"\x00\x01\xff")
    message.reset()
    seen = seen_by_java(jms, message, "BytesMessage")

    assert seen.body_length == 3
    assert seen.read_bytes(2) == b"\x00\x01"
    assert seen.read_bytes(2) == b"\xff"
    assert seen.read_bytes(2) is None


def test_a_foreign_map_gives_its_items(jms: Jms) -> None:
    message = PulsarMapMessage()
    message.set_int("i", 7)
    seen = seen_by_java(jms, message, "MapMessage")

    assert seen.map_names() == ["i"]
    assert type(seen.get_object("i")) is Int


BODIES = [
    ("text", "String"),
    (b"bytes", "byte[]"),
    ({"a": 1}, "Map"),
    ([1], "Serializable"),
    (Int(1), "Serializable"),
    (None, "Serializable"),
]


@pytest.mark.parametrize(("body", "java_class"), BODIES)
def test_a_bare_body_goes_to_the_send_of_its_kind(jms: Jms, body: object, java_class: str) -> None:
    fake = Fake(jms, "JMSProducer")
    queue = DESTINATION.from_java(jms, Fake(jms, "Queue").java)
    producer = JavaJMSProducer(jms, fake.java)
    assert producer.send(queue, body) is producer
    (send,) = fake.called
    assert str(send.getParameterTypes()[1].getSimpleName()) == java_class


@pytest.mark.parametrize(("value", "java_class"), [(v, c) for _, v, c in TYPED] + [(b"", "")])
def test_a_property_of_a_producer_is_set_in_the_type_of_its_value(
    jms: Jms, value: Any, java_class: str
) -> None:
    fake = Fake(jms, "JMSProducer")
    producer = JavaJMSProducer(jms, fake.java)
    assert producer.set_property("p", value) is producer
    (setter,) = fake.called
    expected = {"Integer": "int", "String": "String", "": "Object"}
    kind = str(setter.getParameterTypes()[1].getSimpleName())
    assert kind == expected.get(java_class, java_class.lower())


CONSUMERS: list[tuple[tuple[Any, ...], tuple[str, ...]]] = [
    ((), ("Destination",)),
    ((None, False), ("Destination",)),
    (("a = 1",), ("Destination", "String")),
    (("", False), ("Destination", "String")),
    ((None, True), ("Destination", "String", "boolean")),
]


@pytest.mark.parametrize(("options", "signature"), CONSUMERS)
def test_a_consumer_is_made_with_as_few_arguments_as_say_it(
    jms: Jms, options: tuple[Any, ...], signature: tuple[str, ...]
) -> None:
    fake = Fake(jms, "Session")
    topic = DESTINATION.from_java(jms, Fake(jms, "Topic").java)
    JavaSession(jms, fake.java).create_consumer(topic, *options)
    (method,) = fake.called
    assert tuple(str(kind.getSimpleName()) for kind in method.getParameterTypes()) == signature


def test_a_factory_closes_its_connections_then_itself(jms: Jms) -> None:
    def refuse() -> None:
        raise jms.interface("JMSException")("does not close")

    order: list[str] = []
    connections = [
        Fake(jms, "Connection", close=lambda: order.append("connection")),
        Fake(jms, "Connection", close=refuse),
    ]
    made = iter(connections)
    java = Fake(jms, "ConnectionFactory", createConnection=lambda: next(made).java).java
    factory = JavaConnectionFactory(jms, java, lambda _: order.append("factory"))
    factory.create_connection()
    factory.create_connection()
    factory.close()
    factory.close()
    assert order == ["connection", "factory"]
    assert [fake.calls for fake in connections] == [[("close",)], [("close",)]]


def test_a_call_with_a_deadline_leaves_no_thread_in_the_jvm(jms: Jms) -> None:
    java = jpype.JClass("java.lang.Thread")
    seen: list[int] = []

    def call() -> None:
        seen.append(int(java.currentThread().getId()))

    for _ in range(5):
        within(10.0, call, "a call of Java")

    alive = {int(each.getId()) for each in java.getAllStackTraces().keySet()}
    assert len(seen) == 5
    assert not alive & set(seen)
