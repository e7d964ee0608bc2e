"""What scenarios of subscriptions share: connections, names, and what the broker has."""

from __future__ import annotations

import pytest

from jms_scenarios.core.opening import X1
from jms_scenarios.selecting import send_with
from touchstone.api import eventually, nothing_before


@pytest.fixture(autouse=True)
def prefer(at_hand):
    """Transactions, and selectors on shared subscriptions, where these are settings."""
    at_hand.prefer("transactions", "shared-selectors")


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
def known(queues, topic):
    """`known()`: the subscriptions at the broker; None where it cannot tell.

    That is then taken for granted: what consumers get shows it as well.
    """
    return lambda: queues.subscriptions(topic)


@pytest.fixture
def held(known):
    """`held(0, 3)`: the broker comes to have so many messages for each of so many subscriptions."""

    def held(*expected):
        def as_expected():
            found = known()
            return found is None or sorted(each.pending for each in found) == sorted(expected)

        eventually(as_expected, within=5.0)

    return held


@pytest.fixture
def unshared(known):
    """`unshared(2)`: the broker has so many subscriptions, none of them with two consumers."""

    def unshared(count):
        if (found := known()) is not None:
            assert len(found) == count
            assert max(each.consumers for each in found) <= 1

    return unshared
