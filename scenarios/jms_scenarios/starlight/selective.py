"""Consumers with a selector, of each kind, and what they have to receive."""

from jms_scenarios.selecting import send_with
from jms_scenarios.traffic import texts
from touchstone.api import receive_all

X1, X2 = {"x": 1}, {"x": 2}
QUICK = {"consumerConfig": {"negativeAckRedeliveryDelayMicros": 50_000, "receiverQueueSize": 1}}
"""Rejected messages come again soon, and no consumer fetches all of them ahead."""


def consumer(opener, destination, selector):
    return opener.create_consumer(destination, selector)


def durable_consumer(opener, destination, selector):
    return opener.create_durable_consumer(destination, "s1", selector)


def durable_subscriber(opener, destination, selector):
    return opener.create_durable_subscriber(destination, "s1", selector)


def shared_consumer(opener, destination, selector):
    return opener.create_shared_consumer(destination, "s1", selector)


def shared_durable_consumer(opener, destination, selector):
    return opener.create_shared_durable_consumer(destination, "s1", selector)


def check_selected(consumer, connection, destination, within=20):
    """Of x=1, x=2, x=1 exactly the two x=1 come; a last x=1 shows that nothing else does."""
    sent = send_with(connection, destination, [X1, X2, X1, X1])

    assert texts(receive_all(consumer, 3, within)) == [sent[0], sent[2], sent[3]]
