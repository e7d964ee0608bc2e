"""Tables and numbers as bytes: what processes and Spark tasks send each other; nothing is executed.

The layout: the length of a JSON header, the header (names, types, lengths, numbers), the columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from jms_histories.columns import Columns

_LENGTH_BYTES: Final = 8


def packed(tables: Mapping[str, Columns], numbers: object = None) -> bytes:
    """Tables by name, and numbers that JSON can hold."""
    header: dict[str, dict[str, tuple[str, int]]] = {}
    body: list[bytes] = []
    for table, columns in tables.items():
        header[table] = {}
        for name, values in columns.items():
            data = np.ascontiguousarray(values).tobytes()
            header[table][name] = values.dtype.str, len(data)
            body.append(data)
    head = json.dumps({"tables": header, "numbers": numbers}).encode()
    return b"".join([len(head).to_bytes(_LENGTH_BYTES, "little"), head, *body])


def unpacked(data: bytes) -> tuple[dict[str, Columns], Any]:
    """The tables and numbers of what `packed` made; the arrays are read-only views."""
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    header = json.loads(data[_LENGTH_BYTES:start])
    tables: dict[str, Columns] = {}
    for table, columns in header["tables"].items():
        tables[table] = {}
        for name, (kind, size) in columns.items():
            dtype = np.dtype(kind)
            tables[table][name] = np.frombuffer(data, dtype, size // dtype.itemsize, start)
            start += size
    return tables, header["numbers"]
