"""Exceptions of Java as those of jmsapi, by class, with text, error code and cause; and back."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import jmsapi
from jms_clients.errors import ClientError
from jms_clients.origins import Origin, mark, module_of, origin_in, origin_of

_UNCHECKED = {
    "java.lang.IllegalArgumentException": jmsapi.IllegalArgumentException,
    "java.lang.NumberFormatException": jmsapi.NumberFormatException,
    "java.lang.IndexOutOfBoundsException": jmsapi.IndexOutOfBoundsException,
    "java.lang.NullPointerException": jmsapi.NullPointerException,
    "java.lang.UnsupportedOperationException": jmsapi.UnsupportedOperationException,
}
_OF_THE_CLASS_PATH = frozenset(
    f"java.lang.{name}"
    for name in (
        "NoClassDefFoundError",
        "NoSuchMethodError",
        "NoSuchFieldError",
        "UnsupportedClassVersionError",
    )
)
"""What Java throws where classes do not fit each other, or are not there."""
_NOT_FOUND = "java.lang.ClassNotFoundException"
"""The cause of the first of them; with another one a class is there, and threw when it was made."""
_NAMESPACES = frozenset({"jakarta.jms", "javax.jms"})
_CAUSES = 5
"""How many causes of an exception come with it."""


def python_error(
    error: Any, namespace: str, shown: Callable[[Any], str], depth: int = _CAUSES
) -> Exception:
    """The exception of jmsapi for one of Java; `ClientError` where it has none.

    `shown` gives the text of a java.lang.String, "" for null. Nothing of Java is kept in the
    exception, so that it outlives the JVM. Where it was thrown it says by a mark.
    """
    text = shown(error.getMessage())
    kind = next(
        (known for name in _class_names(error) if (known := _kind(name, namespace))), ClientError
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
        is_missing = _is_of_the_class_path(error) and _NOT_FOUND in _class_names(cause)
        mark(translated, Origin.CLASS_PATH if is_missing else origin_of(translated.__cause__))
    else:
        mark(translated, _origin(error, translated))
    if depth == _CAUSES:
        if _named_by_another(text, namespace) not in (None, kind):
            mark(translated, Origin.BROKER)
        translated.add_note(shown(_trace(error)))
    return translated


def _named_by_another(text: str, namespace: str) -> type[Exception] | None:
    """The exception that a broker told of by its name in the other namespace; None elsewhere.

    The client has no such class; a broker of its own time would have named one of its own.
    """
    name = text.partition(":")[0]
    (other,) = _NAMESPACES - {namespace}
    return _kind(name, other) if name.startswith(other) else None


def _origin(error: Any, translated: Exception) -> Origin:
    """Where an exception without a cause was thrown, by its class path or its stack trace.

    An exception of JMS that an object of the scenario threw is the client's, which let it pass.
    """
    if _is_of_the_class_path(error):
        return Origin.CLASS_PATH
    places = [str(place.getClassName()) for place in error.getStackTrace()]
    origin = origin_in(places) if places else Origin.CLIENT
    of_jms = isinstance(translated, jmsapi.JMSException | jmsapi.JMSRuntimeException)
    return Origin.CLIENT if of_jms and origin is Origin.SCENARIO else origin


def _is_of_the_class_path(error: Any) -> bool:
    return not _OF_THE_CLASS_PATH.isdisjoint(_class_names(error))


def _trace(error: Any) -> Any:
    """The stack trace as Java prints it, a java.lang.String."""
    import jpype

    text = jpype.JClass("java.io.StringWriter")()
    error.printStackTrace(jpype.JClass("java.io.PrintWriter")(text))
    return text.toString()


def java_error(error: BaseException, namespace: str) -> Any:
    """What a listener that raised `error` throws on Java's side: unchecked, as listeners must.

    The unchecked exceptions that jmsapi has become their own; anything else a RuntimeException.
    Its stack trace is that of Python.
    """
    import jpype

    text = str(error)
    if isinstance(error, jmsapi.JMSRuntimeException):
        same = jpype.JClass(f"{namespace}.{type(error).__name__}")
        return _with_places(same(text, error.error_code), error)
    for name, kind in _UNCHECKED.items():
        if type(error) is kind:
            return _with_places(jpype.JClass(name)(text), error)
    wrapped = jpype.JClass("java.lang.RuntimeException")(f"{type(error).__name__}: {text}")
    return _with_places(wrapped, error)


def checked_java_error(error: BaseException, namespace: str) -> Any:
    """What a method of Java that may throw a JMSException throws for `error`; else as above."""
    import jpype

    if isinstance(error, jmsapi.JMSException):
        kind = jpype.JClass(f"{namespace}.{type(error).__name__}")
        return _with_places(kind(str(error), error.error_code), error)
    return java_error(error, namespace)


def _with_places(java: Any, error: BaseException) -> Any:
    """The exception of Java, with the places that `error` passed in Python, the innermost first."""
    import jpype

    place = jpype.JClass("java.lang.StackTraceElement")
    java.setStackTrace(
        [
            place(module_of(frame), frame.f_code.co_name, frame.f_code.co_filename, line)
            for frame, line in reversed([*traceback.walk_tb(error.__traceback__)])
        ]
    )
    return java


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
