"""What comes again because another message was given back, without a broker."""

from __future__ import annotations

from pulsar_jms.deliveries.repeats import Repeats, batch_of
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition
from taken_messages import Taken


def item(entry: int, index: int = -1, partition: int = -1) -> Taken:
    """A delivery at a position."""
    return Taken(IncomingMessage(b"", False, {}, MessagePosition(1, entry, partition, index)))


def nothing() -> list[Taken]:
    """What an application holds that holds nothing."""
    return []


def test_a_batch_is_told_by_all_but_the_index() -> None:
    assert (
        batch_of(MessagePosition(1, 2, 3, 0)) == batch_of(MessagePosition(1, 2, 3, 9)) == (1, 2, 3)
    )
    assert batch_of(MessagePosition(1, 2, 3)) is None


def test_nothing_is_remembered_before_something_is_given_back() -> None:
    assert not Repeats().active


def test_what_was_on_its_way_when_all_was_asked_for_again_repeats() -> None:
    repeats = Repeats()
    repeats.note_nacked([item(1)], nothing)
    repeats.note_handed_out(item(1))
    repeats.note_handed_out(item(2))
    assert repeats.is_repeat(item(2))
    repeats.note_nacked([item(1)], nothing)
    assert not repeats.is_repeat(item(1))


def test_what_the_application_holds_repeats_when_a_neighbour_is_given_back() -> None:
    repeats = Repeats()
    repeats.note_nacked([item(1, 1)], lambda: [item(1, 0), item(9)])
    assert repeats.is_repeat(item(1, 0))
    assert not repeats.is_repeat(item(1, 1))
    assert not repeats.is_repeat(item(1, 2))
    assert repeats.is_repeat(item(9))
    assert not repeats.is_repeat(item(8))


def test_what_is_handed_out_repeats_until_it_is_given_back() -> None:
    repeats = Repeats()
    repeats.note_nacked([item(1, 1)], nothing)
    for other in (item(1, 2), item(1, 3), item(1, 2, partition=0)):
        repeats.note_handed_out(other)
    assert repeats.is_repeat(item(1, 2))
    repeats.note_nacked([item(1, 2)], nothing)
    assert not repeats.is_repeat(item(1, 2))
    assert repeats.is_repeat(item(1, 3))
    assert repeats.is_repeat(item(1, 2, partition=0))


def test_the_oldest_batches_are_forgotten() -> None:
    repeats = Repeats()
    repeats.note_nacked([item(0, 0)], nothing)
    for entry in range(20_000):
        repeats.note_handed_out(item(entry, 1))
    assert not repeats.is_repeat(item(0, 1))
    assert repeats.is_repeat(item(19_999, 1))
