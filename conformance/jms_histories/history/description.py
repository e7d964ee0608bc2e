"""A message's description of itself: 72 bytes before its body, or as text in a property.

So what was sent is known from what arrived, without looking up the send. The bytes end with their
Adler-32, so a damaged description is noticed; -1 stands for none, as everywhere.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from hashlib import blake2b
from struct import Struct
from typing import Any, Final, NamedTuple
from zlib import adler32

import numpy as np
from numpy.typing import NDArray

PROPERTY: Final = "ts_d"
"""Where the description is, as text, in a message whose body is fixed by what is tested."""

MAGIC: Final = 0x7C54
UNREADABLE: Final = 0x7C55
"""Of a placeholder that only says which message it is."""

_FIELDS: Final = Struct("<Hbb7qii")
_CHECKED: Final = _FIELDS.size
SIZE: Final = _CHECKED + 4

DTYPE: Final = np.dtype(
    [("magic", "<u2"), ("priority", "i1"), ("mode", "i1")]
    + [(name, "<i8") for name in ("uid", "gseq", "deliver_at", "expire_at", "t_sent")]
    + [("body64", "<i8"), ("head64", "<i8"), ("dest", "<i4"), ("key", "<i4"), ("check", "<u4")]
)
_WEIGHTS: Final = np.stack([np.ones(_CHECKED), np.arange(_CHECKED, 0, -1)], axis=1).astype(
    np.float32
)
_MODULUS: Final = 65521


class Description(NamedTuple):
    """What a message says of itself; the columns of the deliveries with these names."""

    uid: int
    dest: int
    key: int
    gseq: int
    priority: int
    mode: int
    deliver_at: int
    expire_at: int
    t_sent: int
    body64: int
    head64: int


def encode(description: Description) -> bytes:
    """Its 72 bytes. t_sent must be what is recorded as the time of calling send."""
    return _encode(MAGIC, description)


def unreadable(uid: int = -1) -> bytes:
    """What to record of a delivery without a readable description; uid if known by other means."""
    return _encode(UNREADABLE, Description(uid, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1))


def decode(data: bytes) -> Description | None:
    """The description at the beginning of `data`; None if there is no whole one."""
    if len(data) < SIZE or adler32(data[:_CHECKED]) != int.from_bytes(
        data[_CHECKED:SIZE], "little"
    ):
        return None
    magic, priority, mode, *numbers = _FIELDS.unpack_from(data)
    uid, gseq, deliver_at, expire_at, t_sent, body64, head64, dest, key = numbers
    if magic != MAGIC:
        return None
    return Description(
        uid, dest, key, gseq, priority, mode, deliver_at, expire_at, t_sent, body64, head64
    )


def to_text(data: bytes) -> str:
    """A description as text: 96 characters that every client carries unchanged."""
    return base64.urlsafe_b64encode(data).decode()


def from_text(text: str) -> bytes:
    """The bytes of a description from its text; a placeholder if it is none."""
    try:
        data = base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return unreadable()
    return data if len(data) == SIZE else unreadable()


def digest(data: bytes) -> int:
    """64 bits of a hash of a body, or of anything; never -1, which stands for none."""
    digest_value = int.from_bytes(blake2b(data, digest_size=8).digest(), "little", signed=True)
    return -2 if digest_value == -1 else digest_value


def digest_of_headers(headers: Mapping[str, object]) -> int:
    """The digest of headers and properties that were set: names, types and values in any order."""
    lines = (
        f"{name}\0{type(value).__name__}\0{value!r}" for name, value in sorted(headers.items())
    )
    return digest("\1".join(lines).encode(errors="surrogatepass"))


def readable(descriptions: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of many descriptions, an array of DTYPE, are whole."""
    raw = np.ascontiguousarray(descriptions).view(np.uint8).reshape(len(descriptions), SIZE)
    sums = (raw[:, :_CHECKED].astype(np.float32) @ _WEIGHTS).astype(np.int64)
    low = (1 + sums[:, 0]) % _MODULUS
    high = (_CHECKED + sums[:, 1]) % _MODULUS
    right: NDArray[np.bool_] = (high << 16 | low) == descriptions["check"]
    return right


def _encode(magic: int, description: Description) -> bytes:
    fields = _FIELDS.pack(
        magic,
        description.priority,
        description.mode,
        description.uid,
        description.gseq,
        description.deliver_at,
        description.expire_at,
        description.t_sent,
        description.body64,
        description.head64,
        description.dest,
        description.key,
    )
    return fields + adler32(fields).to_bytes(4, "little")
