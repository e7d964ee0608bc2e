"""Modified UTF-8, against an encoder that goes one UTF-16 unit at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import MessageEOFException, MessageFormatException
from pulsar_jms.formats import modified_utf8

TEXTS = st.text(st.characters(exclude_categories=()))
"""Any text, lone surrogates included."""


def slow_encode(text: str) -> bytes:
    utf16 = text.encode("utf-16-be", "surrogatepass")
    encoded = bytearray()
    for at in range(0, len(utf16), 2):
        unit = utf16[at] << 8 | utf16[at + 1]
        if 1 <= unit < 0x80:
            encoded.append(unit)
        elif unit < 0x800:
            encoded += bytes((0xC0 | unit >> 6, 0x80 | unit & 0x3F))
        else:
            encoded += bytes((0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F))
    return bytes(encoded)


@given(TEXTS)
def test_every_unit_is_encoded_by_itself(text: str) -> None:
    assert modified_utf8.encode(text) == slow_encode(text)


@given(TEXTS)
def test_what_was_encoded_reads_back(text: str) -> None:
    joined = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    assert modified_utf8.decode(modified_utf8.encode(text)) == joined


@given(st.binary())
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        text = modified_utf8.decode(data)
    except MessageFormatException:
        return
    assert modified_utf8.decode(modified_utf8.encode(text)) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("c080", "\0"),
        ("00", "\0"),
        ("c1bf", "\x7f"),
        ("e08080", "\0"),
        ("eda0bdedb880", "\U0001f600"),
        ("eda0bd", "\ud83d"),
    ],
)
def test_forms_that_java_reads(data: str, text: str) -> None:
    assert modified_utf8.decode(bytes.fromhex(data)) == text


@pytest.mark.parametrize("data", ["f09f9880", "80", "c3", "c341", "e282", "e28241", "ff"])
def test_forms_that_java_refuses(data: str) -> None:
    with pytest.raises(MessageFormatException):
        modified_utf8.decode(bytes.fromhex(data))


def test_a_text_has_at_most_65535_bytes() -> None:
    whole = modified_utf8.encode_with_length("x" * 65535, "it")
    assert modified_utf8.decode_with_length(whole, 0) == ("x" * 65535, 65537)
    with pytest.raises(MessageFormatException, match="it takes 65536 bytes"):
        modified_utf8.encode_with_length("é" * 32768, "it")
    for cut in (0, 1, 2, 1000):
        with pytest.raises(MessageEOFException):
            modified_utf8.decode_with_length(whole[:cut], 0)
