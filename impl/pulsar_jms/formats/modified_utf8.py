"""Java's modified UTF-8 (DataOutput.writeUTF): U+0000 in two bytes, surrogates one by one."""

from __future__ import annotations

import re

from jmsapi.errors import MessageEOFException, MessageFormatException

MAX_LENGTH = 0xFFFF
"""Bytes of encoded text that writeUTF's length field can count."""

_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def encode(text: str) -> bytes:
    """`text` in modified UTF-8, without a length."""
    if text.isascii():
        encoded = text.encode("ascii")
    else:
        units = _SUPPLEMENTARY.sub(_surrogate_pair, text)
        encoded = units.encode("utf-8", "surrogatepass")
    return encoded.replace(b"\x00", b"\xc0\x80")


def _surrogate_pair(match: re.Match[str]) -> str:
    offset = ord(match[0]) - 0x10000
    return chr(0xD800 | offset >> 10) + chr(0xDC00 | offset & 0x3FF)


def encode_with_length(text: str, what: str) -> bytes:
    """The form of writeUTF: a 16-bit length, then the text; `what` names it in the error.

    Raises `MessageFormatException` when it takes more than 65535 bytes.
    """
    encoded = encode(text)
    if len(encoded) > MAX_LENGTH:
        raise MessageFormatException(
            f"{what} takes {len(encoded)} bytes of modified UTF-8, at most {MAX_LENGTH} are allowed"
        )
    return len(encoded).to_bytes(2, "big") + encoded


def decode(encoded: bytes) -> str:
    """The text of modified UTF-8; `MessageFormatException` where it is malformed.

    As in Java, an overlong form counts as the character that it spells.
    """
    if encoded.isascii():
        return encoded.decode("ascii")
    if max(encoded) < 0xF0:
        try:
            text = encoded.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            text = _decode_unit_by_unit(encoded)
        return join_surrogates(text)
    raise MessageFormatException("a byte above EF is no modified UTF-8")


def _decode_unit_by_unit(encoded: bytes) -> str:
    units: list[str] = []
    at, end = 0, len(encoded)
    while at < end:
        lead = encoded[at]
        if lead < 0x80:
            length, unit = 1, lead
        elif lead >> 5 == 0b110:
            length, unit = 2, lead & 0x1F
        elif lead >> 4 == 0b1110:
            length, unit = 3, lead & 0x0F
        else:
            raise MessageFormatException(f"byte {lead:02X} at {at} starts no modified UTF-8")
        if at + length > end:
            raise MessageFormatException(f"modified UTF-8 ends in the character at {at}")
        for continuation in encoded[at + 1 : at + length]:
            if continuation >> 6 != 0b10:
                raise MessageFormatException(f"malformed modified UTF-8 in the character at {at}")
            unit = unit << 6 | continuation & 0x3F
        units.append(chr(unit))
        at += length
    return "".join(units)


def join_surrogates(text: str) -> str:
    """`text` with each pair of surrogates as the one character that it stands for."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def as_utf8_allows(text: str) -> str:
    """`text` with pairs of surrogates joined and each lone one as a question mark, as in Java."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return _SURROGATE.sub("?", join_surrogates(text))


def decode_with_length(data: bytes, at: int) -> tuple[str, int]:
    """The text that writeUTF put at `at`, and where it ends; `MessageEOFException` if cut off."""
    start = at + 2
    if start > len(data):
        raise MessageEOFException(f"the length of a text is cut off at byte {at}")
    end = start + (data[at] << 8 | data[at + 1])
    if end > len(data):
        raise MessageEOFException(f"a text of {end - start} bytes is cut off at byte {start}")
    return decode(data[start:end]), end
