"""Messages in several parts: where the parts are that the client does not tell."""

from __future__ import annotations

from pulsar_jms.transport.interface import MessagePosition
from pulsar_jms.transport.pulsar_messages import parts_between


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
