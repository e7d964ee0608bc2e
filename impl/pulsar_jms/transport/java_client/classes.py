"""The classes of the Java Pulsar client, in the JVM of this process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jmsapi import JMSException
from jvm_runtime.jvm_errors import JvmRuntimeError

PROGRAM = "pulsar-client"
"""The lock of the client's jars."""
PLAIN_PACKAGE = "org.apache.pulsar"
"""Where Apache's own jar has the client; jars that bring a copy put a prefix before it."""


class JavaClasses:
    """Looks up the client's classes below one package; starts the JVM when it is made."""

    def __init__(self, package: str) -> None:
        """`JMSException` when Java cannot run here or the client is not on its class path."""
        try:
            from jvm_runtime import in_process  # here alone: it needs the extra java

            in_process.start(PROGRAM)
        except ModuleNotFoundError as error:
            raise JMSException(
                f"The java transport cannot be used: {error.name} is not installed; "
                "pip install 'jms-touchstone-reference[java]'"
            ) from error
        except JvmRuntimeError as error:
            raise JMSException(
                f"The java transport cannot be used: {error.message}; {error.hint}"
            ) from error
        import jpype

        self.package = package
        self._jpype: Any = jpype
        self.error: tuple[type[Exception], ...] = (
            jpype.JException,
            TypeError,
            ValueError,
            OverflowError,
        )
        """What a call may raise: exceptions of Java, and values that Java cannot take."""
        try:
            self.client_class = self.pulsar("client.impl.PulsarClientImpl")
        except TypeError as error:
            raise JMSException(
                f"The java transport cannot be used: the JVM of this process was started without "
                f"{package}.client; use it in a process of its own"
            ) from error
        units = jpype.JClass("java.util.concurrent.TimeUnit")
        self.milliseconds: Any = units.MILLISECONDS
        self.microseconds: Any = units.MICROSECONDS
        self.seconds: Any = units.SECONDS
        self.bytes_schema: Any = self.pulsar("client.api.Schema").BYTES
        self._byte_array: Any = jpype.JArray(jpype.JByte)

    def pulsar(self, name: str) -> Any:
        """A class of the client by its name below the package."""
        return self._jpype.JClass(f"{self.package}.{name}")

    def java_class(self, name: str) -> Any:
        """Any other class by its full name."""
        return self._jpype.JClass(name)

    def bytes(self, value: bytes) -> Any:
        """A Java array of bytes."""
        return self._byte_array(value)

    def map(self, entries: Mapping[str, object]) -> Any:
        """A Java map."""
        return self.java_class("java.util.HashMap")(dict(entries))

    def proxy(self, interface: Any, **methods: Any) -> Any:
        """A Java object whose methods are functions of Python."""
        return self._jpype.JProxy(interface, dict=methods)


class SharedThreads:
    """The I/O threads and the clock of all clients in this process.

    A client with threads of its own takes two seconds to close them.
    """

    def __init__(self, classes: JavaClasses) -> None:
        loops = classes.pulsar("common.util.netty.EventLoopUtil")
        netty = _netty(loops)
        factory = classes.java_class(f"{netty}.util.concurrent.DefaultThreadFactory")
        self.event_loops: Any = loops.newEventLoopGroup(2, False, factory("pulsar-io", True))
        timer = classes.java_class(f"{netty}.util.HashedWheelTimer")
        self.timer: Any = timer(factory("pulsar-timer", True), 1, classes.milliseconds)


def _netty(loops: Any) -> str:
    """Where this client has netty: relocated copies of the client bring one of their own."""
    [made] = {
        str(method.getReturnType().getName())
        for method in loops.class_.getMethods()
        if str(method.getName()) == "newEventLoopGroup"
    }
    return made.removesuffix(".channel.EventLoopGroup")


@cache
def java_classes(package: str) -> JavaClasses:
    """The classes below `package`; `JMSException` when Java cannot run here."""
    return JavaClasses(package)


@cache
def shared_threads(package: str) -> SharedThreads:
    """The threads that all clients of `package` share."""
    return SharedThreads(java_classes(package))
