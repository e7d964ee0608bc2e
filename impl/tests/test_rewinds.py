"""What counts of the copies that come after a rewind, seen at a broker that is simulated."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pulsar_jms.deliveries.rewinds import Rewind, RewindState
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition
from taken_messages import Taken

PREFETCH = 100
LATER = 1_000_000.0


def copy(number: int, topic: str = "one", partition: int = -1, batch_index: int = -1) -> Taken:
    position = MessagePosition(1, number, partition, batch_index)
    return Taken(IncomingMessage(b"", False, {}, position, topic=topic))


def numbers(ready: Sequence[DeliveredMessage]) -> list[int]:
    return [item.message.position.entry for item in ready]


def begun(
    given_back: Sequence[DeliveredMessage], fetched: Sequence[DeliveredMessage] = ()
) -> Rewind:
    rewind = Rewind(PREFETCH)
    rewind.begin(given_back, fetched)
    rewind.ask(0.0)
    return rewind


def test_what_was_fetched_ahead_waits_for_what_was_given_back_and_comes_once() -> None:
    rewind = begun([copy(1), copy(2)])
    assert rewind.admit(copy(3)) == ()
    assert rewind.admit(copy(1)) == ()
    assert numbers(rewind.admit(copy(2))) == [1, 2, 3]
    assert rewind.admit(copy(3)) == ()
    assert numbers(rewind.admit(copy(4))) == [4]


def test_what_is_given_back_again_before_its_second_copy_came_is_handed_out_once_more() -> None:
    rewind = begun([copy(0)])
    for number in (1, 2):
        rewind.admit(copy(number))
    assert numbers(rewind.admit(copy(0))) == [0, 1, 2]
    rewind.begin([copy(1), copy(2)], ())
    rewind.ask(0.0)
    assert rewind.admit(copy(1)) == ()
    assert numbers(rewind.admit(copy(2))) == [1, 2]
    for number in (1, 2):
        assert rewind.admit(copy(number)) == ()
    assert numbers(rewind.admit(copy(3))) == [3]


def test_another_copy_of_what_was_acknowledged_is_told_from_one_that_is_still_held() -> None:
    """Its acknowledgement may be lost; what the application holds it acknowledges itself."""
    rewind = begun([copy(1)])
    for number in (1, 2):
        rewind.admit(copy(number))
    rewind.note_acknowledged(copy(1))

    assert [rewind.is_done(copy(number)) for number in (1, 2, 3)] == [True, False, False]
    assert rewind.admit(copy(1)) == ()
    rewind.begin([copy(1)], ())
    assert not rewind.is_done(copy(1))


def test_what_was_acknowledged_is_forgotten_with_the_copies_that_may_come() -> None:
    rewind = begun([copy(1)])
    rewind.admit(copy(1))
    rewind.note_acknowledged(copy(1))
    for number in range(2, 10 * PREFETCH):
        rewind.admit(copy(number))

    assert not rewind.is_done(copy(1))
    rewind.note_acknowledged(copy(1))
    assert not rewind.is_done(copy(1))


def test_the_only_message_may_be_given_back_time_and_again() -> None:
    rewind = begun([copy(0)])
    for _ in range(3):
        assert numbers(rewind.admit(copy(0))) == [0]
        rewind.begin([copy(0)], ())
        rewind.ask(0.0)
    assert numbers(rewind.admit(copy(0))) == [0]
    assert numbers(rewind.admit(copy(1))) == [1]


def test_what_was_held_back_before_waits_as_well() -> None:
    rewind = begun([copy(1)], [copy(2)])
    assert numbers(rewind.admit(copy(1))) == [1, 2]
    assert rewind.admit(copy(2)) == ()


def test_messages_of_several_partitions_come_again_in_their_old_order() -> None:
    first, second = copy(5, "a", 0), copy(1, "b", 1)
    rewind = begun([first, second])
    assert rewind.admit(second) == ()
    assert rewind.admit(copy(2, "b", 1)) == ()
    assert numbers(rewind.admit(first)) == [5, 1, 2]


def test_the_rest_of_a_batch_is_taken_with_what_was_given_back_of_it() -> None:
    rewind = begun([copy(1, batch_index=0)])
    assert rewind.admit(copy(1, batch_index=1)) == ()
    assert len(rewind.admit(copy(1, batch_index=0))) == 1
    assert len(rewind.admit(copy(1, batch_index=1))) == 1


def test_it_is_over_when_all_that_may_be_on_its_way_has_come() -> None:
    rewind = begun([copy(1)])
    for number in (2, 3, 1, 2, 3):
        rewind.admit(copy(number))
    assert rewind.state(0.0, quiet=True) is RewindState.GOING_ON
    assert rewind.state(LATER, quiet=False) is RewindState.GOING_ON
    assert rewind.state(LATER, quiet=True) is RewindState.OVER
    for number in range(4 * PREFETCH):
        rewind.admit(copy(number))
    assert rewind.state(LATER, quiet=False) is RewindState.OVER


def test_it_is_overdue_when_nothing_comes_or_more_than_was_fetched_ahead() -> None:
    rewind = begun([copy(0)])
    assert rewind.state(0.0, quiet=True) is RewindState.GOING_ON
    assert rewind.state(LATER, quiet=True) is RewindState.OVERDUE
    for number in range(1, 4 * PREFETCH + 3):
        rewind.admit(copy(number))
        assert rewind.state(LATER, quiet=False) is RewindState.GOING_ON
    rewind.admit(copy(4 * PREFETCH + 3))
    assert rewind.state(LATER, quiet=False) is RewindState.OVERDUE


def test_what_never_comes_is_not_waited_for_after_a_release() -> None:
    rewind = begun([copy(1), copy(2)])
    for number in (3, 2):
        assert rewind.admit(copy(number)) == ()
    assert numbers(rewind.release()) == [2, 3]
    assert numbers(rewind.admit(copy(4))) == [4]


def test_no_more_is_remembered_than_may_come_twice() -> None:
    rewind = begun([copy(0)])
    rewind.admit(copy(0))
    for number in range(1, 100 * PREFETCH):
        assert len(rewind.admit(copy(number))) == 1
        if number % PREFETCH == 0:
            rewind.begin([copy(number)], ())
            rewind.ask(0.0)
            assert len(rewind.admit(copy(number))) == 1
    assert len(rewind._came) < 5 * PREFETCH


class Broker:
    """Topics whose messages go to one consumer, and what it does with them."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.all = [
            [copy(10 * number + topic, f"topic-{topic}", topic) for number in range(size)]
            for topic, size in enumerate(sizes)
        ]
        self.next = [0 for _ in sizes]
        self.way: deque[Taken] = deque()
        self.ready: deque[DeliveredMessage] = deque()
        self.held: list[DeliveredMessage] = []
        self.note_acknowledged: set[MessagePosition] = set()
        self.expected: deque[int] = deque()
        """What has to be handed out next, after it was given back."""
        self.rewind: Rewind | None = None

    def send(self, topic: int, count: int) -> None:
        """Send messages that are not acknowledged, from where the topic is read."""
        for delivered in self.all[topic][self.next[topic] :]:
            if not count:
                break
            self.next[topic] += 1
            if delivered.message.position not in self.note_acknowledged:
                self.way.append(delivered)
                count -= 1

    def arrive(self, count: int) -> None:
        for _ in range(min(count, len(self.way))):
            item = self.way.popleft()
            self.ready.extend(self.rewind.admit(item) if self.rewind else [item])

    def hand_out(self, count: int) -> None:
        for _ in range(min(count, len(self.ready))):
            item = self.ready.popleft()
            position = item.message.position
            assert position not in self.note_acknowledged
            assert position not in {delivered.message.position for delivered in self.held}
            if self.expected:
                assert position.entry == self.expected.popleft()
            self.held.append(item)

    def acknowledge(self) -> None:
        self.note_acknowledged |= {delivered.message.position for delivered in self.held}
        self.held.clear()

    def recover(self, overtaken: int) -> None:
        """Give back all that is held; the bit of a topic: a read moves it forward again."""
        if not self.held:
            return
        self.rewind = self.rewind or Rewind(PREFETCH)
        self.rewind.begin(self.held, self.ready)
        self.expected = deque(numbers(self.held) + list(self.expected))
        self.ready.clear()
        self.held.clear()
        self.go_back(overtaken)

    def go_back(self, overtaken: int = 0) -> None:
        assert self.rewind is not None
        self.rewind.ask(0.0)
        for topic, all_of_it in enumerate(self.all):
            here = self.next[topic]
            self.next[topic] = next(
                (
                    place
                    for place, delivered in enumerate(all_of_it)
                    if delivered.message.position not in self.note_acknowledged
                ),
                len(all_of_it),
            )
            if overtaken >> (2 * topic) & 1:
                self.send(topic, overtaken >> (2 * topic + 1) & 1)
                self.next[topic] = max(here, self.next[topic])

    def finish(self) -> None:
        """Everything that is left, with a consumer that acknowledges it."""
        for _ in range(10):
            for topic in range(len(self.all)):
                self.send(topic, PREFETCH)
            self.arrive(len(self.way))
            self.hand_out(len(self.ready))
            self.acknowledge()
            if self.rewind and self.rewind.state(LATER, quiet=True) is RewindState.OVERDUE:
                self.go_back()


@settings(max_examples=400)
@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    steps=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 63)), min_size=20, max_size=60),
)
def test_each_message_is_handed_out_once_and_what_was_given_back_first(
    sizes: list[int], steps: list[tuple[int, int]]
) -> None:
    broker = Broker(sizes)
    for kind, number in steps:
        match kind:
            case 0:
                broker.send(number % len(sizes), number // 8)
            case 1:
                broker.arrive(number // 8)
            case 2:
                broker.hand_out(number // 16)
            case 3:
                broker.acknowledge()
            case _:
                broker.recover(number if number % 3 == 0 else 0)
    broker.finish()
    assert broker.note_acknowledged == {
        delivered.message.position for topic in broker.all for delivered in topic
    }
