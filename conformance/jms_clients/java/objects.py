"""What all objects of a Java JMS client have in common here: how they are called and read.

The interfaces of jmsapi are tables of attributes and calls, each with the Java name and the kinds
of what goes in and comes out. The namespace, jakarta.jms or javax.jms, is a parameter.

An application is compiled against the interfaces of JMS. JPype would choose among the methods of
the client's own class, which may have others that fit the arguments better, so every object is
held by the interface that an application declares it as, and is called by the methods of that one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Final, NamedTuple, Self

from jms_clients.calls import Calls
from jms_clients.errors import NotInThisVersion, ProviderError
from jms_clients.java.errors import java_error, python_error
from jms_clients.java.values import JavaValues
from jmsapi import Byte, Double, Float, Int, Long, Short
from jmsapi.conversions import (
    typed_boolean,
    typed_bytes,
    typed_floating,
    typed_integral,
    typed_string,
)

_OLDEST: Final = "javax.jms"
"""The namespace that had a version before 2.0, whose clients may meet the newer interfaces."""
_CAME_WITH_2: Final = "JMSContext"


class Jms:
    """The classes of one namespace in the JVM of this process, which runs already."""

    def __init__(self, namespace: str) -> None:
        import jpype

        self._jpype: Any = jpype
        self.namespace = namespace
        self.values = JavaValues()
        self.interface: Callable[[str], Any] = cache(self._interface)
        self._abstract: Any = jpype.JClass("java.lang.AbstractMethodError")
        self._thread = threading.local()
        self._calls: Calls | None = None

    def tell(self, calls: Calls, where: str, admin: str) -> None:
        """Note what is called in `calls`; the URLs are the broker's and its administration's."""
        system = self._jpype.JClass("java.lang.System")
        calls.hear(lambda java: int(system.identityHashCode(java)), where, admin)
        self._calls = calls

    def _interface(self, name: str) -> Any:
        """An interface of JMS; `NotInThisVersion` where that of the client is older."""
        if name == _CAME_WITH_2 or self.has_jms_2:
            return self._jpype.JClass(f"{self.namespace}.{name}")
        try:
            return self._jpype.JClass(f"{self.namespace}.{name}")
        except TypeError:
            raise NotInThisVersion(name) from None

    def run(self, method: Any, *args: Any) -> Any:
        """Call a method of Java; what it throws is raised as the exception of jmsapi."""
        if not hasattr(self._thread, "loads"):
            self._load_classes_here()
        calls = self._calls
        noted = None if calls is None else calls.call(method, args)
        try:
            result = method(*args)
        except self._jpype.JException as error:
            if calls is not None:
                calls.threw(noted, error)
            if self.namespace == _OLDEST and isinstance(error, self._abstract):
                raise NotInThisVersion(self.values.shown(error.getMessage())) from None
            translated = python_error(error, self.namespace, self.values.shown)
        else:
            if calls is not None:
                calls.gave(noted, result, args, as_it_is=self.values.are_as_they_are)
            return result
        raise translated

    def _load_classes_here(self) -> None:
        """Have this thread find the client's classes, as every thread that Java starts does."""
        loader = self._jpype.JClass("java.lang.ClassLoader").getSystemClassLoader()
        self._jpype.JClass("java.lang.Thread").currentThread().setContextClassLoader(loader)
        self._thread.loads = True

    def called_back(self, interface: str, **methods: Callable[..., None]) -> Any:
        """A Java object of `interface` whose methods are functions; what they raise is thrown."""

        calls = self._calls
        number = 0

        def guarded(name: str, method: Callable[..., None]) -> Callable[..., None]:
            def call(*args: Any) -> None:
                thrown: Any = None
                if calls is not None:
                    calls.called_back(number, name, args)
                try:
                    method(*args)
                except Exception as error:
                    thrown = java_error(error, self.namespace)
                    raise thrown from error
                finally:
                    if calls is not None:
                        calls.came_back(number, thrown)

            return call

        guards = {name: guarded(name, method) for name, method in methods.items()}
        proxy = self._jpype.JProxy(self.interface(interface), dict=guards)
        if calls is not None:
            number = calls.listener(proxy, interface)
        return proxy

    def implemented(self, interface: str, **methods: Callable[..., Any]) -> Any:
        """A Java object of `interface` that answers with the results of functions."""
        return self._jpype.JProxy(self.interface(interface), dict=methods)

    def note_foreign(
        self, proxy: Any, interface: str, content: Callable[[], Sequence[Any]]
    ) -> None:
        """Note an object that is `implemented` as a message, with headers, properties and body."""
        if self._calls is not None:
            self._calls.foreign(self.declared(proxy, interface), interface, *content())

    def named(self, interface: str, name: str) -> Any:
        """A destination of `interface`, of which there is only a name, as another client's is."""

        def told() -> str:
            return name

        methods = {} if interface == "Destination" else {f"get{interface}Name": told}
        proxy = self.implemented(interface, **methods, toString=told)
        if self._calls is not None:
            self._calls.named(proxy, interface, name)
        return proxy

    def declared(self, java: Any, interface: str) -> Any:
        """An object as a variable of this interface of JMS holds it: called by its methods alone.

        `ProviderError` where its class does not implement the interface.
        """
        kind = self.interface(interface)
        if type(java) is kind:
            return java
        try:
            held = self._jpype.JObject(java, kind)
        except TypeError:
            raise ProviderError(
                f"{java.getClass().getName()} is no {self.namespace}.{interface}",
                hint="The provider has to say which class of the client is one.",
            ) from None
        if self._calls is not None:
            self._calls.held(held, interface)
        return held

    def method(self, java: Any, name: str) -> Any:
        """A method of an object held by an interface; `NotInThisVersion` where that is older."""
        try:
            return getattr(java, name)
        except AttributeError:
            if self.has_jms_2:
                raise
        raise NotInThisVersion(name)

    @cached_property
    def has_jms_2(self) -> bool:
        """Whether the interfaces are those of JMS 2.0 or newer, by the class that came with it."""
        try:
            self.interface(_CAME_WITH_2)
        except TypeError:
            return False
        return True

    def implements(self, java: Any, name: str) -> bool:
        """Whether the class of an object has this method itself, not only an interface of it."""
        is_abstract = self._jpype.JClass("java.lang.reflect.Modifier").isAbstract
        methods = java.getClass().getMethods()
        return any(
            str(each.getName()) == name and not is_abstract(each.getModifiers()) for each in methods
        )

    def made(self, array: Any) -> Any:
        """An array or list of the application, which it may change between two calls."""
        if self._calls is not None:
            self._calls.made(array)
        return array

    def static(self, class_name: str) -> Any:
        """The class of this name, for its static methods."""
        return self._jpype.JClass(class_name)

    def cast(self, value: Any, class_name: str) -> Any:
        """`value` as an argument of exactly this class, where Java has several methods."""
        return self._jpype.JObject(value, self._jpype.JClass(class_name))


class JavaObject:
    """One object of the client; two are equal where Java says so."""

    declared: ClassVar[str]
    """The interface of JMS that an application declares it as."""

    def __init__(self, jms: Jms, java: Any) -> None:
        self.jms = jms
        self.java = jms.declared(java, self.declared)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.jms.values.shown(self.java.toString())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JavaObject) and bool(self.java.equals(other.java))

    def __hash__(self) -> int:
        return int(self.java.hashCode())

    def call(self, name: str, *args: Any) -> Any:
        """Call a method by its Java name with Java's values."""
        return self.jms.run(self.jms.method(self.java, name), *args)


class JavaResource(JavaObject):
    """An object that is closed."""

    when_closed: Callable[[], object] | None = None
    """Told once when it was closed."""

    def close(self) -> None:
        """Close it."""
        self.call("close")
        told, self.when_closed = self.when_closed, None
        if told is not None:
            told()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class JavaConversion(NamedTuple):
    """How a kind of value goes to Java, and how it comes from there."""

    to_java: Callable[[Jms, Any], Any]
    from_java: Callable[[Jms, Any], Any]


def _primitive(to_java: Callable[[Any], Any], from_java: Callable[[Any], Any]) -> JavaConversion:
    return JavaConversion(
        lambda jms, value: jms.values.primitive(to_java(value)), lambda _, java: from_java(java)
    )


def _integral(kind: type[Any]) -> JavaConversion:
    return _primitive(lambda value: typed_integral(value, kind), lambda java: kind(int(java)))


def _floating(kind: type[Any]) -> JavaConversion:
    return _primitive(lambda value: typed_floating(value, kind), lambda java: kind(float(java)))


BOOLEAN = _primitive(typed_boolean, bool)
BYTE = _integral(Byte)
SHORT = _integral(Short)
INT = _integral(Int)
LONG = _integral(Long)
FLOAT = _floating(Float)
DOUBLE = _floating(Double)
NUMBER = _primitive(lambda value: Int(int(value)), int)
"""An int that is no value of the application, such as a priority."""
MILLISECONDS = _primitive(lambda value: Long(int(value)), int)
CHAR = JavaConversion(
    lambda jms, value: jms.values.char(value), lambda jms, java: jms.values.from_char(java)
)
TEXT = JavaConversion(
    lambda jms, value: jms.values.text(typed_string(value)),
    lambda jms, java: jms.values.from_text(java),
)
BYTES = JavaConversion(
    lambda jms, value: (
        value if jms.values.is_array(value) else jms.values.bytes(typed_bytes(value))
    ),
    lambda jms, java: jms.values.from_java(java),
)
OBJECT = JavaConversion(
    lambda jms, value: jms.values.to_java(value), lambda jms, java: jms.values.from_java(java)
)
SERIALIZABLE = JavaConversion(
    lambda jms, value: jms.values.serializable(value), lambda jms, java: jms.values.from_java(java)
)
CLASS = JavaConversion(lambda jms, value: jms.values.type(value), lambda _, java: java)
NOTHING = JavaConversion(lambda _, value: value, lambda _, java: None)


def texts(jms: Jms, enumeration: Any) -> list[str]:
    """The texts of a java.util.Enumeration."""
    values = []
    while jms.run(enumeration.hasMoreElements):
        values.append(jms.values.from_text(jms.run(enumeration.nextElement)) or "")
    return values


@dataclass(frozen=True)
class JavaMethod:
    """One method of Java behind an attribute or a call of jmsapi."""

    name: str
    takes: tuple[JavaConversion, ...] = ()
    gives: JavaConversion = NOTHING


class JavaAttribute(property):
    """An attribute of jmsapi, with the methods of Java that read and set it."""

    reads: JavaMethod
    sets: JavaMethod | None = None


def call(name: str, *takes: JavaConversion, gives: JavaConversion = NOTHING) -> Any:
    """A method: its Java name, the kinds of its arguments and of its result."""

    def method(self: JavaObject, *args: Any) -> Any:
        if len(args) != len(takes):
            raise TypeError(f"{name} takes {len(takes)} arguments, {len(args)} were given")
        given = (kind.to_java(self.jms, arg) for kind, arg in zip(takes, args, strict=True))
        return gives.from_java(self.jms, self.call(name, *given))

    method.__name__ = name
    method.java = JavaMethod(name, takes, gives)  # type: ignore[attr-defined]
    return method


def attribute(name: str, kind: JavaConversion, *, getter: str = "get") -> Any:
    """A property that is read with `get<name>` and set with `set<name>`."""

    def read(self: JavaObject) -> Any:
        return kind.from_java(self.jms, self.call(f"{getter}{name}"))

    def write(self: JavaObject, value: Any) -> None:
        self.call(f"set{name}", kind.to_java(self.jms, value))

    java_attribute = JavaAttribute(read, write)
    java_attribute.reads = JavaMethod(f"{getter}{name}", gives=kind)
    java_attribute.sets = JavaMethod(f"set{name}", (kind,))
    return java_attribute


def fact(getter: str, kind: JavaConversion) -> Any:
    """A property that is read only, by its whole Java name."""
    java_attribute = JavaAttribute(lambda self: kind.from_java(self.jms, self.call(getter)))
    java_attribute.reads = JavaMethod(getter, gives=kind)
    return java_attribute
