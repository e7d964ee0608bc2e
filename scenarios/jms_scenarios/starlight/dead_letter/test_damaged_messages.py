"""Damaged messages under an acknowledgement timeout: those refused come again, then are set aside.

The application that gets an exception in place of a message has nothing to acknowledge.
"""

from __future__ import annotations

import pytest

from jms_scenarios.poisoned import (
    PoisonListener,
    good_texts,
    receive_into,
    received_by,
    spread_among,
)
from touchstone.api import PARTS, eventually, judging, observe, requirement

PATIENCE = 5.0
"""Seconds without anything after which nothing more is expected."""
SET_ASIDE_WITHIN = 20.0
"""Seconds: some time-outs, and what the broker takes."""
GOOD = good_texts(12)
EACH = 2
"""Damaged messages of each kind."""


@pytest.fixture
def letters(wire, name):
    """The full name of a fresh dead letter topic."""
    return wire.topic(name("letters"))


@pytest.fixture
def set_aside(admin, letters):
    """`set_aside()`: how many messages the dead letter topic was sent."""
    return lambda: admin.stats(letters)["msgInCounter"] if admin.exists(letters) else 0


@pytest.fixture
def session(jms, letters):
    """A session whose consumers redeliver once, after half a second, and then set aside."""
    policy = {"maxRedeliverCount": 1, "deadLetterTopic": letters}
    config = {"ackTimeoutMillis": 500, "deadLetterPolicy": policy}
    return jms.connection({"consumerConfig": config}).create_session()


@pytest.fixture
def send(at_hand, queues):
    """`send(destination)`: good messages, and between them some of each damage; how many those."""

    def send(destination):
        kinds = [kind for part in PARTS for kind in queues.poisons(part)]
        poisons = at_hand.poisons(kinds, EACH)
        return len(at_hand.send_poisoned(destination, spread_among(poisons, GOOD)))

    return send


@pytest.fixture(params=["queue", "partitioned queue", "shared subscription"])
def place(request, jms, session, admin, name):
    """A destination, a consumer of it, and the name of the subscription at the broker."""
    if request.param == "shared subscription":
        topic, label = jms.topic(name("poison")), name("shared")
        return topic, session.create_shared_durable_consumer(topic, label), label
    queue = jms.queue(name("poison"))
    if request.param == "partitioned queue":
        admin.create_topic(queue, partitions=3)
    return queue, session.create_consumer(queue), "jms-queue"


@requirement("SLJ-DLQ-005", "SLJ-DLQ-006", "SLJ-DLQ-007", "SLJ-DLQ-008", "SLJ-REDL-005")
def test_refused_messages_are_set_aside(place, send, admin, set_aside):
    """Each message that receive() refuses comes again, and is then a dead letter; good ones come.

    It does so on queues, partitioned ones and shared subscriptions.
    """
    destination, consumer, subscription = place
    sent = send(destination)
    seen = received_by([consumer], GOOD, PATIENCE)

    def all_set_aside():
        receive_into(seen, consumer, 50)
        return set_aside() >= sent - seen.shown

    with judging("SLJ-DLQ-005", "SLJ-DLQ-008"):
        eventually(all_set_aside, SET_ASIDE_WITHIN)
        assert set_aside() == sent - seen.shown
    observe("refused and set aside of damaged messages", f"{sent - seen.shown} of {sent}")
    with judging("SLJ-REDL-005"):
        assert len(seen.refusals) >= 2 * (sent - seen.shown)
    with judging("SLJ-DLQ-006"):
        assert seen.lost(GOOD) == seen.repeated() == ""
    with judging("SLJ-DLQ-007"):
        eventually(lambda: admin.backlog(destination, subscription) == 0)


@requirement("SLJ-DLQ-005", "SLJ-DLQ-006", "SLJ-DLQ-007", "SLJ-DLQ-008")
def test_messages_that_no_listener_can_be_given_are_set_aside(
    jms, session, send, queue, admin, set_aside
):
    """Those that the session cannot hand over become dead letters, while it hands over the rest."""
    listener = PoisonListener()
    session.create_consumer(queue).message_listener = listener
    sent = send(queue)
    listener.ends(PATIENCE)
    seen = listener.seen

    with judging("SLJ-DLQ-005", "SLJ-DLQ-008"):
        eventually(lambda: set_aside() >= sent - seen.shown, SET_ASIDE_WITHIN)
        assert set_aside() == sent - seen.shown
    with judging("SLJ-DLQ-006"):
        assert seen.lost(GOOD) == seen.repeated() == seen.disordered(GOOD) == ""
    with judging("SLJ-DLQ-007"):
        eventually(lambda: admin.backlog(queue) == 0)
