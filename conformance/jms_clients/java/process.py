"""What a Java client takes from its process: system properties of the JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def process_property(name: str, value: str | None) -> Iterator[None]:
    """The system property `name` is `value` for a while, or absent; then what it was before."""
    import jpype

    system = jpype.JClass("java.lang.System")

    def become(wanted: object) -> None:
        if wanted is None:
            system.clearProperty(name)
        else:
            system.setProperty(name, str(wanted))

    before = system.getProperty(name)
    become(value)
    try:
        yield
    finally:
        become(before)
