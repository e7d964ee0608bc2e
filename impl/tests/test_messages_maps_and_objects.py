"""Map and object messages: values by name, and copies of values."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pulsar_jms.messages import (
    PulsarObjectMessage,
    PulsarStreamMessage,
    message_for,
)
from sample_messages import (
    ITEMS,
    exactly,
    received,
)


@given(st.dictionaries(st.text(min_size=1).map("k".__add__), ITEMS))
def test_entries_of_a_map_arrive(entries: dict[str, Any]) -> None:
    message = received(message_for(entries))
    assert {name: exactly(message.get_object(name)) for name in message.map_names()} == {
        name: exactly(value) for name, value in entries.items()
    }


def test_objects_are_copied() -> None:
    value = [1, {"k": [2]}]
    message = PulsarObjectMessage(value)
    value.append(3)
    got: Any = message.object
    assert got == [1, {"k": [2]}]
    got.append(4)
    assert message.object == [1, {"k": [2]}]
    data = bytearray(b"\x01")
    bodies = [PulsarObjectMessage(data), message_for({"k": data}), message_for(data)]
    stream = PulsarStreamMessage()
    stream.write_bytes(data)  # type: ignore[arg-type]
    data[0] = 9
    assert [body.get_body(object) for body in bodies] == [b"\x01", {"k": b"\x01"}, b"\x01"]
    stream.reset()
    assert stream.read_object() == b"\x01"
