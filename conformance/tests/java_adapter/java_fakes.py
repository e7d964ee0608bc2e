"""Java objects that tests make, in both namespaces of JMS, and what they keep of calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jpype

import jmsapi
from jms_clients.java.connections import Jms
from jmsapi import (
    Byte,
    Double,
    Float,
    Int,
    JMSException,
    Long,
    Short,
)
from jvm_runtime import fetch, in_process, locks


@cache
def namespace(name: str) -> Jms:
    """The classes of one namespace, in the JVM that all tests of this process share."""
    in_process.start("pulsar-client")
    for jar in api_jars():
        jpype.addClassPath(str(jar))
    return Jms(name)


def api_jars() -> list[Path]:
    """The interfaces of JMS, in both namespaces."""
    lock = Path(__file__).with_name("jms-api.lock")
    return list(fetch.fetch(locks.parse(lock.read_text(encoding="utf-8"), lock.name)))


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


def java_call(jms: Jms, interface: str, method: str, target: Any, *given: Any) -> Any:
    """Have Java call `target` on a thread of its own; what the call throws, None for nothing."""
    (reflected,) = (
        m for m in jms.interface(interface).class_.getMethods() if m.getName() == method
    )
    objects: Any = jpype.JArray(jpype.JObject)
    thrown: list[Any] = []

    def run() -> None:
        try:
            reflected.invoke(target, objects(given))
        except jpype.JException as error:
            thrown.append(error.getCause())

    thread = jpype.JClass("java.lang.Thread")(jpype.JProxy("java.lang.Runnable", dict={"run": run}))
    thread.start()
    thread.join(60_000)
    assert not thread.isAlive()
    return thrown[0] if thrown else None
