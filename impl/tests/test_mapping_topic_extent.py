"""What a browser shows and how a temporary destination is called, as pure rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsar_jms.mapping.temporary import (
    is_temporary,
    temporary_queue_name,
    temporary_topic_name,
)
from pulsar_jms.mapping.topic_extent import (
    Entry,
    Extent,
    acknowledged_ranges,
    entry_of,
    is_delivered_yet,
)


def test_the_brokers_ranges_begin_behind_their_first_entry() -> None:
    ranges = acknowledged_ranges("[(7:2..7:3],(7:5..8:0]]")
    assert ranges == (((7, 2), (7, 3)), ((7, 5), (8, 0)))
    extent = Extent((8, 4), True, ranges)
    shown = [(7, 2), (7, 3), (7, 4), (7, 5), (7, 6), (8, 0), (8, 1)]
    assert [each for each in shown if extent.is_due(each)] == [(7, 2), (7, 4), (7, 5), (8, 1)]


def test_ranges_of_an_empty_ledger_end_and_begin_with_minus_one() -> None:
    assert acknowledged_ranges("[(7:-1..7:0]]") == (((7, -1), (7, 0)),)
    assert acknowledged_ranges("[]") == ()


@given(st.sets(st.integers(0, 40)), st.integers(0, 40))
def test_what_is_due_is_what_is_in_no_range(acknowledged: set[int], entry: int) -> None:
    runs: list[tuple[Entry, Entry]] = []
    for each in sorted(acknowledged):
        if runs and runs[-1][1] == (3, each - 1):
            runs[-1] = (runs[-1][0], (3, each))
        else:
            runs.append(((3, each - 1), (3, each)))
    assert Extent((3, 40), True, tuple(runs)).is_due((3, entry)) == (entry not in acknowledged)


@pytest.mark.parametrize(
    ("text", "entry"),
    [("7:2", (7, 2)), ("7:2:0", (7, 2)), ("7:-1", (7, -1)), ("", None), ("x", None)],
)
def test_an_entry_is_read_from_the_brokers_text(text: str, entry: Entry | None) -> None:
    assert entry_of(text) == entry


@pytest.mark.parametrize(
    ("delivery_time", "sent_at", "now", "shown"),
    [
        (1000, 1000, 1000, True),
        (1000, 1000, 400, True),  # the sender's clock is fast, and there is no delay
        (1500, 1000, 1400, False),
        (1500, 1000, 1500, True),
    ],
)
def test_a_delayed_message_is_shown_from_its_time_on(
    delivery_time: int, sent_at: int, now: int, shown: bool
) -> None:
    assert is_delivered_yet(delivery_time, sent_at, now) is shown


def test_temporary_names_are_the_real_clients_and_never_the_same() -> None:
    queue, topic = temporary_queue_name("a/b"), temporary_topic_name("a/b")
    assert queue.startswith("persistent://a/b/jms-temp-queue-")
    assert topic.startswith("persistent://a/b/jms-temp-topic-")
    assert is_temporary(queue)
    assert is_temporary(topic)
    assert len({temporary_queue_name("a/b") for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "topic",
    [
        "persistent://public/default/orders",
        "persistent://public/default/jms-temp-queue-orders",
        "persistent://public/default/my-jms-temp-queue-52d509ef-fdef-43fd-ad3c-f362edebde72",
        "persistent://public/default/jms-temp-queue-52d509ef-fdef-43fd-ad3c-f362edebde72-2",
    ],
)
def test_other_names_are_not_temporary(topic: str) -> None:
    assert not is_temporary(topic)
