"""Messages in several parts: where the parts are that the client does not report."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import Mock

from pulsar_jms.transport.pulsar_client.pulsar_consumer import PulsarClientConsumer
from pulsar_jms.transport.pulsar_client.pulsar_messages import parts_between
from pulsar_jms.transport.wire_messages import MessagePosition


def test_parts_follow_each_other_in_a_ledger() -> None:
    first, last = MessagePosition(7, 3, 1), MessagePosition(7, 6, 1)

    assert list(parts_between(first, last)) == [
        MessagePosition(7, 3, 1),
        MessagePosition(7, 4, 1),
        MessagePosition(7, 5, 1),
    ]


def test_of_parts_in_several_ledgers_the_first_is_known() -> None:
    first, last = MessagePosition(7, 3), MessagePosition(8, 0)

    assert list(parts_between(first, last)) == [first]


def test_parts_are_given_back_in_their_order() -> None:
    """The client may send a request between any two: a later part alone would be dropped."""
    native = Mock()
    transport_consumer = PulsarClientConsumer(
        SimpleNamespace(_consumer=native), Mock(), None, Mock()
    )
    last = SimpleNamespace(
        native=SimpleNamespace(message_id=lambda: "last"),
        earlier_parts=[MessagePosition(7, 3), MessagePosition(7, 4)],
    )

    transport_consumer.nack(last)

    given = [call.args[0] for call in native.negative_acknowledge.call_args_list]
    assert [part if isinstance(part, str) else part.entry_id() for part in given] == [3, 4, "last"]
