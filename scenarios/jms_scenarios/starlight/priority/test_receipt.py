"""Priority in the order of receipt: which messages of a backlog are served first."""

import pytest

from jms_scenarios.starlight.priority.levels import (
    FEW_BATCHES,
    LEVELS,
    SWITCHED_ON,
    mean_positions,
    priorities,
    shuffled,
)
from jms_scenarios.traffic import take, texts, texts_by_priority
from touchstone.api import checks, eventually, judging, observe, receive_all, requirement, slow


def noise(count):
    """By how much two means of `count` positions each may differ in a random order: 5 sigma."""
    return 5 * 2 * ((2 * count + 1) / 12) ** 0.5


@pytest.fixture
def drained(sent, jms):
    """`drained(settings, partitions, counts)`: what one consumer received of such a backlog."""

    def drained(settings, partitions, counts):
        backlog = shuffled(counts)
        queue = sent(settings, partitions, backlog)
        session = jms.connection({**settings, **FEW_BATCHES}).create_session()
        return priorities(take(session.create_consumer(queue), texts_by_priority(backlog)))

    return drained


@requirement("SLJ-PRIO-004")
@pytest.mark.parametrize(
    "settings",
    [pytest.param({}, id="as-delivered"), pytest.param(SWITCHED_ON, id="switched-on")],
)
def test_priority_has_no_influence_on_delivery(drained, settings):
    """Of a backlog of priorities 0 and 9 both are received equally early, within noise."""
    positions = mean_positions(drained(settings, 10, {0: 500, 9: 500}))

    observe("mean positions", positions)
    assert abs(positions[9] - positions[0]) < noise(500)


@requirement("SLJ-PRIO-005")
def test_priorities_are_dispatched_at_different_rates(drained):
    """Of a backlog of priorities 1 and 8 the messages of 8 are received earlier, beyond noise."""
    positions = mean_positions(drained(SWITCHED_ON, 10, {1: 1000, 8: 1000}))

    observe("mean positions", positions)
    assert positions[8] < positions[1] - noise(1000)


@pytest.fixture
def prefetched(jms, admin, name):
    """`prefetched(settings, queue, count)`: a consumer whose client has so many messages, and
    what it has received."""

    def prefetched(settings, queue, count):
        session = jms.connection(settings).create_session()
        consumer = session.create_consumer(queue)
        first = consumer.receive_no_wait()  # some clients begin to fetch now
        eventually(lambda: admin.subscription(queue, "jms-queue").msg_out_counter >= count)
        # The broker's answer to this send comes behind what it sent out before.
        with session.create_producer(jms.queue(name("answered"))) as producer:
            producer.send(session.create_text_message())
        return consumer, [] if first is None else [first]

    return prefetched


@requirement("SLJ-PRIO-010")
def test_consumer_reorders_what_it_holds(sent, prefetched):
    """Of a backlog that the client holds, more of the first 100 received are 9 than by chance.

    By chance half of them are, and 5 sigma are 25.
    """
    settings = {**SWITCHED_ON, "consumerConfig": {"receiverQueueSize": 50_000}}
    backlog = shuffled({0: 500, 9: 500})
    queue = sent(settings, 10, backlog)
    consumer, messages = prefetched(settings, queue, 1000)

    messages += receive_all(consumer, 100 - len(messages))

    assert len({*texts(messages)} & {*texts_by_priority(backlog)}) == 100
    received = priorities(messages)
    observe("of 100 received have priority 9", received.count(9))
    assert received.count(9) > 75


@requirement("SLJ-PRIO-008", "SLJ-PRIO-010")
@pytest.mark.parametrize(("partitions", "of_level"), [(4, 1), (10, 1), (20, 2)])
def test_higher_partitions_are_drained_earlier(sent, prefetched, wire, partitions, of_level):
    """Of a backlog of all levels that the client holds, a higher partition is empty earlier.

    Of twenty partitions two serve one level alike, and are looked at together.
    """
    settings = {**SWITCHED_ON, "consumerConfig": {"receiverQueueSize": 10_000}}
    backlog = shuffled(dict.fromkeys(LEVELS, 20))
    queue = sent(settings, partitions, backlog)
    partition_of = {message.payload.decode(): message.partition for message in wire.messages(queue)}
    consumer, messages = prefetched(settings, queue, 200)

    messages += receive_all(consumer, 200 - len(messages))

    assert checks.exactly_once(texts_by_priority(backlog), texts(messages)) == []
    emptied = {
        partition_of[text] // of_level: position for position, text in enumerate(texts(messages))
    }
    with judging("SLJ-PRIO-008"):
        assert emptied[max(emptied)] < emptied[min(emptied)]
    with judging("SLJ-PRIO-010"):
        assert sorted(emptied, key=emptied.__getitem__) == sorted(emptied, reverse=True)


@requirement("SLJ-PRIO-005", "SLJ-PRIO-008", "SLJ-PRIO-010")
@slow
def test_workload_of_waiting_priorities_is_put_in_order(workload):
    """Of 1,000 messages that wait, priorities come one after another, each in the order sent."""
    verdict = (
        workload("waiting-priorities", messages=1_000)
        .with_power(1_000, "D01")
        .with_power(900, "D08")
    )
    places = mean_positions(verdict.priorities)

    observe("mean positions", places)
    with judging("SLJ-PRIO-005"):
        assert places[8] < places[1] - noise(100)
        assert verdict.with_power(800, "D09").against("D01", "D08", "D09") == []
    with judging("SLJ-PRIO-008"):
        assert max(places[level] for level in range(5, 10)) < min(
            places[level] for level in range(5)
        )
    with judging("SLJ-PRIO-010"):
        assert sorted(places, key=places.__getitem__) == sorted(places, reverse=True)
