"""Raw header properties that no JMS client wrote: they are read as the real client reads them.

What is expected was seen of Starlight for JMS 9.0.0, which read the same raw messages.
"""

from __future__ import annotations

import pytest

from pulsar_jms.messages import PulsarMessage, decode
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition
from sample_messages import QUEUE


def with_raw(name: str, text: str) -> PulsarMessage:
    return decode(IncomingMessage(b"", False, {name: text}, MessagePosition(1, 2)), QUEUE)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("YQ==", b"a"),
        ("YQ", b"a"),
        ("YR==", b"a"),
        ("YQ=", b"YQ="),
        ("YQ=a", b"YQ=a"),
        ("YWJ=", b"ab"),
        ("YWJj", b"abc"),
        ("Y", b"Y"),
        ("a b", b"a b"),
        ("topic", b"topic"),
        ("-1", b"-1"),
        ("", b""),
        ("=", b"="),
    ],
)
def test_padding_is_whole_or_absent(text: str, content: bytes) -> None:
    assert with_raw("JMSCorrelationID", text).jms_correlation_id_as_bytes == content


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("5", 5),
        ("+5", 5),
        ("05", 5),
        ("-0", 0),
        ("\u0665", 5),
        ("5 ", 4),
        ("10", 4),
        ("-1", 4),
        ("", 4),
    ],
)
def test_priorities_are_numbers_as_java_reads_them(text: str, priority: int) -> None:
    assert with_raw("JMSPriority", text).jms_priority == priority


@pytest.mark.parametrize(("text", "mode"), [("1", 1), ("+1", 1), ("01", 1), ("2", 2), ("x", 2)])
def test_delivery_modes_are_numbers_as_java_reads_them(text: str, mode: int) -> None:
    assert with_raw("JMSDeliveryMode", text).jms_delivery_mode == mode


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("+5", 5),
        ("-5", -5),
        ("0000000000000000000000000005", 5),
        ("9223372036854775807", (1 << 63) - 1),
        ("9223372036854775808", 0),
        ("5 ", 0),
        ("1.0", 0),
    ],
)
def test_times_are_numbers_as_java_reads_them(text: str, milliseconds: int) -> None:
    assert with_raw("JMSExpiration", text).jms_expiration == milliseconds
    assert with_raw("JMSDeliveryTime", text).jms_delivery_time == milliseconds


def test_an_empty_message_id_is_one() -> None:
    assert with_raw("JMSMessageId", "").jms_message_id == ""
