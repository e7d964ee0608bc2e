"""Producers: how sends of pulsar-client travel, and when a producer is closed."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jmsapi import JMSException
from pulsar_jms.shared_producers import SharedProducers
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage


class Producer:
    """Counts what is sent by it."""

    def __init__(self) -> None:
        self.sent = 0

    def send(self, message: object) -> object:
        """Sent, and waited for."""
        self.sent += 1
        return object()

    def send_async(self, message: object, outcome: object) -> None:
        """Started."""
        self.sent += 1

    def flush(self) -> None:
        """All arrive."""

    def close(self) -> None:
        """Nothing to give back."""


@pytest.mark.parametrize(("batches", "made"), [(True, [True, False]), (False, [False])])
def test_asynchronous_sends_go_in_batches_unless_these_are_switched_off(
    batches: bool, made: list[bool]
) -> None:
    """Without batches one producer, which makes none, does for both kinds of sends."""
    producers: list[tuple[bool, Producer]] = []

    def make(topic: str, *, batching: bool) -> Producer:
        producers.append((batching, Producer()))
        return producers[-1][1]

    producer = PulsarClientProducer(
        make, "orders", lambda error, text: JMSException(text), batches=batches
    )
    producer.send_async(_message(), lambda *_: None)
    producer.send(_message())
    producer.send_async(_message(), lambda *_: None)

    assert [batching for batching, _ in producers] == made
    assert sum(producer.sent for _, producer in producers) == 3


def _message() -> Any:
    return OutgoingMessage(b"body", {}, None, None)


class Made:
    """A producer that notes what is sent and when it closes."""

    def __init__(self, transport: Topics, topic: str) -> None:
        self._transport = transport
        self.topic = topic
        self.outcomes: list[Callable[[], None]] = []
        """Those of sends that are on their way."""
        self.closed = False

    def send(self, message: object, transaction: object = None) -> object:
        """Sent, and waited for."""
        assert not self.closed
        self._transport.stored[self.topic].append(message)
        return object()

    def send_async(self, message: object, outcome: Any, transaction: object = None) -> None:
        """Started; its outcome comes later."""
        assert not self.closed
        self._transport.stored[self.topic].append(message)
        self.outcomes.append(outcome)

    def close(self) -> None:
        """Note it; the transport must have been told before."""
        assert not self.outcomes, "a send is on its way"
        assert self._transport.open.get(self.topic) is not self
        self.closed = True
        self._transport.left -= 1


class Topics:
    """A transport, and what has arrived by it at each topic."""

    def __init__(self) -> None:
        self.open: dict[str, Made] = {}
        self.left = 0
        """Producers at the broker."""
        self.most = 0
        self.stored: defaultdict[str, list[object]] = defaultdict(list)

    def producer(self, topic: str, router: object) -> Made:
        """The one of a topic."""
        if topic not in self.open:
            self.open[topic] = Made(self, topic)
            self.left += 1
            self.most = max(self.most, self.left)
        return self.open[topic]

    def forget(self, producer: Made) -> None:
        """Make another one the next time."""
        del self.open[producer.topic]


class Clock:
    """A timer by which time passes when it is told to."""

    def __init__(self) -> None:
        self._due: list[Callable[[], None]] = []

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Keep it."""
        self._due.append(action)

    def passes(self) -> None:
        """Do all that was kept."""
        due, self._due = self._due, []
        for action in due:
            action()


def shared(bound: int = 1000, idle: float = -1) -> tuple[Any, Topics, Clock]:
    """Producers of a transport, which are idle for ever unless `idle` is given."""
    transport, clock = Topics(), Clock()
    return SharedProducers(cast(Any, transport), cast(Any, clock), bound, idle), transport, clock


def test_a_producer_is_closed_when_its_last_user_has_been_gone_for_a_while() -> None:
    producers, transport, clock = shared()
    for user in "ab":
        producers.producer(user, "orders", None).send("x")
    producers.producer("b", "news", None).send("x")
    orders, news = transport.open.values()

    producers.leave("a")
    clock.passes()
    assert not orders.closed

    producers.leave("b")
    producers.producer("c", "orders", None).send("x")
    clock.passes()
    assert (orders.closed, news.closed) == (False, True)

    producers.leave("c")
    producers.leave("c")
    clock.passes()
    assert orders.closed
    assert transport.left == 0


def test_beyond_the_bound_the_one_of_longest_ago_makes_room() -> None:
    producers, transport, _clock = shared(bound=2)
    by_topic = {topic: producers.producer("a", topic, None) for topic in "pqr"}
    for topic in "pqpr":
        by_topic[topic].send(topic)
    assert set(transport.open) == {"p", "r"}
    by_topic["q"].send("again")
    assert set(transport.open) == {"r", "q"}
    assert (transport.most, transport.stored["q"]) == (2, ["q", "again"])


def test_what_the_application_holds_open_stays_until_it_lets_go_or_leaves() -> None:
    producers, transport, clock = shared(bound=1, idle=0)
    for topic in "pq":
        held = producers.producer("a", topic, None)
        producers.hold("a", held.key)
        held.send("x")
    producers.producer("a", "r", None).send("x")
    clock.passes()
    assert set(transport.open) == {"p", "q"}
    producers.release("a", ("p", None))
    producers.release("a", ("p", None))
    clock.passes()
    assert set(transport.open) == {"q"}
    producers.leave("a")
    producers.release("a", ("q", None))
    clock.passes()
    assert transport.left == 0


def test_what_is_idle_is_closed_and_opened_again_by_the_next_send() -> None:
    producers, transport, clock = shared(idle=0)
    orders = producers.producer("a", "orders", None)
    orders.send_async("one", lambda *_: None)
    clock.passes()
    [outcome] = transport.open["orders"].outcomes
    assert transport.left == 1
    transport.open["orders"].outcomes.clear()
    outcome()
    clock.passes()
    assert transport.left == 0
    orders.send("two")
    assert transport.stored["orders"] == ["one", "two"]


class Sends(RuleBasedStateMachine):
    """Sends of a few users to a few topics, beyond a small bound, in any order of outcomes."""

    TOPICS = st.sampled_from("pqrst")

    def __init__(self) -> None:
        super().__init__()
        self.producers, self.transport, self.clock = shared(bound=2)
        self.begun: defaultdict[str, list[int]] = defaultdict(list)
        self.numbers = itertools.count()

    @rule(topic=TOPICS, user=st.sampled_from("ab"), waits=st.booleans())
    def send(self, topic: str, user: str, waits: bool) -> None:
        """One more."""
        number = next(self.numbers)
        self.begun[topic].append(number)
        producer = self.producers.producer(user, topic, None)
        if waits:
            producer.send(number)
        else:
            producer.send_async(number, lambda *_: None)

    @precondition(lambda self: self.on_their_way())
    @rule(data=st.data())
    def arrives(self, data: st.DataObject) -> None:
        """The outcome of one is reported."""
        made = data.draw(st.sampled_from(self.on_their_way()))
        made.outcomes.pop(0)()

    @rule(user=st.sampled_from("ab"))
    def leaves(self, user: str) -> None:
        """One sends no more."""
        self.producers.leave(user)

    def on_their_way(self) -> list[Made]:
        """Producers with a send whose outcome is not reported."""
        return [made for made in self.transport.open.values() if made.outcomes]

    @invariant()
    def keeps_order(self) -> None:
        """Each topic has what was sent to it, in order."""
        assert self.transport.stored == self.begun

    @invariant()
    def keeps_the_bound(self) -> None:
        """No more are open than the bound, or than there are sends on their way, when settled."""
        self.clock.passes()
        assert self.transport.left <= max(2, len(self.on_their_way()))


TestSends = Sends.TestCase
