"""What was given back and is to come first: how long it is waited for, what is held meanwhile."""

from __future__ import annotations

from pulsar_jms.deliveries.pending_redeliveries import PendingRedeliveries
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition
from taken_messages import Taken

GRACE = 1.0
FLOOR = 0.1


def message(number: int, topic: str = "t") -> Taken:
    """The one at this place of its topic."""
    return Taken(IncomingMessage(b"", False, {}, MessagePosition(1, number), topic=topic))


def awaiting(room: int = 10, delay: float = 0.0, now: float = 100.0) -> PendingRedeliveries:
    """The first two messages were given back at `now`."""
    pending = PendingRedeliveries(room)
    pending.expect([message(0), message(1)], now, delay)
    return pending


def test_it_is_over_when_all_have_come() -> None:
    pending = awaiting()
    pending.begin(100.0)
    assert pending.note_arrival(message(0).message.position)
    assert not pending.note_arrival(message(0).message.position)
    assert not pending.note_arrival(message(2).message.position)
    assert not pending.is_over(100.1)
    assert pending.note_arrival(message(1).message.position)
    assert pending.is_over(100.1)


def test_a_copy_that_was_on_its_way_comes_no_sooner_than_what_is_before_it() -> None:
    pending = awaiting()
    pending.begin(100.0)
    assert not pending.note_arrival(message(1).message.position)
    assert pending.keep(message(1))
    assert pending.take_kept(100.1) == []
    assert pending.note_arrival(message(0).message.position)
    assert pending.take_kept(100.1) == [message(1)]
    assert pending.is_over(100.1)


def test_the_wait_has_an_end_from_the_first_that_wants_a_message() -> None:
    """An application that asks late finds what was fetched ahead first, and no less behind it."""
    pending = awaiting()
    assert not pending.is_over(1000.0)
    assert pending.begin(1000.0) == 0.0
    assert not pending.is_over(1000.0 + GRACE - 0.01)
    assert pending.is_over(1000.0 + GRACE)


def test_who_wants_a_message_later_begins_nothing_anew() -> None:
    pending = awaiting()
    pending.begin(100.0)
    assert pending.begin(100.5) is None
    assert pending.is_over(100.0 + GRACE)
    assert pending.begin(102.0) is None


def test_nothing_is_fetched_before_the_broker_was_asked() -> None:
    pending = awaiting(delay=FLOOR)
    asked_in = pending.begin(100.0)
    assert asked_in is not None
    assert asked_in > FLOOR
    assert not pending.may_fetch(100.0 + FLOOR, 0)
    assert pending.may_fetch(100.0 + asked_in, 0)
    assert not pending.is_over(100.0 + asked_in + GRACE - 0.01)


def test_a_receiver_queue_is_fetched_at_once_and_then_little() -> None:
    """How many are held after all of the wait, with one that is ready whenever it is asked for."""
    pending = awaiting(room=10)
    pending.begin(100.0)
    held = 0
    for tick in range(1000):
        now = 100.0 + tick / 1000
        assert not pending.is_over(now)
        if pending.may_fetch(now, held):
            held += 1
        if tick == 10:
            assert held == 11
    assert 11 < held <= 10 + 21


def test_what_went_elsewhere_is_waited_for_but_a_moment() -> None:
    pending = awaiting()
    pending.begin(100.0)
    pending.note_sent_elsewhere(pending.generation, 100.2)
    assert not pending.is_over(100.2)
    assert pending.is_over(100.3)


def test_an_answer_about_earlier_ones_is_none_about_these() -> None:
    pending = awaiting()
    pending.begin(100.0)
    earlier = pending.generation
    pending.expect([message(5, "u")], 100.1, 0.0)
    pending.begin(100.1)
    pending.note_sent_elsewhere(earlier, 100.2)
    assert not pending.is_over(100.3)
    assert pending.topics == {"t", "u"}


def test_an_answer_does_not_make_the_wait_longer() -> None:
    pending = awaiting()
    pending.begin(100.0)
    pending.note_sent_elsewhere(pending.generation, 100.0 + GRACE - 0.01)
    assert pending.is_over(100.0 + GRACE)


def test_what_is_given_back_again_comes_before_what_has_not_come_yet() -> None:
    """Two were given back, the first came and was given back once more."""
    pending = awaiting()
    pending.begin(100.0)
    assert pending.note_arrival(message(0).message.position)
    pending.expect([message(0)], 100.1, 0.0)
    pending.begin(100.1)
    assert pending.keep(message(1))
    assert not pending.keep(message(2))
    assert pending.take_kept(100.2) == []
    assert pending.note_arrival(message(0).message.position)
    assert not pending.is_over(100.2)
    assert [each.message.position for each in pending.take_kept(100.2)] == [
        message(1).message.position
    ]
    assert pending.is_over(100.2)
    assert not pending.keeps_any


def test_what_came_early_is_let_go_when_nobody_waits_any_longer() -> None:
    pending = awaiting()
    pending.expect([message(0)], 100.1, 0.0)
    pending.begin(100.1)
    assert pending.keep(message(1))
    assert pending.take_kept(100.1 + GRACE - 0.01) == []
    [kept] = pending.take_kept(100.1 + GRACE)
    assert kept.message.position == message(1).message.position
    assert not pending.keeps_any
