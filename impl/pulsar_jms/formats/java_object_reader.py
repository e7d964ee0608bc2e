"""Reading a Java object stream as plain data, whatever its bytes are."""

from __future__ import annotations

from typing import Any, NoReturn

from jmsapi.errors import MessageEOFException, MessageFormatException
from jmsapi.values import Float, Int
from pulsar_jms.formats import java_primitives as primitives
from pulsar_jms.formats import modified_utf8
from pulsar_jms.formats.java_classes import (
    ARRAY,
    ARRAY_LIST,
    BLOCK,
    BYTE_ARRAY,
    CLASS,
    CLASSES,
    END,
    FIRST_HANDLE,
    HASH_MAP,
    LETTERS,
    LINKED_HASH_MAP,
    LONG_BLOCK,
    LONG_STRING,
    MAGIC,
    NULL,
    OBJECT,
    REFERENCE,
    STRING,
    UNBOXED,
    JavaClass,
    JavaValue,
)
from pulsar_jms.formats.limits import BodyLimits

_UNFINISHED = object()
_MAX_PARENTS = 100


class ForeignClassError(Exception):
    """The stream has an object that plain data cannot stand for; the argument names it."""


class ObjectReader:
    """Reads one object stream; `MessageFormatException` or `MessageEOFException` if broken."""

    def __init__(self, stream: bytes, limits: BodyLimits) -> None:
        self._data = stream
        self._limits = limits
        self._elements = 0
        self._deepest = 0
        self._extents: dict[int, tuple[int, int]] = {}
        """How many elements a list or map has, in all, and how deep they nest; by its handle."""
        self._at = 0
        self._block_end = 0
        self._handles: list[JavaValue] = []
        if self._take(4) != MAGIC:
            self._fail("no Java object stream: AC ED 00 05 is missing")

    def block(self, size: int) -> bytes:
        """The next `size` bytes of primitive data, over as many records as they take."""
        content = bytearray()
        while len(content) < size:
            if self._at >= self._block_end:
                self._block_end = self._open_block()
            part = min(size - len(content), self._block_end - self._at)
            content += self._take(part)
        return bytes(content)

    def block_text(self) -> str:
        """The next text that writeUTF put into primitive data."""
        size = int.from_bytes(self.block(2), "big")
        return modified_utf8.decode(self.block(size))

    def value(self) -> JavaValue:
        """The next object, which may not be a reference to an earlier one."""
        if self._at < self._block_end:
            self._fail("primitive data where an object is expected")
        if self._data[self._at : self._at + 1] == bytes((REFERENCE,)):
            self._fail("a reference in the place of a value")
        return self._content(0)

    def _open_block(self) -> int:
        kind = self._byte()
        if kind == BLOCK:
            size = self._byte()
        elif kind == LONG_BLOCK:
            size = self._int()
        else:
            self._fail(f"type code {kind:02X} where primitive data is expected")
        if size < 0 or self._at + size > len(self._data):
            self._cut_off()
        return self._at + size

    def element(self, depth: int = 0) -> None:
        """Count an element inside so many lists and maps."""
        self._elements += 1
        self._deepest = max(self._deepest, depth)
        self._limits.check(depth, self._elements)

    def _content(self, depth: int) -> JavaValue:
        kind = self._byte()
        if kind == NULL:
            return None
        if kind == OBJECT:
            return self._object(depth)
        if kind in (STRING, LONG_STRING):
            size = int.from_bytes(self._take(2 if kind == STRING else 8), "big")
            return self._remember(modified_utf8.decode(self._take(size)))
        if kind == ARRAY:
            java = self._descriptor()
            if java is not BYTE_ARRAY:
                raise ForeignClassError(java.name if java else "an array")
            size = self._int()
            return self._remember(self._take(size))
        if kind == REFERENCE:
            return self._read_reference(depth)
        raise ForeignClassError(f"an object of type code {kind:02X}")

    def _read_reference(self, depth: int) -> JavaValue:
        handle = self._int() - FIRST_HANDLE
        if not 0 <= handle < len(self._handles):
            self._fail(f"a reference to object {handle}, which does not exist")
        value = self._handles[handle]
        if value is _UNFINISHED:
            raise ForeignClassError("an object that contains itself")
        if isinstance(value, JavaClass):
            raise ForeignClassError("java.io.ObjectStreamClass")
        elements, height = self._extents.get(handle, (0, 0))
        self._elements += elements
        self._deepest = max(self._deepest, depth + height)
        self._limits.check(depth + height, self._elements)
        return value

    def _remember(self, value: JavaValue) -> JavaValue:
        self._handles.append(value)
        return value

    def _descriptor(self, depth: int = 0) -> JavaClass | None:
        if depth > _MAX_PARENTS:
            self._fail(f"a class with more than {_MAX_PARENTS} parents")
        kind = self._byte()
        if kind == NULL:
            return None
        if kind == REFERENCE:
            handle = self._int() - FIRST_HANDLE
            if not 0 <= handle < len(self._handles):
                self._fail(f"a reference to class {handle}, which does not exist")
            known = self._handles[handle]
            if not isinstance(known, JavaClass):
                self._fail(f"a reference to object {handle} in the place of a class")
            return known
        if kind != CLASS:
            raise ForeignClassError(f"a class of type code {kind:02X}")
        return self._new_descriptor(depth)

    def _new_descriptor(self, depth: int) -> JavaClass:
        name, self._at = modified_utf8.decode_with_length(self._data, self._at)
        java = CLASSES.get(name)
        if java is None:
            raise ForeignClassError(name)
        self._remember(java)
        uid = int.from_bytes(self._take(8), "big")
        flags = self._byte()
        fields = []
        for _ in range(int.from_bytes(self._take(2), "big")):
            letter = chr(self._byte())
            field, self._at = modified_utf8.decode_with_length(self._data, self._at)
            if letter not in LETTERS:
                raise ForeignClassError(f"{name} with an object in field {field}")
            fields.append((letter, field))
        if self._byte() != END:
            raise ForeignClassError(f"{name} with annotations")
        parent = self._descriptor(depth + 1)
        if (uid, flags, tuple(fields)) != (java.uid, java.flags, java.fields) or (
            parent.name if parent else None
        ) != java.parent:
            raise ForeignClassError(f"{name} of another version")
        return java

    def _object(self, depth: int) -> JavaValue:
        java = self._descriptor()
        if java is None:
            self._fail("an object without a class")
        handle = len(self._handles)
        self._handles.append(_UNFINISHED)
        elements, deepest = self._elements, self._deepest
        self._deepest = depth
        value: JavaValue
        if java.name in UNBOXED:
            value = self._primitive(UNBOXED[java.name])
        elif java is ARRAY_LIST:
            value = self._list(depth)
        elif java is HASH_MAP:
            value = self._map(depth)
        elif java is LINKED_HASH_MAP:
            value = self._map(depth)
            self._primitive(bool)
        else:
            raise ForeignClassError(java.name)
        self._handles[handle] = value
        self._extents[handle] = self._elements - elements, self._deepest - depth
        self._deepest = max(self._deepest, deepest)
        return value

    def _list(self, depth: int) -> list[JavaValue]:
        size = self._int()
        self._inner_block(4)
        items = []
        for _ in range(self._checked_count(size)):
            self.element(depth + 1)
            items.append(self._content(depth + 1))
        self._close_object()
        return items

    def _map(self, depth: int) -> dict[JavaValue, JavaValue]:
        self._primitive(Float)
        self._primitive(Int)
        size = int.from_bytes(self._inner_block(8)[4:], "big", signed=True)
        entries: dict[JavaValue, JavaValue] = {}
        for _ in range(self._checked_count(size)):
            self.element(depth + 1)
            key = self._content(depth + 1)
            if isinstance(key, (list, dict)) or key in entries:
                raise ForeignClassError("a map whose keys Python cannot tell apart")
            entries[key] = self._content(depth + 1)
        self._close_object()
        return entries

    def _checked_count(self, size: int) -> int:
        if size < 0:
            self._fail(f"a collection of {size} elements")
        return size

    def _inner_block(self, size: int) -> bytes:
        data = self.block(size)
        if self._at != self._block_end:
            self._fail("more primitive data than the class has")
        return data

    def _close_object(self) -> None:
        if self._byte() != END:
            self._fail("more data than the class has")

    def _primitive(self, kind: type) -> Any:
        return primitives.READ[kind](self._take(primitives.SIZE[kind]))

    def _byte(self) -> int:
        return self._take(1)[0]

    def _int(self) -> int:
        return int.from_bytes(self._take(4), "big", signed=True)

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._data):
            self._cut_off()
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def _fail(self, what: str) -> NoReturn:
        raise MessageFormatException(f"the Java object stream has {what} (byte {self._at})")

    def _cut_off(self) -> NoReturn:
        raise MessageEOFException(
            f"the Java object stream is cut off: {len(self._data)} bytes, more expected at "
            f"byte {self._at}"
        )
