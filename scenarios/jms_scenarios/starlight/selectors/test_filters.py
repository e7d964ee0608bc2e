"""Message selectors on a broker that filters: what it keeps back, and that nothing else changes."""

import pytest

from jms_scenarios.selecting import send_with
from jms_scenarios.starlight.selective import (
    QUICK,
    X1,
    X2,
    check_selected,
    consumer,
    durable_consumer,
)
from jms_scenarios.traffic import texts
from touchstone.api import broker, eventually, observe, permissive, receive, requirement

AT_HAND = 100
"""Milliseconds without a message after which the broker is asked whether there are more."""
FILTERED = {"jms.useServerSideFiltering": "true"}


def delivery_count(message):
    return message.get_int_property("JMSXDeliveryCount")


def until_text(consumer, last):
    """The texts that come, up to the one that is `last`."""
    received = texts([receive(consumer)])
    while received[-1] != last:
        received += texts([receive(consumer)])
    return received


@requirement("SLJ-SEL-008")
@broker("filters")
@pytest.mark.parametrize("kind", ["queue", "topic"])
def test_broker_keeps_back_what_does_not_match(jms, destination, admin, name, kind):
    """Of ten messages with x=2 and one with x=1 one alone is received, and the ten stay."""
    connection = jms.connection(FILTERED, client_id=name("c1"))
    opened_by = consumer if kind == "queue" else durable_consumer
    selecting = opened_by(connection.create_session(), destination, "x = 1")
    selecting.receive_no_wait()

    *_, last = send_with(jms.connected, destination, [X2] * 10 + [X1])

    assert texts([receive(selecting)]) == [last]
    kept = 10 if kind == "queue" else 0
    eventually(lambda: admin.only_subscription(destination).backlog == kept)
    observe("left a broker that filters", admin.only_subscription(destination).msg_out_counter)


@requirement("SLJ-SEL-008")
@permissive
@broker("filters")
def test_batch_that_matches_in_part(jms, queue, wire):
    """Of a batch the consumer receives what matches; the rest may count as delivered already."""
    connection = jms.connection({**FILTERED, **QUICK})
    selecting = connection.create_session().create_consumer(queue, "colour = 'red'")
    selecting.receive_no_wait()

    wire.send_batch(queue, (b"1", {"colour": "red"}), (b"2", {"colour": "blue"}))
    received = [receive(selecting)]
    other = jms.consumer(queue)

    def not_selected():
        received.extend(filter(None, [selecting.receive_no_wait()]))
        message = other.receive_no_wait()
        return message if message and message.get_body(bytes) == b"2" else None

    rest = eventually(not_selected)
    other.close()
    wire.send(queue, b"3", {"colour": "red"})
    # With what is given back its batch may come again: how often a message comes is not judged.
    while received[-1].get_body(bytes) != b"3":
        received.append(receive(selecting))
    assert {message.get_body(bytes) for message in received} == {b"1", b"3"}
    observe("deliveries of the message that did not match", delivery_count(rest))


@requirement("SLJ-SEL-001")
@broker("filters")
@pytest.mark.parametrize(
    ("kind", "selector"),
    [
        pytest.param("queue", "x = 1", id="queue"),
        pytest.param("topic", "x = 1", id="topic"),
        pytest.param("topic", "x = 1 AND JMSMessageID LIKE 'ID:%'", id="message-id"),
    ],
)
def test_selection_is_the_same_where_the_broker_filters(jms, destination, name, kind, selector):
    """Whatever the broker may make of a selector, its consumer receives what it selects."""
    connection = jms.connection({**FILTERED, **QUICK}, client_id=name("c1"))
    opened_by = consumer if kind == "queue" else durable_consumer
    selecting = opened_by(connection.create_session(), destination, selector)

    check_selected(selecting, jms.connected, destination, within=10)


@requirement("SLJ-SEL-001")
@broker("filters")
def test_arithmetic_is_the_same_where_the_broker_filters(jms, topic, name):
    """Whether a quotient has a fraction does not depend on who evaluates the selector."""
    by_client, by_both = (
        durable_consumer(
            jms.connection(settings, client_id=name("c1")).create_session(),
            topic,
            "x = 3 / 2 OR x = 9",
        )
        for settings in ({}, FILTERED)
    )

    first, second, _, last = send_with(jms.connected, topic, [X1, {"x": 1.5}, X2, {"x": 9}])

    selected = until_text(by_client, last)
    assert selected in ([first, last], [second, last])
    assert until_text(by_both, last) == selected


@requirement("SLJ-SEL-001")
@broker("filters")
@pytest.mark.parametrize("partitions", [0, 2])
def test_selection_from_a_batch_is_the_same_where_the_broker_filters(
    jms, topic, wire, admin, name, partitions
):
    """Of a batch that matches in part the consumer receives what matches, by partitions too."""
    admin.create_topic(topic, partitions)
    connection = jms.connection({**FILTERED, **QUICK}, client_id=name("c1"))
    selecting = durable_consumer(connection.create_session(), topic, "n = 2")

    batch = [(str(place).encode(), n) for place, n in enumerate((1, 2, 3, 2, 5))]
    wire.send_batch(topic, *((body, {"n": str(n), "n_jsmtype": "int"}) for body, n in batch))
    wire.send(topic, b"last", {"n": "2", "n_jsmtype": "int"})

    received = []

    def nothing_left():
        """Whether the broker waits for nothing: another partition may come after the last one."""
        while (message := selecting.receive(AT_HAND)) is not None:
            received.append(message.get_body(bytes))
        return admin.only_subscription(topic).backlog == 0

    eventually(nothing_left)
    assert sorted(set(received)) == [b"1", b"3", b"last"]
