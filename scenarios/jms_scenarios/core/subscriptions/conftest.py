"""What scenarios of subscriptions share: connections, names, and what the broker has."""

from __future__ import annotations

import pytest

from jms_scenarios.core.opening import X1
from jms_scenarios.selecting import send_with
from touchstone.api import eventually, nothing_before, prefers


@pytest.fixture
@prefers("shared-selectors")
def shared_selectors(at_hand):
    """Shared subscriptions have selectors, where that is a setting."""


@pytest.fixture
def label(name):
    """The name of a subscription."""
    return name("s")


@pytest.fixture
def session(connection):
    return connection.create_session()


@pytest.fixture
def gets_no_more(jms, topic):
    """`gets_no_more(consumer)`: next comes to it what is sent now, with x = 1 unless told."""

    def gets_no_more(opened, properties=X1):
        marker = {**properties, "marker": True}
        nothing_before(
            opened,
            lambda: send_with(jms.connected, topic, [marker]),
            lambda message: message.property_exists("marker"),
        )

    return gets_no_more


@pytest.fixture
def broker_subscriptions(queues, topic):
    """`broker_subscriptions()`: the subscriptions at the broker; None where it cannot tell.

    What asks for them is skipped then: what consumers get shows it as well.
    """
    return lambda: queues.subscriptions(topic)


@pytest.fixture
def expect_backlogs(broker_subscriptions):
    """`expect_backlogs(0, 3)`: the broker gets to have two subscriptions, of 0 and 3 messages."""

    def expect_backlogs(*expected):
        def as_expected():
            subscriptions = broker_subscriptions()
            return subscriptions is None or sorted(
                each.pending for each in subscriptions
            ) == sorted(expected)

        eventually(as_expected, within=5.0)

    return expect_backlogs


@pytest.fixture
def expect_unshared(broker_subscriptions):
    """`expect_unshared(2)`: the broker has two subscriptions, none of them with two consumers."""

    def expect_unshared(count):
        if (subscriptions := broker_subscriptions()) is not None:
            assert len(subscriptions) == count
            assert max(each.consumers for each in subscriptions) <= 1

    return expect_unshared
