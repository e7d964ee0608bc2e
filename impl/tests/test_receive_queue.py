"""How a consumer's messages are given back, seen at an inlet that is no broker's."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from lasting_threads import unexpected
from taken_messages import Taken

from jmsapi import JMSException
from pulsar_jms.deliveries.receive_queue import Intake
from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import BrokerTransaction, Delivered
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

FLOOR = 0.1
SOON = 20.0


class Inlet:
    """Has some messages, and tells what it is asked for."""

    def __init__(self, count: int) -> None:
        self.messages = [
            Taken(IncomingMessage(b"", False, {}, MessagePosition(1, number)))
            for number in range(count)
        ]
        self.waiting: list[Delivered] = [*self.messages]
        self._when_asked: list[Sequence[Delivered]] = []
        self.asked: queue.Queue[object] = queue.Queue()

    def when_asked(self, sent: Sequence[Delivered]) -> None:
        """What is sent when everything is asked for the next time."""
        self._when_asked.append(sent)

    def receive(self, timeout: int) -> Delivered | None:
        return self.waiting.pop(0) if self.waiting else None

    def acknowledge(
        self, delivered: Delivered, transaction: BrokerTransaction | None = None
    ) -> None: ...

    def acknowledge_async(
        self, delivered: Delivered, failed: Callable[[JMSException], None]
    ) -> None: ...

    def give_back(self, delivered: Delivered) -> None:
        self.asked.put(delivered)

    def give_back_all(self) -> None:
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
    one = Timer("test", unexpected)
    yield one
    one.close()


def intake(
    inlet: Inlet,
    timer: Timer,
    *,
    single_returns: bool,
    floor: float = FLOOR,
    prefetch: int = 1000,
) -> Intake:
    """An intake with all that the inlet has taken from it."""
    one = Intake(
        inlet,
        timer,
        single_returns=single_returns,
        redelivery_floor=floor,
        prefetch=prefetch,
        brisk=False,
    )
    for _ in inlet.messages:
        assert one.take(SOON) is not None
    return one


@pytest.fixture(autouse=True)
def _lately(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that happens in a test counts as of late, however slow the machine is."""
    monkeypatch.setattr("pulsar_jms.deliveries.receive_queue._QUIET", 3600.0)


@pytest.mark.parametrize("wait", [0.0, 0.001, FLOOR, 0.15])
@pytest.mark.parametrize("floor", [0.0, FLOOR])
def test_only_what_is_given_back_is_asked_for_while_messages_come(
    timer: Timer, wait: float, floor: float
) -> None:
    """Everything at once would take along what is on its way here: two consumers would have it."""
    inlet = Inlet(2)
    one = intake(inlet, timer, single_returns=True, floor=floor)

    one.give_back(inlet.messages, wait, halt=True)

    assert [inlet.asked.get(timeout=SOON) for _ in inlet.messages] == inlet.messages
    assert inlet.asked.empty()


def test_a_message_after_others_is_asked_for_alone(timer: Timer) -> None:
    """They are acknowledged, but more of them may be on their way."""
    inlet = Inlet(3)
    one = intake(inlet, timer, single_returns=True)
    for other in inlet.messages[:2]:
        one.acknowledge(other)
    one._acknowledged_at = 0.0  # long ago

    one.give_back(inlet.messages[2:], 0.001, halt=True)

    assert inlet.asked.get(timeout=SOON) == inlet.messages[2]


def test_the_only_message_comes_by_the_quicker_request(timer: Timer) -> None:
    """Nothing else is on its way, and a short wait stays exact."""
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=True)

    one.give_back(inlet.messages, 0.001, halt=True)

    assert inlet.asked.get(timeout=SOON) == "all"


def test_a_transport_that_asks_at_once_is_asked_for_one(timer: Timer) -> None:
    """There is nothing to gain by everything."""
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=True, floor=0.0)

    one.give_back(inlet.messages, 0.001, halt=True)

    assert inlet.asked.get(timeout=SOON) == inlet.messages[0]


def test_all_is_asked_for_where_single_messages_cannot_be(timer: Timer) -> None:
    """Only one consumer gets messages there, so nobody else can have what is on its way."""
    inlet = Inlet(2)
    one = intake(inlet, timer, single_returns=False)

    one.give_back(inlet.messages, 0.001, halt=True)

    assert inlet.asked.get(timeout=SOON) == "all"
    assert inlet.asked.empty()


def taken_in_turn(one: Intake, count: int) -> list[Delivered | None]:
    """What is handed out, each after so many tries at the most as a slice has."""
    return [next(filter(None, (one.take(0.02) for _ in range(500))), None) for _ in range(count)]


ALL = Inlet(3).messages


@pytest.fixture
def rewound(timer: Timer, monkeypatch: pytest.MonkeyPatch) -> tuple[Intake, Inlet]:
    """The first message was given back; the others come as they were sent before."""
    monkeypatch.setattr("pulsar_jms.deliveries.rewinds._OVERDUE", 0.05)
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=False)
    one.give_back(inlet.messages, 0.0, halt=True)
    assert inlet.asked.get(timeout=SOON) == "all"
    inlet.waiting += ALL[1:]
    return one, inlet


def test_what_was_sent_before_a_rewind_comes_once(rewound: tuple[Intake, Inlet]) -> None:
    one, inlet = rewound
    inlet.waiting += ALL
    assert taken_in_turn(one, 3) == ALL


def test_a_rewind_that_the_broker_went_on_from_is_asked_for_again(
    rewound: tuple[Intake, Inlet],
) -> None:
    one, inlet = rewound
    inlet.when_asked(ALL)
    assert taken_in_turn(one, 3) == ALL
    assert inlet.asked.get(timeout=SOON) == "all"
    assert inlet.asked.empty()


def test_what_never_comes_back_does_not_hold_up_what_comes(
    rewound: tuple[Intake, Inlet],
) -> None:
    """It may have expired; it was asked for once by the fixture."""
    one, inlet = rewound
    for _ in range(2):
        inlet.when_asked(ALL[1:])
    assert taken_in_turn(one, 2) == ALL[1:]
    assert [inlet.asked.get(timeout=SOON) for _ in range(2)] == ["all"] * 2
    assert inlet.asked.empty()


def test_where_nothing_comes_twice_any_more_nothing_is_looked_at_twice(
    rewound: tuple[Intake, Inlet],
) -> None:
    one, inlet = rewound
    inlet.waiting += ALL
    assert taken_in_turn(one, 3) == ALL
    taken = (one.take(0.02) for _ in range(500))
    assert next((True for _ in taken if not one._special), False)


def test_a_rewind_does_not_follow_at_once_on_what_was_taken(
    timer: Timer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker may be reading on, past the place that it is told to go back to."""
    monkeypatch.setattr("pulsar_jms.deliveries.receive_queue._FLUSHED", 1000.0)
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=False)
    one.give_back(inlet.messages, 0.0, halt=True)
    with pytest.raises(queue.Empty):
        inlet.asked.get(timeout=0.5)


@pytest.mark.parametrize("single_returns", [True, False])
def test_what_comes_while_it_waits_stays_with_the_broker(
    timer: Timer, monkeypatch: pytest.MonkeyPatch, single_returns: bool
) -> None:
    """Some receiver queues at the most are fetched; the message that was given back comes first."""
    monkeypatch.setattr("pulsar_jms.deliveries.pending_redeliveries._GRACE", 3600.0)
    monkeypatch.setattr("pulsar_jms.deliveries.pending_redeliveries._LITTLE", 3600.0)
    monkeypatch.setattr("pulsar_jms.deliveries.rewinds._OVERDUE", 3600.0)
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=single_returns, floor=0.0, prefetch=10)
    one.give_back(inlet.messages, 0.0, halt=True)
    inlet.asked.get(timeout=SOON)
    inlet.waiting += Inlet(1000).messages[1:]

    def fetched() -> int:
        return 999 - len(inlet.waiting)

    assert next((True for _ in range(500) if one.take(0.02) or fetched() > 10), False)
    for _ in range(20):
        assert one.take(0.02) is None
    assert 10 < fetched() < 50


@pytest.fixture
def late(timer: Timer, monkeypatch: pytest.MonkeyPatch) -> tuple[Intake, Inlet]:
    """Waits 50 ms for the message that it gave back, while others come."""
    monkeypatch.setattr("pulsar_jms.deliveries.pending_redeliveries._GRACE", 0.05)
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=True, floor=0.0)
    one.give_back(inlet.messages, 0.0, halt=True)
    inlet.asked.get(timeout=SOON)
    inlet.waiting += ALL[1:]
    return one, inlet


def test_what_comes_late_is_taken_as_it_comes(late: tuple[Intake, Inlet]) -> None:
    """What was held meanwhile does not wait for ever, and keeps its order."""
    one, inlet = late
    assert taken_in_turn(one, 2) == ALL[1:]
    inlet.waiting += ALL[:1]
    assert taken_in_turn(one, 1) == ALL[:1]


def test_what_waits_to_be_given_back_aside_is_kept_without_its_content(timer: Timer) -> None:
    """A selector may reject thousands of large messages in the time that one of them waits."""
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=True)
    content = inlet.messages[0].message._replace(payload=b"x" * 1000)
    one.give_back_aside(Taken(content), FLOOR)
    asked = inlet.asked.get(timeout=SOON)
    assert asked == inlet.messages[0]
    assert asked == Taken(content).without_content()


def test_a_message_does_not_overtake_those_that_are_held_when_the_wait_ends(
    late: tuple[Intake, Inlet], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends while that one is fetched, and another thread sees that it did."""
    one, inlet = late
    receive = inlet.receive

    def last(timeout: int) -> Delivered | None:
        delivered = receive(timeout)
        if delivered is ALL[2]:
            turn = one._awaited.turn
            assert until_false(lambda: one._still_awaits(turn))
        return delivered

    monkeypatch.setattr(inlet, "receive", last)
    assert taken_in_turn(one, 2) == ALL[1:]


def until_false(condition: Callable[[], bool]) -> bool:
    """Whether it became false in a time that is enough for any machine."""
    end = time.monotonic() + SOON
    while condition() and time.monotonic() < end:
        time.sleep(0.005)
    return not condition()
