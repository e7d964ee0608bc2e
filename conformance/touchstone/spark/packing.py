"""Columns and partial results as bytes: what crosses from task to task, in one binary column.

A header in JSON, then the arrays as they are in memory. Only numbers, texts and arrays of them:
reading it runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeVar

import numpy as np

from touchstone.checks.columns import Findings
from touchstone.checks.links.partials import MessagePartials, SessionPartials

_ALIGNED: Final = 8
_ARRAY: Final = "$"

Partials = TypeVar("Partials", MessagePartials, SessionPartials, Findings)


def pack(tree: Any) -> bytes:
    """Dicts with texts as keys, numbers, texts and arrays, nested at will, as bytes."""
    arrays: list[np.ndarray[Any, Any]] = []

    def told(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            arrays.append(np.ascontiguousarray(value))
            return {_ARRAY: [value.dtype.str, len(value)]}
        if isinstance(value, Mapping):
            return {name: told(inner) for name, inner in value.items()}
        if is_dataclass(value):
            return {field.name: told(getattr(value, field.name)) for field in fields(value)}
        return value

    header = json.dumps(told(tree)).encode()
    header += b" " * (-len(header) % _ALIGNED)
    pieces = [len(header).to_bytes(_ALIGNED, "little"), header]
    for array in arrays:
        content = array.tobytes()
        pieces += [content, b"\0" * (-len(content) % _ALIGNED)]
    return b"".join(pieces)


def unpack(content: bytes) -> Any:
    """The tree that was packed; its arrays are read-only views of `content`."""
    size = int.from_bytes(content[:_ALIGNED], "little")
    place = _ALIGNED + size

    def found(value: Any) -> Any:
        nonlocal place
        if not isinstance(value, dict):
            return value
        if _ARRAY not in value:
            return {name: found(inner) for name, inner in value.items()}
        text, rows = value[_ARRAY]
        kind = np.dtype(text)
        array = np.frombuffer(content, kind, rows, place)
        place += array.nbytes + -array.nbytes % _ALIGNED
        return array

    return found(json.loads(content[_ALIGNED : _ALIGNED + size]))


def unpack_as(kind: type[Partials], content: bytes) -> Partials:
    """Partial results that were packed."""
    tree = unpack(content)
    if "findings" in tree:
        tree["findings"] = Findings(**tree["findings"])
    return kind(**tree)
