"""Priority: how it travels, which partition it chooses, and what others see of it.

The documents name the parameter jms.priorityMapping and no switch. Where the client has one, as
here, statements on the mapping and on the order presuppose that priorities are switched on; the
statement that priorities have no influence is judged with the switch on and off.
"""

import pytest

from jms_scenarios.starlight.priority.levels import (
    FEW_BATCHES,
    LEVELS,
    LINEAR,
    NON_LINEAR,
    SWITCHED_ON,
    mean_positions,
    priorities,
    shuffled,
)
from jms_scenarios.traffic import priority_in, send_by_priority, take, texts, texts_by_priority
from jmsapi import JMSException, JMSRuntimeException
from touchstone.api import (
    eventually,
    judging,
    observe,
    portable,
    receive,
    receive_all,
    refuses,
    requirement,
)

# ---- the header ----


@requirement("SLJ-PRIO-001")
def test_priority_is_a_raw_property(jms, queue, topic, wire):
    """A priority travels as a raw property JMSPriority with its digit, however it is given.

    Other sends with the same producer have their own.
    """
    levels = [9, 0, 1, 2, 3, 5, 6, 7, 8]
    for destination in (queue, topic):
        producer, context = jms.producer(destination), jms.context()
        producer.priority = 7
        producer.send(jms.text("set"))
        for level in levels:
            producer.send(jms.text(f"sent-{level}"), priority=level)
        producer.send(jms.text("set"))
        of_context = context.create_producer()
        for level in levels:
            of_context.set_priority(level).send(destination, f"context-{level}")

        raw = [message.properties.get("JMSPriority") for message in wire.messages(destination)]
        assert raw == ["7", *map(str, levels), "7", *map(str, levels)]


def by_the_call(jms, destination):
    """A priority that the producer has counts for nothing."""
    producer = jms.producer(destination)
    producer.priority = 7
    producer.send(jms.text(), priority=4)


def by_the_producer(jms, destination):
    """A priority that the message has counts for nothing."""
    message = jms.text()
    message.jms_priority = 7
    jms.producer(destination).send(message)


def by_a_context(jms, destination):
    """The producer had another priority before."""
    producer = jms.context().create_producer().set_priority(7).set_priority(4)
    producer.send(destination, "hello")


@requirement("SLJ-PRIO-002")
def test_default_priority_is_no_raw_property(jms, name, wire):
    """Priority 4 leaves no raw property JMSPriority, however it came about; the receiver sees 4."""
    for given in (by_the_call, by_the_producer, by_a_context):
        queue = jms.queue(name("queue"))
        given(jms, queue)

        assert "JMSPriority" not in wire.only_message(queue).properties
        received = receive(jms.consumer(queue))
        assert texts([received]) == ["hello"]
        assert received.jms_priority == 4


@portable
@requirement("SLJ-PRIO-003")
def test_receiver_sees_the_priority_of_the_sender(jms, queue, topic):
    """Messages sent with each priority are received with it, from a queue and from a topic."""
    for destination in (queue, topic):
        consumer = jms.context().create_consumer(destination)
        for priority in LEVELS:
            jms.producer(destination).send(jms.text(str(priority)), priority=priority)

        messages = receive_all(consumer, len(LEVELS))

        read = {message.get_body(str): message.jms_priority for message in messages}
        assert read == {str(priority): priority for priority in LEVELS}


@requirement("SLJ-PRIO-040")
def test_topic_without_partitions_keeps_the_header(sent, jms, wire):
    """On a topic without partitions both priorities are in it, and the receiver sees them."""
    queue = sent(SWITCHED_ON, 0, [0, 9])

    assert {m.payload: m.partition for m in wire.messages(queue)} == {b"0-0": -1, b"9-1": -1}
    session = jms.connection(SWITCHED_ON).create_session()
    messages = receive_all(session.create_consumer(queue), 2)
    assert {m.get_body(str): m.jms_priority for m in messages} == {"0-0": 0, "9-1": 9}


# ---- the setting ----


@requirement("SLJ-PRIO-014")
def test_mapping_is_linear_or_non_linear(jms, queue):
    """Connections with either mapping work; with another word there is none, nor a context."""
    for mapping in ("linear", "non-linear"):
        connection = jms.connection({**SWITCHED_ON, "jms.priorityMapping": mapping})
        session = connection.create_session()
        with session.create_producer(queue) as producer:
            producer.send(session.create_text_message(mapping))
        with session.create_consumer(queue) as consumer:
            assert texts([receive(consumer)]) == [mapping]

    for word in ("cubic", "nonlinear", "linear,non-linear"):
        settings = {**SWITCHED_ON, "jms.priorityMapping": word}
        for opened in (jms.connection, lambda settings: jms.context(settings=settings)):
            with refuses(JMSException, JMSRuntimeException):
                opened(settings)


@requirement("SLJ-PRIO-015")
def test_mapping_is_linear_unless_set(jms, name, admin, wire):
    """Without jms.priorityMapping each priority goes to the partition of its number.

    So it does in a queue and in a topic, whichever API sends, with a call or a setting.
    """
    session = jms.connection(SWITCHED_ON).create_session()
    context = jms.context(settings=SWITCHED_ON)
    for destination in (jms.queue(name("queue")), jms.topic(name("topic"))):
        admin.create_topic(destination, 10)
        producer = session.create_producer(destination)
        for level in LEVELS:
            message = session.create_text_message(f"{level}")
            producer.send(message, priority=level)
            producer.priority = level
            producer.send(message)
            context.create_producer().set_priority(level).send(destination, f"{level}")

        payloads = sorted((m.payload, m.partition) for m in wire.messages(destination))
        assert payloads == sorted((b"%d" % level, level) for level in LEVELS for _ in range(3))


@requirement("SLJ-PRIO-006")
def test_mapping_governs_the_partitions(jms, wire, admin, name):
    """Messages of priority 4 always go to the same partitions by one mapping, to others by two."""
    used = []
    for settings in (LINEAR, LINEAR, NON_LINEAR, NON_LINEAR):
        queue = jms.queue(name("queue"))
        admin.create_topic(queue, 20)
        session = jms.connection({**settings, **FEW_BATCHES}).create_session()
        send_by_priority(session, queue, [4] * 200)
        used.append({message.partition for message in wire.messages(queue)})

    linear, linear_again, non_linear, non_linear_again = used
    assert linear == linear_again
    assert non_linear == non_linear_again
    assert linear != non_linear


# ---- linear ----


@requirement("SLJ-PRIO-007")
def test_priority_chooses_the_partition(placed):
    """The partitions of priority 2 and those of priority 7 have none in common."""
    counts = placed(SWITCHED_ON, 10, shuffled({2: 100, 7: 100}))

    assert sum(counts[2].values()) == sum(counts[7].values()) == 100
    assert not set(counts[2]) & set(counts[7])


OF_TEN = {level: f"SLJ-PRIO-{17 + level:03}" for level in LEVELS}
"""Who says which partition of ten each level uses."""


@requirement("SLJ-PRIO-016", *OF_TEN.values(), "SLJ-PRIO-030")
def test_linear_gives_each_level_one_of_ten_partitions(placed):
    """Of ten partitions each level uses the one of its number, and no other."""
    counts = placed(LINEAR, 10, shuffled(dict.fromkeys(LEVELS, 20)))

    for level, requirement_id in OF_TEN.items():
        with judging(requirement_id):
            assert dict(counts[level]) == {level: 20}
    _assert_in_proportion(counts, 10)


@requirement("SLJ-PRIO-016", "SLJ-PRIO-027", "SLJ-PRIO-028", "SLJ-PRIO-029", "SLJ-PRIO-030")
def test_linear_gives_each_level_two_of_twenty_partitions(placed):
    """Of twenty partitions each level uses a pair: 0 and 1, then 2 and 3, and so on."""
    counts = placed(LINEAR, 20, shuffled(dict.fromkeys(LEVELS, 40)))

    with judging("SLJ-PRIO-027"):
        assert set(counts[0]) == {0, 1}
    with judging("SLJ-PRIO-028"):
        assert set(counts[1]) == {2, 3}
    with judging("SLJ-PRIO-029"):
        for level in range(2, 10):
            assert set(counts[level]) == {2 * level, 2 * level + 1}
    _assert_in_proportion(counts, 20)


def _assert_in_proportion(counts, partitions):
    with judging("SLJ-PRIO-016"):
        for level in LEVELS:
            of_level = range(level * partitions // 10, (level + 1) * partitions // 10)
            assert counts[level]
            assert set(counts[level]) <= set(of_level)
    with judging("SLJ-PRIO-030"):
        used = [partition for level in LEVELS for partition in counts[level]]
        assert sorted(used) == sorted(set(used))


@requirement("SLJ-PRIO-031")
def test_linear_leaves_the_partitions_of_unused_levels_idle(placed):
    """100 messages of priority 4 alone are all on partition 4 of ten."""
    counts = placed(LINEAR, 10, [4] * 100)

    assert dict(counts[4]) == {4: 100}


@requirement("SLJ-PRIO-009")
def test_partition_0_stands_for_the_highest_priority(placed, jms, queue):
    """Priority 9 is on partition 0 and priority 0 on partition 9; partition 0 is drained first."""
    lowest_then_highest = [0] * 20 + [9] * 20
    counts = placed(LINEAR, 10, lowest_then_highest)

    assert {priority: set(counts[priority]) for priority in (0, 9)} == {0: {9}, 9: {0}}
    session = jms.connection(LINEAR).create_session()
    consumer = session.create_consumer(queue)
    received = take(consumer, texts_by_priority(lowest_then_highest))
    positions = mean_positions(priorities(received))
    assert positions[9] < positions[0]


# ---- non-linear ----

SHARES = {
    4: (range(1), range(1, 3), range(3, 4)),
    8: (range(2), range(2, 6), range(6, 8)),
    20: (range(5), range(5, 15), range(15, 20)),
}
"""The partitions of the low, the default and the high class, by the number of partitions."""


def _assert_shares(counts, partitions):
    low, default, high = SHARES[partitions]
    with judging("SLJ-PRIO-034"):
        assert set(counts[0]) == set(low)
    with judging("SLJ-PRIO-035"):
        assert set(counts[4]) == set(default)
    with judging("SLJ-PRIO-036"):
        assert set(counts[9]) == set(high)


@requirement("SLJ-PRIO-034", "SLJ-PRIO-035", "SLJ-PRIO-036")
@pytest.mark.parametrize("partitions", [4, 8])
def test_non_linear_gives_a_quarter_a_half_and_a_quarter(placed, partitions):
    """A quarter of the partitions serves priority 0, half serves 4, the last quarter 9."""
    counts = placed(NON_LINEAR, partitions, shuffled({0: 200, 4: 200, 9: 200}))

    _assert_shares(counts, partitions)


@requirement(
    "SLJ-PRIO-032",
    *("SLJ-PRIO-034", "SLJ-PRIO-035", "SLJ-PRIO-036"),
    *("SLJ-PRIO-037", "SLJ-PRIO-038", "SLJ-PRIO-039"),
)
def test_non_linear_leans_to_the_default_level(placed):
    """Of twenty partitions priority 4 uses most, priority 9 those above and 0 those below."""
    counts = placed(NON_LINEAR, 20, shuffled({0: 500, 4: 500, 9: 500}))

    with judging("SLJ-PRIO-032"):
        assert set(counts[4]) - {8, 9}
    _assert_shares(counts, 20)
    with judging("SLJ-PRIO-037"):
        assert len(counts[4]) > max(len(counts[0]), len(counts[9]))
    with judging("SLJ-PRIO-038"):
        assert min(counts[9]) > max(counts[4])
    with judging("SLJ-PRIO-039"):
        assert max(counts[0]) < min(counts[4])


@requirement("SLJ-PRIO-033")
def test_non_linear_sorts_into_three_classes(placed):
    """The levels fall into three groups by their partitions, apart from each other, in order."""
    counts = placed(NON_LINEAR, 8, shuffled(dict.fromkeys(LEVELS, 50)))

    partitions = [frozenset(counts[level]) for level in LEVELS]
    classes = list(dict.fromkeys(partitions))
    observe("classes", {level: sorted(counts[level]) for level in LEVELS})
    assert len(classes) == 3
    assert partitions == sorted(partitions, key=min)
    assert sum(map(len, classes)) == len(frozenset.union(*classes))
    assert len({partitions[0], partitions[4], partitions[9]}) == 3


# ---- what others see ----


@requirement("SLJ-PRIO-011")
@pytest.mark.parametrize("mapping", ["linear", "non-linear"])
def test_producer_announces_its_mapping(jms, queue, topic, admin, mapping):
    """The metadata of each producer, as the administration shows them, name its mapping."""
    settings = {**SWITCHED_ON, "jms.priorityMapping": mapping}
    session = jms.connection(settings).create_session()
    context = jms.context(settings=settings)

    for destination in (queue, topic):
        session.create_producer(destination).send(session.create_text_message())
        context.create_producer().send(destination, "hello")

        for producer in (publishers := admin.stats(destination)["publishers"]):
            assert mapping in sorted(producer.get("metadata", {}).values())
        assert publishers


@requirement("SLJ-PRIO-012")
@pytest.mark.parametrize("mapping", ["linear", "non-linear"])
def test_consumer_announces_its_mapping(jms, queue, admin, mapping):
    """The metadata of a consumer, as the administration shows them, name its mapping."""
    settings = {**SWITCHED_ON, "jms.priorityMapping": mapping}
    session = jms.connection(settings).create_session()
    session.create_consumer(queue).receive_no_wait()

    (consumer,) = eventually(lambda: admin.stats(queue)["subscriptions"]["jms-queue"]["consumers"])
    assert mapping in sorted(consumer.get("metadata", {}).values())


@requirement("SLJ-PRIO-013")
def test_other_consumers_get_the_messages_too(sent, wire):
    """A native consumer, which knows nothing of priorities, receives a message of each level."""
    queue = sent(SWITCHED_ON, 10, LEVELS)

    received = wire.received(queue, "native", len(LEVELS))

    assert sorted(priority_in(message.payload) for message in received) == list(LEVELS)
