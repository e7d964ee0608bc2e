"""Text messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pulsar_jms.messages import (
    PulsarTextMessage,
)
from sample_messages import (
    received,
)


def test_surrogates_on_their_way_through_utf8() -> None:
    message = PulsarTextMessage("\ud83d\ude00 \ud83d")
    message.set_string_property("p", "\ude00\U0001f600")
    message.jms_correlation_id = "\ud83d"
    message.jms_type = "\ud83d"
    arrived = received(message)
    assert arrived.text == "\U0001f600 ?"
    assert arrived.get_string_property("p") == "?\U0001f600"
    assert (arrived.jms_correlation_id, arrived.jms_type) == ("?", "?")


@given(st.text() | st.none())
def test_text_arrives(value: str | None) -> None:
    assert received(PulsarTextMessage(value)).text == value
