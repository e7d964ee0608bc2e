"""Configuration: how many messages a browser reads, and where that limit comes from."""

import pytest

from jms_scenarios.traffic import numbered, texts
from touchstone.api import requirement, until

LIMIT = "queueBrowserReadMax"
PROPERTY = "rabbit.jms.queueBrowserReadMax"


@pytest.fixture
def listed(queue, queues):
    """`listed(connection, 10)`: the texts that a browser of `queue`, with 10 messages, lists."""

    def listed(connection, count, selector=None):
        until(lambda: queues.ready(queue) == count)  # who browsed before may still give back
        connection.start()
        with connection.create_session() as session:
            return texts(session.create_browser(queue, selector).enumeration)

    return listed


@requirement("RMQ-CFG-001")
def test_each_connection_has_its_own_limit(jms, filled, listed):
    """Browsers of two connections, one limited to 2 and one to 5, list 2 and 5 messages."""
    sent = filled(10)
    few, more = (jms.connection({LIMIT: limit}) for limit in (2, 5))

    assert listed(few, 10) == sent[:2]
    assert listed(more, 10) == sent[:5]


@requirement("RMQ-CFG-002")
def test_limit_is_set_on_the_factory(jms, filled, listed):
    """After the factory's limit was set to 3, a browser of a new connection lists 3 messages."""
    sent = filled(10)
    factory = jms.factory()

    factory.change(LIMIT, 3)

    assert factory.setting(LIMIT) == 3
    assert listed(factory.create_connection(), 10) == sent[:3]


@requirement("RMQ-CFG-003")
def test_limit_holds_for_all_later_connections(jms, filled, listed):
    """Two connections made after the limit was set have it both."""
    sent = filled(10)
    factory = jms.factory()
    factory.change(LIMIT, 3)
    connections = [factory.create_connection(), factory.create_connection()]

    assert [listed(each, 10) for each in connections] == [sent[:3], sent[:3]]


@requirement("RMQ-CFG-004")
def test_changed_limit_leaves_existing_connections_alone(jms, filled, listed):
    """A connection keeps the limit with which it was made, and later ones have the new limit."""
    sent = filled(10)
    factory = jms.factory()
    factory.change(LIMIT, 3)
    before = factory.create_connection()
    factory.change(LIMIT, 5)
    after = factory.create_connection()

    assert listed(before, 10) == sent[:3]
    assert listed(after, 10) == sent[:5]


@requirement("RMQ-CFG-005")
@pytest.mark.parametrize(("limit", "read"), [(1, 1), (4, 4), (10, 10), (25, 10)])
def test_positive_limit_ends_the_browser(jms, filled, listed, limit, read):
    """So many messages are read, the first ones, and all where there are fewer."""
    sent = filled(10)

    assert listed(jms.connection({LIMIT: limit}), 10) == sent[:read]


@requirement("RMQ-CFG-006")
def test_limit_counts_what_the_selector_drops(jms, queue, queues, listed):
    """Of ten messages of which 4, 6 and 8 match, a browser that reads five lists number 4 only."""
    session = jms.session()
    with session.create_producer(queue) as producer:
        for number, text in enumerate(numbered(10), start=1):
            message = session.create_text_message(text)
            message.set_int_property("x", 1 if number in (4, 6, 8) else 0)
            producer.send(message)

    assert listed(jms.connection({LIMIT: 5}), 10, "x = 1") == ["message-4"]
    assert listed(jms.connected, 10, "x = 1") == ["message-4", "message-6", "message-8"]


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(0, marks=requirement("RMQ-CFG-007"), id="zero"),
        pytest.param(-1, marks=requirement("RMQ-CFG-008"), id="negative"),
    ],
)
def test_limit_that_is_none(jms, filled, listed, limit):
    """A browser with a limit of zero, or a negative one, lists all of 50 messages."""
    sent = filled(50)

    assert listed(jms.connection({LIMIT: limit}), 50) == sent


@requirement("RMQ-CFG-009")
def test_property_of_the_process_is_the_initial_limit(jms, filled, listed):
    """A factory made while the property says 3 has the limit 3, and a browser lists 3 messages."""
    sent = filled(10)
    with jms.process_property(PROPERTY, "3"):
        factory = jms.factory()
        initial = factory.setting(LIMIT)

    assert initial == 3
    assert listed(factory.create_connection(), 10) == sent[:3]


@requirement("RMQ-CFG-010")
def test_without_the_property_there_is_no_limit(jms, filled, listed):
    """A factory made while the property is absent has the limit 0, and browsers list all."""
    sent = filled(50)
    with jms.process_property(PROPERTY, None):
        factory = jms.factory()

    assert factory.setting(LIMIT) == 0
    assert listed(factory.create_connection(), 50) == sent


@requirement("RMQ-CFG-011")
@pytest.mark.parametrize("value", ["ten", "3.5", "", " 3"])
def test_property_that_is_no_integer_is_no_limit(jms, value):
    """A factory made while the property is no integer has the limit 0, without an error."""
    with jms.process_property(PROPERTY, value):
        factory = jms.factory()
        limit = factory.setting(LIMIT)

    assert limit == 0


@requirement("RMQ-CFG-012")
@pytest.mark.parametrize("value", [None, "7"], ids=["alone", "against the property"])
def test_factory_from_a_directory_keeps_its_limit(jms, filled, listed, value):
    """A factory with limit 3 that was bound and looked up has it still, whatever the property."""
    sent = filled(10)
    with jms.process_property(PROPERTY, value):
        factory = jms.looked_up_factory({LIMIT: 3})

    assert factory.setting(LIMIT) == 3
    assert listed(factory.create_connection(), 10) == sent[:3]
