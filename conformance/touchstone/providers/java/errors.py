"""Exceptions of Java as those of jmsapi, by class, with text, error code and cause; and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jmsapi
from touchstone.errors import ClientError

_UNCHECKED = {
    "java.lang.IllegalArgumentException": jmsapi.IllegalArgumentException,
    "java.lang.NumberFormatException": jmsapi.NumberFormatException,
    "java.lang.IndexOutOfBoundsException": jmsapi.IndexOutOfBoundsException,
    "java.lang.NullPointerException": jmsapi.NullPointerException,
    "java.lang.UnsupportedOperationException": jmsapi.UnsupportedOperationException,
}
_CAUSES = 5
"""How many causes of an exception come with it."""


def python_error(
    error: Any, namespace: str, shown: Callable[[Any], str], depth: int = _CAUSES
) -> Exception:
    """The exception of jmsapi for one of Java; `ClientError` where it has none.

    `shown` gives the text of a java.lang.String, "" for null. Nothing of Java is kept in the
    exception, so that it outlives the JVM.
    """
    text = shown(error.getMessage())
    kind = next(
        (found for name in _class_names(error) if (found := _kind(name, namespace))), ClientError
    )
    translated: Exception
    if issubclass(kind, jmsapi.JMSException | jmsapi.JMSRuntimeException):
        code = error.getErrorCode()
        translated = kind(text, None if code is None else shown(code))
    elif kind is ClientError:
        translated = ClientError(": ".join(filter(None, (next(_class_names(error)), text))))
    else:
        translated = kind(text)
    linked = getattr(error, "getLinkedException", lambda: None)()
    cause = linked if linked is not None else error.getCause()
    if cause is not None and depth:
        translated.__cause__ = python_error(cause, namespace, shown, depth - 1)
    if depth == _CAUSES:
        translated.add_note(shown(_trace(error)))
    return translated


def _trace(error: Any) -> Any:
    """The stack trace as Java prints it, a java.lang.String."""
    import jpype

    text = jpype.JClass("java.io.StringWriter")()
    error.printStackTrace(jpype.JClass("java.io.PrintWriter")(text))
    return text.toString()


def java_error(error: BaseException, namespace: str) -> Any:
    """What a listener that raised `error` throws on Java's side: unchecked, as listeners must.

    The unchecked exceptions that jmsapi has become their own; anything else a RuntimeException.
    """
    import jpype

    text = str(error)
    if isinstance(error, jmsapi.JMSRuntimeException):
        return jpype.JClass(f"{namespace}.{type(error).__name__}")(text, error.error_code)
    for name, kind in _UNCHECKED.items():
        if type(error) is kind:
            return jpype.JClass(name)(text)
    return jpype.JClass("java.lang.RuntimeException")(f"{type(error).__name__}: {text}")


def checked_java_error(error: BaseException, namespace: str) -> Any:
    """What a method of Java that may throw a JMSException throws for `error`; else as above."""
    import jpype

    if isinstance(error, jmsapi.JMSException):
        kind = jpype.JClass(f"{namespace}.{type(error).__name__}")
        return kind(str(error), error.error_code)
    return java_error(error, namespace)


def _class_names(error: Any) -> Iterator[str]:
    """The name of the exception's class, then those of the classes above it."""
    each = error.getClass()
    while each is not None:
        yield str(each.getName())
        each = each.getSuperclass()


def _kind(name: str, namespace: str) -> type[Exception] | None:
    if name in _UNCHECKED:
        return _UNCHECKED[name]
    package, _, simple = name.rpartition(".")
    if package != namespace:
        return None
    kind: type[Exception] | None = getattr(jmsapi, simple, None)
    return kind
