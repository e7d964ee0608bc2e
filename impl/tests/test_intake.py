"""How a consumer's messages are given back, seen at an inlet that is no broker's."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pytest

from jmsapi import JMSException
from pulsar_jms.intake import Intake
from pulsar_jms.timer import Timer
from pulsar_jms.transport.interface import (
    BrokerTransaction,
    Delivered,
    IncomingMessage,
    MessagePosition,
)

FLOOR = 0.1
SOON = 20.0


class Taken(NamedTuple):
    """A message as an inlet gives it."""

    message: IncomingMessage


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
    one = Timer("test")
    yield one
    one.close()


def intake(inlet: Inlet, timer: Timer, *, single_returns: bool, floor: float = FLOOR) -> Intake:
    """An intake with all that the inlet has taken from it."""
    one = Intake(
        inlet,
        timer,
        single_returns=single_returns,
        redelivery_floor=floor,
        prefetch=1000,
        brisk=False,
    )
    for _ in inlet.messages:
        assert one.take(SOON) is not None
    return one


@pytest.fixture(autouse=True)
def _lately(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that happens in a test counts as of late, however slow the machine is."""
    monkeypatch.setattr("pulsar_jms.intake._QUIET", 3600.0)


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
    monkeypatch.setattr("pulsar_jms.rewinds._OVERDUE", 0.05)
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
    monkeypatch.setattr("pulsar_jms.intake._FLUSHED", 1000.0)
    inlet = Inlet(1)
    one = intake(inlet, timer, single_returns=False)
    one.give_back(inlet.messages, 0.0, halt=True)
    with pytest.raises(queue.Empty):
        inlet.asked.get(timeout=0.5)
