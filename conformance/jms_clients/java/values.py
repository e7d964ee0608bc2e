"""Values of Python and of Java, each in the other's types.

A typed value keeps its type: `Short` is java.lang.Short, `Char` java.lang.Character, and so back.
A plain int is an Integer where it fits, else a Long, else a BigInteger; a plain float a Double. A
value for which Java has nothing becomes a bare java.lang.Object, so that the client refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from jmsapi import Byte, Char, Double, Float, Int, Long, MessageFormatException, Short

_AS_THEY_ARE = ContextVar("as they are", default=False)
_ASTRAL = "\U00010000"
"""The first character that Java writes as a pair of surrogates."""


@dataclass(frozen=True)
class OpaqueJavaObject:
    """A Java object that no plain value stands for: its class, and how it shows itself."""

    class_name: str
    text: str


class JavaValues:
    """Converts both ways; made when the JVM runs."""

    def __init__(self) -> None:
        import jpype

        self._jpype: Any = jpype
        self._bytes: Any = jpype.JArray(jpype.JByte)
        self._chars: Any = jpype.JArray(jpype.JChar)
        self._string: Any = jpype.JClass("java.lang.String")
        self._object: Any = jpype.JClass("java.lang.Object")
        self._list: Any = jpype.JClass("java.util.List")
        self._map: Any = jpype.JClass("java.util.Map")
        self._boxes: Mapping[type, Callable[[Any], Any]] = {
            bool: jpype.JClass("java.lang.Boolean"),
            Byte: jpype.JClass("java.lang.Byte"),
            Short: jpype.JClass("java.lang.Short"),
            Int: jpype.JClass("java.lang.Integer"),
            Long: jpype.JClass("java.lang.Long"),
            Float: jpype.JClass("java.lang.Float"),
            Double: jpype.JClass("java.lang.Double"),
            Char: lambda value: jpype.JClass("java.lang.Character").valueOf(self.char(value)),
        }
        self._primitives: Mapping[type, Callable[[Any], Any]] = {
            bool: jpype.JBoolean,
            Byte: lambda value: jpype.JByte(int(value)),
            Short: lambda value: jpype.JShort(int(value)),
            Int: lambda value: jpype.JInt(int(value)),
            Long: lambda value: jpype.JLong(int(value)),
            Float: lambda value: jpype.JFloat(float(value)),
            Double: lambda value: jpype.JDouble(float(value)),
            Char: self.char,
        }
        self._types: Mapping[type, Any] = {
            str: self._string,
            bytes: self._bytes,
            dict: self._map,
            list: self._list,
            bool: jpype.JClass("java.lang.Boolean"),
            Byte: jpype.JClass("java.lang.Byte"),
            Short: jpype.JClass("java.lang.Short"),
            Int: jpype.JClass("java.lang.Integer"),
            Long: jpype.JClass("java.lang.Long"),
            Float: jpype.JClass("java.lang.Float"),
            Double: jpype.JClass("java.lang.Double"),
            Char: jpype.JClass("java.lang.Character"),
            int: jpype.JClass("java.lang.Number"),
            float: jpype.JClass("java.lang.Number"),
        }

    # -- to Java -------------------------------------------------------------------------------

    def to_java(self, value: object) -> Any:
        """`value` as a Java object, boxed; an array or list of Java as it is."""
        kind = type(value)
        if value is None:
            return None
        if self.is_array(value) or isinstance(value, self._list):
            return value
        if kind in self._boxes:
            return self._boxes[kind](value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._bytes(bytes(value))
        if isinstance(value, int):
            return self._integral(int(value))
        if isinstance(value, float):
            return self._boxes[Double](value)
        if isinstance(value, Mapping):
            entries = self._jpype.JClass("java.util.HashMap")()
            for key, item in value.items():
                entries.put(self.to_java(key), self.to_java(item))
            return entries
        if isinstance(value, Sequence):
            items = self._jpype.JClass("java.util.ArrayList")()
            for item in value:
                items.add(self.to_java(item))
            return items
        return self._object()

    def is_array(self, value: object) -> bool:
        """Whether it is a byte[] of Java."""
        return isinstance(value, self._bytes)

    @contextmanager
    def as_they_are(self) -> Iterator[None]:
        """For a while this thread gets arrays and lists of Java as they are."""
        token = _AS_THEY_ARE.set(True)
        try:
            yield
        finally:
            _AS_THEY_ARE.reset(token)

    @property
    def are_as_they_are(self) -> bool:
        """Whether this thread gets them so."""
        return _AS_THEY_ARE.get()

    def _integral(self, value: int) -> Any:
        for kind in (Int, Long):
            if -kind.BOUND <= value < kind.BOUND:
                return self._boxes[kind](value)
        return self._jpype.JClass("java.math.BigInteger")(str(value))

    def serializable(self, value: object) -> Any:
        """`value` as a java.io.Serializable; `MessageFormatException` where there is none."""
        java = self.to_java(value)
        if java is not None and java.getClass() == self._object.class_:
            raise MessageFormatException(
                f"a {type(value).__name__} has no counterpart in Java that can be serialised"
            )
        return java

    def primitive(self, value: Any) -> Any:
        """A typed value as Java's primitive; any other as `to_java` gives it."""
        make = self._primitives.get(type(value))
        if make is not None:
            return make(value)
        if type(value) is int and -Long.BOUND <= value < Long.BOUND:
            fits = -Int.BOUND <= value < Int.BOUND
            return self._primitives[Int if fits else Long](value)
        if type(value) is float:
            return self._primitives[Double](value)
        return self.to_java(value)

    def text(self, value: str | None) -> Any:
        """A java.lang.String, also of a text with half a surrogate pair; None is null."""
        if value is None:
            return None
        try:
            return self._jpype.JString(str(value))
        except UnicodeEncodeError:
            units = value.encode("utf-16-be", "surrogatepass")
            pairs = zip(units[::2], units[1::2], strict=True)
            return self._string(self._chars([high << 8 | low for high, low in pairs]))

    def char(self, value: str) -> Any:
        """A Java char."""
        return self._jpype.JChar(ord(Char(value)))

    def bytes(self, value: bytes | None) -> Any:
        """A Java byte[]; None is null."""
        return None if value is None else self._bytes(value)

    def buffer(self, length: int) -> Any:
        """An empty byte[] for Java to fill."""
        return self._bytes(length)

    def type(self, kind: type) -> Any:
        """The java.lang.Class that stands for `kind`; java.lang.Object for any other."""
        if kind in self._types:
            return self._types[kind].class_
        return (self._map if issubclass(kind, Mapping) else self._object).class_

    # -- from Java -----------------------------------------------------------------------------

    def from_java(self, value: Any) -> Any:
        """A Java object as a plain or typed value of Python."""
        if value is None or not hasattr(value, "getClass"):
            return value
        name = str(value.getClass().getName())
        if name in _FROM_BOXES:
            return _FROM_BOXES[name](value)
        if name == "java.lang.String":
            return self.from_text(value)
        if name == "java.lang.Character":
            return self.from_char(value)
        if name == "[B":
            return value if _AS_THEY_ARE.get() else bytes(value)
        if isinstance(value, self._list):
            if _AS_THEY_ARE.get():
                return value
            return [self.from_java(item) for item in value]
        if isinstance(value, self._map):
            return {
                self.from_java(entry.getKey()): self.from_java(entry.getValue())
                for entry in value.entrySet()
            }
        return OpaqueJavaObject(name, self.shown(value.toString()))

    def from_text(self, value: Any) -> str | None:
        """The text of a java.lang.String, also with half a surrogate pair."""
        if value is None:
            return None
        try:
            text = str(value)
        except UnicodeDecodeError:
            text = _ASTRAL
        if not text or max(text) < _ASTRAL:
            return text
        # JPype joins any two surrogates that follow each other, also in the wrong order.
        units = "".join(map(str, value.toCharArray()))
        return units.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")

    def shown(self, value: Any) -> str:
        """The text of a java.lang.String for people: half a surrogate pair is escaped."""
        return (self.from_text(value) or "").encode("utf-8", "backslashreplace").decode()

    def from_char(self, value: Any) -> Char:
        """A char, boxed or not."""
        return Char(str(value))


_FROM_BOXES: Mapping[str, Callable[[Any], Any]] = {
    "java.lang.Boolean": bool,
    "java.lang.Byte": lambda value: Byte(int(value)),
    "java.lang.Short": lambda value: Short(int(value)),
    "java.lang.Integer": lambda value: Int(int(value)),
    "java.lang.Long": lambda value: Long(int(value)),
    "java.lang.Float": lambda value: Float(float(value)),
    "java.lang.Double": lambda value: Double(float(value)),
}
