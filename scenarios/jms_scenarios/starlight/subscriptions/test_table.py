"""The table of subscriptions: type, life and name for each kind of consumer, by each API."""

import re

import pytest

from jms_scenarios.core.domains import FOR_TOPICS
from jms_scenarios.starlight.subscribing import (
    consumer,
    durable_consumer,
    durable_subscriber,
    shared_consumer,
    shared_durable_consumer,
)
from touchstone.api import eventually, requirement, strategies

KEY_SHARED = {"jms.topicSharedSubscriptionType": "Key_Shared"}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def rows(requirements):
    """Cases of the mapping table: what opens the consumer, and the requirement on its row."""
    return pytest.mark.parametrize(
        "opened_by",
        [
            pytest.param(kind, marks=requirement(identifier), id=kind.__name__)
            for kind, identifier in requirements.items()
        ],
    )


@pytest.fixture
def types(openers, topic, admin):
    """`types(opened_by)`: the types of the subscriptions that each API opens."""

    def types(opened_by):
        for opener in openers.values():
            opened_by(opener, topic)
        subscriptions = admin.subscriptions(topic)
        assert len(subscriptions) == len(openers)
        return {subscription.type for subscription in subscriptions.values()}

    return types


@rows(
    {
        consumer: "SLJ-SUB-001",
        durable_consumer: "SLJ-SUB-004",
        durable_subscriber: "SLJ-SUB-013",
    }
)
def test_subscription_is_exclusive(types, opened_by):
    """The broker holds the subscriptions of all APIs as Exclusive."""
    assert types(opened_by) == {"Exclusive"}


@rows({shared_consumer: "SLJ-SUB-007", shared_durable_consumer: "SLJ-SUB-010"})
def test_subscription_is_shared(types, opened_by):
    """The broker holds the subscriptions of all APIs as Shared."""
    assert types(opened_by) == {"Shared"}


@rows(
    {
        durable_consumer: "SLJ-SUB-005",
        shared_durable_consumer: "SLJ-SUB-011",
        durable_subscriber: "SLJ-SUB-014",
    }
)
def test_durable_subscription_outlives_its_client(
    connection, client_id, openers, topic, admin, opened_by
):
    """The subscriptions are durable, and still there when consumers and client have gone."""
    of_all = {**openers, client_id: connection.create_session()}
    opened = [opened_by(opener, topic) for opener in of_all.values()]
    names = set(admin.subscriptions(topic))

    for each in opened[:-1]:
        each.close()
    connection.close()

    eventually(lambda: not any(each.consumers for each in admin.subscriptions(topic).values()))
    left = admin.subscriptions(topic)
    assert (set(left), len(left)) == (names, len(of_all))
    assert all(subscription.durable for subscription in left.values())


@rows({consumer: "SLJ-SUB-002", shared_consumer: "SLJ-SUB-008"})
def test_non_durable_subscription_goes_with_its_consumer(openers, topic, admin, opened_by):
    """Each API's subscription is there while its consumer is open, and gone after close.

    The second time it goes with the session or context.
    """
    for what_is_closed in (lambda opener, opened: opened, lambda opener, opened: opener):
        opened = {opener: opened_by(opener, topic) for opener in openers.values()}
        subscriptions = admin.subscriptions(topic)
        assert [each.consumers for each in subscriptions.values()] == [1] * len(openers)

        for opener, each in opened.items():
            what_is_closed(opener, each).close()

        eventually(lambda: admin.subscriptions(topic) == {})


@rows({consumer: "SLJ-SUB-002", shared_consumer: "SLJ-SUB-008"})
def test_broker_holds_the_subscription_as_non_durable(connection, topic, admin, opened_by):
    """The broker knows the subscription as non-durable, so that it goes with a crash as well."""
    opened_by(connection.create_session(), topic)

    assert admin.only_subscription(topic).durable is False


@requirement("SLJ-SUB-003")
def test_simple_topic_consumers_subscribe_under_random_uuids(jms, topic, admin):
    """Each unnamed topic consumer of each API has a subscription of its own, named by a UUID."""
    openers = [open_(jms).made for open_ in FOR_TOPICS.values()]

    for opener in openers * 2:
        consumer(opener, topic)

    names = set(admin.subscriptions(topic))
    assert len(names) == 2 * len(openers)
    assert all(UUID.fullmatch(name.lower()) for name in names)


@rows(
    {
        durable_consumer: "SLJ-SUB-006",
        shared_consumer: "SLJ-SUB-009",
        shared_durable_consumer: "SLJ-SUB-012",
        durable_subscriber: "SLJ-SUB-015",
    }
)
def test_subscription_name_is_made_of_client_id_and_name(openers, topic, admin, opened_by):
    """The broker knows each subscription as clientId, underscore and name, whatever the name."""
    expected = {
        f"{client_id}_{given}": (opener, given)
        for client_id, opener in openers.items()
        for given in strategies.names(f"{client_id}_", client_id)
    }

    for opener, given in expected.values():
        opened_by(opener, topic, given)

    assert set(admin.subscriptions(topic)) == set(expected)


@rows({shared_consumer: "SLJ-SUB-021", shared_durable_consumer: "SLJ-SUB-022"})
def test_shared_subscription_type_is_configurable(jms, topic, admin, opened_by):
    """jms.topicSharedSubscriptionType=Key_Shared makes the subscription Key_Shared, by each API."""
    opened_by(jms.connection(KEY_SHARED).create_session(), topic, "s1")
    opened_by(jms.context(settings=KEY_SHARED), topic, "s2")

    subscriptions = admin.subscriptions(topic)
    assert {name: each.type for name, each in subscriptions.items()} == dict.fromkeys(
        ("s1", "s2"), "Key_Shared"
    )
