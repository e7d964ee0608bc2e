"""What a client holds in memory, for clients that let it be seen: Python's and Java's heap."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from jmsapi import Message

T = TypeVar("T")


class Memory(Protocol):
    """The heap that the client's messages live on."""

    def watch(self, message: Message) -> Callable[[], bool]:
        """A question that keeps nothing alive: does a collection leave the message in memory?"""
        ...

    def held(self) -> int:
        """Bytes in use after a collection."""
        ...

    def peak(self, action: Callable[[], T]) -> tuple[T, int]:
        """What an action returns, and how many bytes its peak was above what was in use before."""
        ...


class PythonMemory:
    """The heap of this interpreter, as far as tracemalloc traces it."""

    def watch(self, message: Message) -> Callable[[], bool]:
        """Ask a weak reference."""
        reference = weakref.ref(message)

        def is_there() -> bool:
            gc.collect()
            return reference() is not None

        return is_there

    def held(self) -> int:
        """Bytes allocated since the tracing began, and still in use."""
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    def peak(self, action: Callable[[], T]) -> tuple[T, int]:
        """See `Memory`."""
        before = self.held()
        tracemalloc.reset_peak()
        result = action()
        return result, tracemalloc.get_traced_memory()[1] - before


@contextmanager
def python_memory() -> Iterator[PythonMemory]:
    """Trace what Python allocates, which makes it slower meanwhile."""
    tracemalloc.start()
    try:
        yield PythonMemory()
    finally:
        tracemalloc.stop()


class JavaMemory:
    """The heap of the JVM in this process; a peak counts garbage, too."""

    def __init__(self) -> None:
        import jpype

        self._jpype = jpype
        management = jpype.JClass("java.lang.management.ManagementFactory")
        heap = jpype.JClass("java.lang.management.MemoryType").HEAP
        self._pools = [pool for pool in management.getMemoryPoolMXBeans() if pool.getType() == heap]

    def watch(self, message: Message) -> Callable[[], bool]:
        """Ask a java.lang.ref.WeakReference, once Python has let go of the message."""
        java: Any = message
        reference = self._jpype.JClass("java.lang.ref.WeakReference")(java.java)

        def is_there() -> bool:
            self._collect()
            return reference.get() is not None

        return is_there

    def held(self) -> int:
        """Bytes of the heap in use."""
        self._collect()
        return sum(int(pool.getUsage().getUsed()) for pool in self._pools)

    def peak(self, action: Callable[[], T]) -> tuple[T, int]:
        """See `Memory`."""
        before = self.held()
        for pool in self._pools:
            pool.resetPeakUsage()
        result = action()
        return result, sum(int(pool.getPeakUsage().getUsed()) for pool in self._pools) - before

    def _collect(self) -> None:
        gc.collect()
        self._jpype.java.lang.System.gc()
        self._jpype.java.lang.System.runFinalization()
        self._jpype.java.lang.System.gc()


@contextmanager
def java_memory() -> Iterator[JavaMemory]:
    """The memory of a client in Java; its messages are those of `java_jms`."""
    yield JavaMemory()
