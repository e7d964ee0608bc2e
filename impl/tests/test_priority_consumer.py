"""Reordering by priority: what is handed out first, how much waits, and what a rewind does."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from fake_consumers import FakeConsumer, Messages
from jmsapi import JMSException
from pulsar_jms.deliveries.priority_consumer import PriorityConsumer, open_by_priority
from pulsar_jms.transport.transport_protocol import (
    SubscriptionRequest,
    SubscriptionType,
)


@pytest.fixture
def message() -> Messages:
    return Messages()


def names(consumer: PriorityConsumer) -> list[str]:
    """The payloads of everything that is at hand, in the order of receipt."""
    return [item.message.payload.decode() for item in iter(lambda: consumer.receive(0), None)]


def shared(*consumers: tuple[FakeConsumer, int]) -> PriorityConsumer:
    """Consumers of a shared subscription, the highest first."""
    return PriorityConsumer(consumers, keeps_order=False)


def test_the_highest_priority_comes_first_and_the_oldest_among_equals(message: Messages) -> None:
    waiting = [message(p, f"{p}{n}") for p, n in zip([4, 9, 0, 9, 4, 7, 0], "abcdefg", strict=True)]
    consumer = shared((FakeConsumer(waiting), 100))
    assert names(consumer) == ["9b", "9d", "7f", "4a", "4e", "0c", "0g"]


def test_all_ten_levels_of_several_partitions_are_merged(message: Messages) -> None:
    parts = [
        FakeConsumer(message(priority, partition=number) for priority in range(number, 10, 3))
        for number in range(3)
    ]
    consumer = shared(*((part, 10) for part in reversed(parts)))
    assert names(consumer) == [str(priority) for priority in range(9, -1, -1)]


def test_equals_of_different_partitions_come_by_age(message: Messages) -> None:
    high, low = FakeConsumer(), FakeConsumer()
    for number in range(6):
        (high, low)[number % 2].put(message(4, str(number), partition=1 - number % 2))
    assert names(shared((high, 10), (low, 10))) == list("012345")


def test_the_order_of_a_partition_holds_even_if_a_clock_was_set_back(message: Messages) -> None:
    waiting = [message(4, "a", time=50), message(4, "b", time=20), message(4, "c", time=60)]
    assert names(shared((FakeConsumer(waiting), 10))) == ["a", "b", "c"]


def test_a_message_delivered_again_comes_before_younger_ones(message: Messages) -> None:
    first, *rest = [message(4, name) for name in "abc"]
    native = FakeConsumer([first])
    consumer = shared((native, 10))
    assert names(consumer) == ["a"]
    for item in (*rest, first):
        native.put(item)
    assert names(consumer) == ["a", "b", "c"]


def test_what_arrives_later_overtakes_what_waits(message: Messages) -> None:
    native = FakeConsumer([message(1), message(1)])
    consumer = shared((native, 10))
    assert [item and item.message.payload for item in [consumer.receive(0)]] == [b"1"]
    native.put(message(8))
    assert names(consumer) == ["8", "1"]


def test_no_more_waits_than_there_is_room_for(message: Messages) -> None:
    native = FakeConsumer(message(4) for _ in range(50))
    consumer = shared((native, 10))
    for taken in range(1, 31):
        assert consumer.receive(0) is not None
        assert 50 - len(native.waiting) - taken < 10


def test_a_receiver_queue_of_one_fetches_nothing_beyond_it(message: Messages) -> None:
    native = FakeConsumer(message(4) for _ in range(5))
    consumer = shared((native, 1))
    assert consumer.receive(0) is not None
    assert len(native.waiting) == 4


def test_low_priorities_do_not_crowd_out_high_ones(message: Messages) -> None:
    low = FakeConsumer(message(0, partition=0) for _ in range(100))
    high = FakeConsumer(message(9, partition=1) for _ in range(100))
    assert names(shared((high, 5), (low, 5)))[:100] == ["9"] * 100


def test_a_waiting_receive_is_woken_by_a_message_and_by_close(message: Messages) -> None:
    native = FakeConsumer()
    consumer = shared((native, 10))
    items: list[object] = []
    receiving = threading.Thread(target=lambda: items.append(consumer.receive(30_000)))
    receiving.start()
    native.put(message(7))
    receiving.join(20)
    assert [str(item.message.payload) for item in items] == ["b'7'"]  # type: ignore[attr-defined]
    receiving = threading.Thread(target=lambda: items.append(consumer.receive(30_000)))
    receiving.start()
    consumer.close()
    receiving.join(20)
    assert items[1:] == [None]
    assert native.closed


def test_settling_goes_to_the_partition_of_the_message(message: Messages) -> None:
    high = FakeConsumer([message(9, partition=1), message(8, partition=1)])
    low = FakeConsumer([message(1), message(0)])
    consumer = shared((high, 10), (low, 10))
    nine, eight, priority_one, zero = iter(lambda: consumer.receive(0), None)
    consumer.acknowledge(priority_one)
    consumer.acknowledge_async(eight, lambda error: None)
    consumer.nack(nine)
    consumer.acknowledge(zero)
    assert high.calls == [("acknowledge_async", "8"), ("nack", "9")]
    assert low.calls == [("acknowledge", "1"), ("acknowledge", "0")]


def test_connected_means_every_partition() -> None:
    first, second = FakeConsumer(), FakeConsumer()
    consumer = shared((first, 1), (second, 1))
    assert consumer.is_connected()
    second.connected = False
    assert not consumer.is_connected()


# -- rewinding ---------------------------------------------------------------------------------


def in_order(*consumers: tuple[FakeConsumer, int], grace: float = 1.0) -> PriorityConsumer:
    """Consumers of a subscription that takes back all or nothing."""
    return PriorityConsumer(consumers, keeps_order=True, grace=grace)


def test_a_rewind_drops_what_waits_and_everything_comes_once(message: Messages) -> None:
    sent = [message(priority) for priority in (1, 9, 5, 7, 3)]
    native = FakeConsumer(sent[:4])
    consumer = in_order((native, 2))
    assert consumer.receive(0).message.payload == b"9"  # type: ignore[union-attr]
    consumer.nack_all()
    assert native.calls == [("nack_all", "")]
    on_its_way = sent[4]
    for item in (on_its_way, *sent):
        native.put(item)
    assert sorted(names(consumer)) == ["1", "3", "5", "7", "9"]


def test_after_a_rewind_the_highest_of_the_repetition_comes_first(message: Messages) -> None:
    sent = [message(priority) for priority in (1, 9, 5, 7)]
    native = FakeConsumer(sent)
    consumer = in_order((native, 10))
    assert [consumer.receive(0).message.payload for _ in range(2)] == [b"9", b"7"]  # type: ignore[union-attr]
    consumer.nack_all()
    for item in sent:
        native.put(item)
    assert names(consumer) == ["9", "7", "5", "1"]


def test_what_was_acknowledged_is_not_waited_for(message: Messages) -> None:
    sent = [message(priority) for priority in (5, 6, 9)]
    native = FakeConsumer(sent[:2])
    consumer = in_order((native, 10))
    six, five = consumer.receive(0), consumer.receive(0)
    assert six is not None
    assert five is not None
    consumer.acknowledge(six)
    consumer.acknowledge(five)
    consumer.nack_all()
    assert ("nack_all", "") not in native.calls
    native.put(sent[2])
    assert names(consumer) == ["9"]


def test_a_partition_without_messages_at_the_application_goes_on(message: Messages) -> None:
    high = FakeConsumer([message(9, partition=1)])
    low = FakeConsumer([message(1), message(0)])
    consumer = in_order((high, 10), (low, 10))
    assert consumer.receive(0) is not None
    consumer.nack_all()
    assert high.calls == [("nack_all", "")]
    assert low.calls == []
    assert names(consumer) == ["1", "0"]


def test_a_repetition_that_does_not_come_is_not_waited_for_for_ever(
    message: Messages,
) -> None:
    native = FakeConsumer([message(5)])
    consumer = in_order((native, 10), grace=0.0)
    assert consumer.receive(0) is not None
    consumer.nack_all()
    native.put(message(6))
    assert names(consumer) == ["6"]


def test_settling_what_was_rewound_is_not_counted_again(message: Messages) -> None:
    sent = [message(5), message(6)]
    native = FakeConsumer(sent[:1])
    consumer = in_order((native, 10))
    old = consumer.receive(0)
    assert old is not None
    consumer.nack_all()
    consumer.acknowledge(old)
    native.put(sent[0])
    again = consumer.receive(0)
    assert again is not None
    consumer.acknowledge(again)
    native.calls.clear()
    consumer.nack_all()
    native.put(sent[1])
    assert names(consumer) == ["6"]
    assert native.calls == []


# -- opening -----------------------------------------------------------------------------------


class FakeTransport:
    """A transport that knows the partitions of one topic and hands out fake consumers."""

    def __init__(self, partitions: int, refuses: str = "") -> None:
        self.count = partitions
        self.requests: list[SubscriptionRequest] = []
        self.consumers: list[FakeConsumer] = []
        self._refuses = refuses

    def partitions(self, topic: str) -> tuple[str, ...]:
        if not self.count:
            return (topic,)
        return tuple(f"{topic}-partition-{number}" for number in range(self.count))

    def subscribe(self, request: SubscriptionRequest) -> FakeConsumer:
        if self._refuses and self._refuses in request.topics:
            raise JMSException("refused")
        self.requests.append(request)
        self.consumers.append(FakeConsumer())
        return self.consumers[-1]


REQUEST = SubscriptionRequest(("t",), "s", SubscriptionType.SHARED, True, False, {})


ALWAYS_LOOKING = replace(REQUEST, new_partitions_every=0)


def opened(transport: FakeTransport, request: SubscriptionRequest = REQUEST) -> PriorityConsumer:
    return open_by_priority(transport, request)  # type: ignore[arg-type]


def test_each_partition_is_opened_with_its_share_the_highest_first() -> None:
    transport = FakeTransport(4)
    opened(transport)
    assert [(request.topics, request.prefetch) for request in transport.requests] == [
        (("t-partition-3",), 400),
        (("t-partition-2",), 300),
        (("t-partition-1",), 200),
        (("t-partition-0",), 100),
    ]


def test_a_topic_without_partitions_has_the_whole_receiver_queue() -> None:
    transport = FakeTransport(0)
    opened(transport)
    assert [(request.topics, request.prefetch) for request in transport.requests] == [
        (("t",), 1000)
    ]


def test_a_pattern_has_one_consumer_with_the_whole_receiver_queue(message: Messages) -> None:
    transport = FakeTransport(3)
    pattern = replace(REQUEST, topics=(), pattern="t.*")
    consumer = opened(transport, pattern)
    assert transport.requests == [pattern]
    for item in (message(1, partition=1), message(9, partition=2)):
        transport.consumers[0].put(item)
    assert names(consumer) == ["9", "1"]


def test_a_refused_partition_closes_the_others() -> None:
    transport = FakeTransport(3, refuses="t-partition-0")
    with pytest.raises(JMSException, match="refused"):
        opened(transport)
    assert [consumer.closed for consumer in transport.consumers] == [True, True]


def test_partitions_that_are_added_later_are_read_from_their_start(
    message: Messages,
) -> None:
    transport = FakeTransport(1)
    consumer = opened(transport, ALWAYS_LOOKING)
    transport.count = 3
    assert consumer.receive(0) is None
    assert [(request.topics[0], request.earliest) for request in transport.requests] == [
        ("t-partition-0", False),
        ("t-partition-2", True),
        ("t-partition-1", True),
    ]
    transport.consumers[1].put(message(9, partition=2))
    assert names(consumer) == ["9"]
    consumer.close()
    assert all(native.closed for native in transport.consumers)


def test_partitions_that_cannot_be_looked_for_disturb_nobody(
    message: Messages, caplog: pytest.LogCaptureFixture
) -> None:
    transport = FakeTransport(1, refuses="t-partition-1")
    consumer = opened(transport, ALWAYS_LOOKING)
    transport.count = 2
    transport.consumers[0].put(message(4))
    assert names(consumer) == ["4"]
    assert "refused" in caplog.text
