"""The bodies of RabbitMQ JMS: read as the real client wrote them, and written so that it reads."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jms_brokers.families.rabbitmq.envelope import (
    TEXT,
    EnvelopeError,
    parse,
    text_envelope,
)

FILE = Path(__file__).with_name("rabbitmq-messages.txt")
MESSAGES = {
    name: base64.b64decode(content)
    for name, content in (line.split() for line in FILE.read_text().splitlines()[1:])
}
JAVA_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def test_a_text_of_the_real_client_is_read_with_its_properties() -> None:
    envelope = parse(MESSAGES["text-with-properties-and-reply"])

    assert envelope.text == "héllo"
    assert envelope.properties == {"n": 7, "s": "a"}
    assert envelope.headers["rmq.jms.message.delivery.mode"] == 2
    assert envelope.headers["rmq.jms.message.priority"] == 4
    assert str(envelope.headers["rmq.jms.message.id"]).startswith("ID:")


def test_a_text_message_without_text_has_none() -> None:
    assert parse(MESSAGES["text-null"]).text is None


def test_another_kind_has_no_text() -> None:
    envelope = parse(MESSAGES["bytes"])

    assert envelope.body == b"ab"
    with pytest.raises(EnvelopeError, match="RMQBytesMessage is no text message"):
        _ = envelope.text


@given(JAVA_TEXTS)
@example("x" * 70_000)
def test_a_text_of_ours_is_read_again(text: str) -> None:
    envelope = parse(text_envelope(text))

    assert (envelope.kind, envelope.text, envelope.properties) == (TEXT, text, {})


def test_every_cut_of_a_message_is_refused() -> None:
    whole = MESSAGES["text-with-properties-and-reply"]
    outcomes = {outcome(whole[:length]) for length in range(len(whole))}

    assert outcomes == {"refused"}


@given(st.binary(max_size=60))
def test_any_other_bytes_are_refused(content: bytes) -> None:
    assert outcome(b"\xac\xed\x00\x05" + content) == "refused"


def test_a_body_of_another_client_is_refused_with_its_beginning() -> None:
    with pytest.raises(EnvelopeError, match="plain text"):
        parse(b"plain text")


def outcome(stream: bytes) -> str:
    try:
        return f"read {parse(stream).text!r}"
    except EnvelopeError:
        return "refused"
