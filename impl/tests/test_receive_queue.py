"""How a consumer's messages are given back, seen at a consumer that is no broker's."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from jmsapi import JMSException
from lasting_threads import unexpected
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.deliveries.redelivery_times import RedeliveryTimes
from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import BrokerTransaction, DeliveredMessage
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition
from taken_messages import Taken

FLOOR = 0.1
SOON = 20.0
LONG = 3600.0
SLOW_MACHINE = RedeliveryTimes(quiet=LONG)
"""All that happens in a test counts as of late, however slow the machine is."""


class TransportConsumer:
    """Has some messages, and notes what it is asked for."""

    def __init__(self, count: int) -> None:
        self.messages = [
            Taken(IncomingMessage(b"", False, {}, MessagePosition(1, number)))
            for number in range(count)
        ]
        self.waiting: list[DeliveredMessage] = [*self.messages]
        self._when_asked: list[Sequence[DeliveredMessage]] = []
        self.asked: queue.Queue[object] = queue.Queue()

    def when_asked(self, sent: Sequence[DeliveredMessage]) -> None:
        """What is sent when everything is asked for the next time."""
        self._when_asked.append(sent)

    def receive(self, timeout: int) -> DeliveredMessage | None:
        return self.waiting.pop(0) if self.waiting else None

    def acknowledge(
        self, delivered: DeliveredMessage, transaction: BrokerTransaction | None = None
    ) -> None: ...

    def acknowledge_async(
        self, delivered: DeliveredMessage, failed: Callable[[JMSException], None]
    ) -> None: ...

    def nack(self, delivered: DeliveredMessage) -> None:
        self.asked.put(delivered)

    def nack_all(self) -> None:
        self.asked.put("all")
        if self._when_asked:
            self.waiting += self._when_asked.pop(0)

    def is_connected(self) -> bool:
        return True

    def lost_at(self) -> int:
        return 0

    def close(self) -> None: ...


@pytest.fixture
def timer() -> Iterator[Timer]:
    """A clock that ends with the test."""
    alarms = Timer("test", unexpected)
    yield alarms
    alarms.close()


def receive_queue(
    consumer: TransportConsumer,
    timer: Timer,
    *,
    single_returns: bool,
    floor: float = FLOOR,
    prefetch: int = 1000,
    times: RedeliveryTimes = SLOW_MACHINE,
    redelivery_tracker: Any = None,
) -> ReceiveQueue:
    """A receive queue with all that the consumer has taken from it."""
    tested = ReceiveQueue(
        consumer,
        timer,
        single_returns=single_returns,
        redelivery_floor=floor,
        prefetch=prefetch,
        brisk=False,
        redelivery_tracker=redelivery_tracker,
        times=times,
    )
    for _ in consumer.messages:
        assert tested.take(SOON) is not None
    return tested


@pytest.mark.parametrize("wait", [0.0, 0.001, FLOOR, 0.15])
@pytest.mark.parametrize("floor", [0.0, FLOOR])
def test_only_what_is_given_back_is_asked_for_while_messages_come(
    timer: Timer, wait: float, floor: float
) -> None:
    """Everything at once would take along what is on its way here: two consumers would have it."""
    consumer = TransportConsumer(2)
    tested = receive_queue(consumer, timer, single_returns=True, floor=floor)

    tested.nack(consumer.messages, wait, halt=True)

    assert [consumer.asked.get(timeout=SOON) for _ in consumer.messages] == consumer.messages
    assert consumer.asked.empty()


def test_a_message_after_others_is_asked_for_alone(timer: Timer) -> None:
    """They are acknowledged, but more of them may be on their way."""
    consumer = TransportConsumer(3)
    times = replace(SLOW_MACHINE, flush=0.0)  # acknowledged long ago
    tested = receive_queue(consumer, timer, single_returns=True, times=times)
    for other in consumer.messages[:2]:
        tested.acknowledge(other)

    tested.nack(consumer.messages[2:], 0.001, halt=True)

    assert consumer.asked.get(timeout=SOON) == consumer.messages[2]


def test_the_only_message_comes_by_the_quicker_request(timer: Timer) -> None:
    """Nothing else is on its way, and a short wait stays exact."""
    consumer = TransportConsumer(1)
    tested = receive_queue(consumer, timer, single_returns=True)

    tested.nack(consumer.messages, 0.001, halt=True)

    assert consumer.asked.get(timeout=SOON) == "all"


def test_a_transport_that_asks_at_once_is_asked_for_one(timer: Timer) -> None:
    """There is nothing to gain by everything."""
    consumer = TransportConsumer(1)
    tested = receive_queue(consumer, timer, single_returns=True, floor=0.0)

    tested.nack(consumer.messages, 0.001, halt=True)

    assert consumer.asked.get(timeout=SOON) == consumer.messages[0]


def test_all_is_asked_for_where_single_messages_cannot_be(timer: Timer) -> None:
    """Only one consumer gets messages there, so nobody else can have what is on its way."""
    consumer = TransportConsumer(2)
    tested = receive_queue(consumer, timer, single_returns=False)

    tested.nack(consumer.messages, 0.001, halt=True)

    assert consumer.asked.get(timeout=SOON) == "all"
    assert consumer.asked.empty()


def taken_in_turn(tested: ReceiveQueue, count: int) -> list[DeliveredMessage | None]:
    """What is handed out, each after so many tries at the most as a slice has."""
    return [next(filter(None, (tested.take(0.02) for _ in range(500))), None) for _ in range(count)]


ALL = TransportConsumer(3).messages


@pytest.fixture
def rewound(timer: Timer) -> tuple[ReceiveQueue, TransportConsumer]:
    """The first message was given back; the others come as they were sent before."""
    consumer = TransportConsumer(1)
    times = replace(SLOW_MACHINE, rewind=0.05)
    tested = receive_queue(consumer, timer, single_returns=False, times=times)
    tested.nack(consumer.messages, 0.0, halt=True)
    assert consumer.asked.get(timeout=SOON) == "all"
    consumer.waiting += ALL[1:]
    return tested, consumer


def test_what_was_sent_before_a_rewind_comes_once(
    rewound: tuple[ReceiveQueue, TransportConsumer],
) -> None:
    tested, consumer = rewound
    consumer.waiting += ALL
    assert taken_in_turn(tested, 3) == ALL


def test_a_rewind_that_the_broker_went_on_from_is_asked_for_again(
    rewound: tuple[ReceiveQueue, TransportConsumer],
) -> None:
    tested, consumer = rewound
    consumer.when_asked(ALL)
    assert taken_in_turn(tested, 3) == ALL
    assert consumer.asked.get(timeout=SOON) == "all"
    assert consumer.asked.empty()


def test_what_never_comes_back_does_not_hold_up_what_comes(
    rewound: tuple[ReceiveQueue, TransportConsumer],
) -> None:
    """It may have expired; it was asked for once by the fixture."""
    tested, consumer = rewound
    for _ in range(2):
        consumer.when_asked(ALL[1:])
    assert taken_in_turn(tested, 2) == ALL[1:]
    assert [consumer.asked.get(timeout=SOON) for _ in range(2)] == ["all"] * 2
    assert consumer.asked.empty()


def test_copies_are_handed_out_again_once_a_rewind_is_over(
    rewound: tuple[ReceiveQueue, TransportConsumer],
) -> None:
    """Until then they are dropped."""
    tested, consumer = rewound
    consumer.waiting += ALL
    assert taken_in_turn(tested, 3) == ALL
    for _ in range(500):
        if not consumer.waiting:
            consumer.waiting += ALL[:1]
        if tested.take(0.02) == ALL[0]:
            break
    else:
        pytest.fail("no copy was handed out")


class Alarms:
    """A timer that notes what it is asked for; the test lets it come."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        self.due.append((seconds, action))


def test_a_rewind_does_not_follow_at_once_on_what_was_taken() -> None:
    """The broker may be reading on, past the place that it is told to go back to."""
    consumer, alarms = TransportConsumer(1), Alarms()
    times = replace(SLOW_MACHINE, flush=LONG)
    tested = receive_queue(consumer, cast("Timer", alarms), single_returns=False, times=times)
    tested.nack(consumer.messages, 0.0, halt=True)
    [(at_once, nack)] = alarms.due
    assert at_once == 0.0
    nack()
    assert consumer.asked.empty()
    assert LONG / 2 < alarms.due[-1][0] <= LONG


def test_a_message_whose_nack_a_poll_holds_up_is_not_overtaken() -> None:
    """Two messages that time out one after the other come again in that order."""
    consumer, alarms = TransportConsumer(2), Alarms()
    tested = receive_queue(consumer, cast("Timer", alarms), single_returns=True)
    for message in consumer.messages:
        tested.nack([message], 0.0, halt=False)
    first, second = (nack for _, nack in alarms.due)

    def receive_while_the_first_is_due(timeout: int) -> None:
        first()

    consumer.receive = receive_while_the_first_is_due  # type: ignore[method-assign]
    assert tested.take(0.0) is None
    assert consumer.asked.empty()

    second()
    for _, nack in alarms.due[2:]:
        nack()

    assert [consumer.asked.get_nowait() for _ in consumer.messages] == consumer.messages


@pytest.mark.parametrize("single_returns", [True, False])
def test_what_comes_while_it_waits_stays_with_the_broker(
    timer: Timer, single_returns: bool
) -> None:
    """Some receiver queues at the most are fetched; the message that was given back comes first."""
    times = replace(SLOW_MACHINE, arrival=LONG, trickle=LONG, rewind=LONG)
    consumer = TransportConsumer(1)
    tested = receive_queue(
        consumer, timer, single_returns=single_returns, floor=0.0, prefetch=10, times=times
    )
    tested.nack(consumer.messages, 0.0, halt=True)
    consumer.asked.get(timeout=SOON)
    consumer.waiting += TransportConsumer(1000).messages[1:]

    def fetched() -> int:
        return 999 - len(consumer.waiting)

    assert next((True for _ in range(500) if tested.take(0.02) or fetched() > 10), False)
    for _ in range(20):
        assert tested.take(0.02) is None
    assert 10 < fetched() < 50


class Tracker:
    """Keeps the question whether the messages are still waited for."""

    def watch(
        self,
        topics: frozenset[str],
        asked_in: float,
        waits: Callable[[], bool],
        sent: Callable[[], None],
    ) -> None:
        self.waits = waits


def late_queue(timer: Timer, tracker: Tracker) -> tuple[ReceiveQueue, TransportConsumer]:
    """Wait 50 ms for the message that it gave back, while others come."""
    consumer = TransportConsumer(1)
    tested = receive_queue(
        consumer,
        timer,
        single_returns=True,
        floor=0.0,
        times=replace(SLOW_MACHINE, arrival=0.05),
        redelivery_tracker=tracker,
    )
    tested.nack(consumer.messages, 0.0, halt=True)
    consumer.asked.get(timeout=SOON)
    consumer.waiting += ALL[1:]
    return tested, consumer


def test_what_comes_late_is_taken_as_it_comes(timer: Timer) -> None:
    """What was held meanwhile does not wait for ever, and keeps its order."""
    tested, consumer = late_queue(timer, Tracker())
    assert taken_in_turn(tested, 2) == ALL[1:]
    consumer.waiting += ALL[:1]
    assert taken_in_turn(tested, 1) == ALL[:1]


def test_what_waits_to_be_given_back_aside_is_kept_without_its_content(timer: Timer) -> None:
    """A selector may reject thousands of large messages in the time that one of them waits."""
    consumer = TransportConsumer(1)
    tested = receive_queue(consumer, timer, single_returns=True)
    content = consumer.messages[0].message._replace(payload=b"x" * 1000)
    tested.nack_quietly(Taken(content), FLOOR)
    asked = consumer.asked.get(timeout=SOON)
    assert asked == consumer.messages[0]
    assert asked == Taken(content).without_content()


def test_a_message_does_not_overtake_those_that_are_held_when_the_wait_ends(
    timer: Timer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends while that one is fetched, and another thread sees that it did."""
    tracker = Tracker()
    tested, consumer = late_queue(timer, tracker)
    receive = consumer.receive

    def last(timeout: int) -> DeliveredMessage | None:
        delivered = receive(timeout)
        if delivered is ALL[2]:
            assert until_false(tracker.waits)
        return delivered

    monkeypatch.setattr(consumer, "receive", last)
    assert taken_in_turn(tested, 2) == ALL[1:]


def until_false(condition: Callable[[], bool]) -> bool:
    """Whether it became false in a time that is enough for any machine."""
    end = time.monotonic() + SOON
    while condition() and time.monotonic() < end:
        time.sleep(0.005)
    return not condition()
