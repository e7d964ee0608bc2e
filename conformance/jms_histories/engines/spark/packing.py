"""Columns and partial results as bytes: what crosses from task to task, in one binary column.

A header in JSON, then the arrays as they are in memory. Only numbers, texts and arrays of them:
reading it runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, TypeVar

import numpy as np

from jms_histories.columns import Findings
from jms_histories.kernels.links.partials import MessagePartials, SessionPartials

_ALIGNED: Final = 8
_ARRAY: Final = "$"

Partials = TypeVar("Partials", MessagePartials, SessionPartials, Findings)


def pack(tree: Any) -> bytes:
    """Dicts with texts as keys, numbers, texts and arrays, nested at will, as bytes."""
    arrays: list[np.ndarray[Any, Any]] = []
    header = json.dumps(_encode_value(tree, arrays)).encode()
    header += b" " * (-len(header) % _ALIGNED)
    pieces: list[bytes | memoryview] = [len(header).to_bytes(_ALIGNED, "little"), header]
    for array in arrays:
        pieces += [array.data, b"\0" * (-array.nbytes % _ALIGNED)]
    return b"".join(pieces)


def unpack(content: bytes) -> Any:
    """The tree that was packed; its arrays are read-only views of `content`."""
    size = int.from_bytes(content[:_ALIGNED], "little")
    told = json.loads(content[_ALIGNED : _ALIGNED + size])
    return _decode_value(told, _Arrays(content, _ALIGNED + size))


# Neither is a function within the other: one that calls itself is a cycle, and what it has seen
# would stay in memory until the collector comes, which counts objects and knows no sizes.


def _encode_value(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """What the header says of a value; its arrays are appended."""
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value))
        return {_ARRAY: [value.dtype.str, len(value)]}
    if isinstance(value, Mapping):
        return {name: _encode_value(inner, arrays) for name, inner in value.items()}
    if is_dataclass(value):
        return {
            field.name: _encode_value(getattr(value, field.name), arrays) for field in fields(value)
        }
    return value


@dataclass
class _Arrays:
    """The arrays of packed content, in turn."""

    content: bytes
    place: int

    def next(self, kind: str, rows: int) -> np.ndarray[Any, Any]:
        """The next one, a view of the content."""
        array: np.ndarray[Any, Any] = np.frombuffer(self.content, np.dtype(kind), rows, self.place)
        self.place += array.nbytes + -array.nbytes % _ALIGNED
        return array


def _decode_value(told: Any, arrays: _Arrays) -> Any:
    """The value that a header describes, with the next arrays."""
    if not isinstance(told, dict):
        return told
    if _ARRAY in told:
        return arrays.next(*told[_ARRAY])
    return {name: _decode_value(inner, arrays) for name, inner in told.items()}


def unpack_as(kind: type[Partials], content: bytes) -> Partials:
    """Partial results that were packed."""
    tree = unpack(content)
    if "findings" in tree:
        tree["findings"] = Findings(**tree["findings"])
    return kind(**tree)
