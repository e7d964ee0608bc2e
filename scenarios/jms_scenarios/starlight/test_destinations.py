"""Destinations: queues and topics are Pulsar topics, and names say which."""

from itertools import chain, cycle

import pytest

from jms_scenarios.core.domains import FOR_QUEUES
from jms_scenarios.traffic import numbered, send, shared_out, texts
from touchstone.api import (
    checks,
    content_of,
    eventually,
    receive,
    receive_all,
    requirement,
    strategies,
)

QUEUE_SUBSCRIPTION = "jms-queue"
NAMES = [name for name in strategies.names("queue", "multi", "persistent") if ":" not in name]
"""Names of every look in which nothing separates a subscription."""


def in_namespace(jms, namespace):
    """A session whose unqualified names live in `namespace`, None: where the client puts them."""
    return jms.connection({"jms.systemNamespace": namespace}).create_session()


def create_queue(session, name):
    return session.create_queue(name)


def create_topic(session, name):
    return session.create_topic(name)


queue_or_topic = pytest.mark.parametrize("create", [create_queue, create_topic])


@requirement("SLJ-DEST-001")
def test_queue_is_the_pulsar_topic_of_its_name(jms, admin):
    """A queue that was written and read is one Pulsar topic and nothing else."""
    namespace = admin.namespace()
    connection = jms.connection({"jms.systemNamespace": namespace})
    session = connection.create_session()
    queue = session.create_queue("q1")

    send(connection, queue, ["hello"])

    assert texts([receive(session.create_consumer(queue))]) == ["hello"]
    assert admin.topics(namespace) == [f"persistent://{namespace}/q1"]


@requirement("SLJ-DEST-002")
@queue_or_topic
def test_one_topic_is_queue_or_topic_by_the_api_that_opens_it(jms, name, create):
    """A queue consumer and a topic consumer of one name each get every message sent to it."""
    shared = name("d1")
    session = jms.session()
    as_queue = session.create_consumer(session.create_queue(shared))
    as_topic = session.create_consumer(session.create_topic(shared))

    sent = send(jms.connected, create(session, shared), numbered(10))

    for consumer in (as_queue, as_topic):
        assert checks.exactly_once(sent, texts(receive_all(consumer, 10))) == []


@requirement("SLJ-DEST-003")
def test_queue_and_topic_access_to_one_name_may_be_mixed(jms, name, other_process):
    """Consumers of one name as queue and as topic, in two processes, are open at once and work."""
    mixed = name("d1")
    sessions = [jms.session(), other_process.session()]
    as_queue = [session.create_consumer(session.create_queue(mixed)) for session in sessions]
    as_topic = [session.create_consumer(session.create_topic(mixed)) for session in sessions]

    sent = send(jms.connected, jms.queue(mixed), ["hello"])

    for consumer in as_topic:
        assert texts([receive(consumer)]) == sent
    assert list(chain(*shared_out(as_queue, 1))) == sent


@requirement("SLJ-DEST-004")
def test_topic_is_a_persistent_pulsar_topic(jms, admin):
    """Sending to a JMS topic, by either API, makes the persistent Pulsar topic of that name."""
    namespace = admin.namespace()
    session = in_namespace(jms, namespace)
    context = jms.context(settings={"jms.systemNamespace": namespace})

    for given in NAMES:
        session.create_producer(session.create_topic(given)).send(session.create_message())
        context.create_producer().send(context.create_topic(f"{given}-2"), "hello")

    both = [text for given in NAMES for text in (given, f"{given}-2")]
    assert admin.topics(namespace) == sorted(f"persistent://{namespace}/{text}" for text in both)


@requirement("SLJ-DEST-005")
def test_queue_is_a_persistent_pulsar_topic(jms, admin):
    """Sending to a JMS queue, by either API, makes the persistent Pulsar topic of that name."""
    namespace = admin.namespace()
    session = in_namespace(jms, namespace)
    context = jms.context(settings={"jms.systemNamespace": namespace})

    for given in NAMES:
        session.create_producer(session.create_queue(given)).send(session.create_message())
        context.create_producer().send(context.create_queue(f"{given}-2"), "hello")

    both = [text for given in NAMES for text in (given, f"{given}-2")]
    assert admin.topics(namespace) == sorted(f"persistent://{namespace}/{text}" for text in both)


@requirement("SLJ-DEST-006")
def test_every_message_of_a_queue_goes_to_one_consumer(jms, queue, admin):
    """What three producers send by turns, three consumers receive, each message once."""
    consumers = [jms.connection().create_session().create_consumer(queue) for _ in range(3)]
    producers = [jms.connection().create_session().create_producer(queue) for _ in range(3)]

    sent = numbered(300)
    for producer, text in zip(cycle(producers), sent):
        producer.send(jms.text(text))

    received = chain(*shared_out(consumers, len(sent)))
    assert checks.exactly_once(sent, received) == []
    eventually(lambda: admin.backlog(queue) == 0)


@requirement("SLJ-DEST-007")
def test_first_queue_consumer_brings_the_subscription(jms, name, wire, admin):
    """A queue has no subscription until the first consumer of any API, then one: jms-queue."""
    for open_ in FOR_QUEUES.values():
        queue = jms.queue(name("queue"))
        wire.send(queue, b"before any consumer")
        assert admin.subscriptions(queue) == {}

        open_(jms, client_id=name("client")).receiver(queue)

        assert list(admin.subscriptions(queue)) == [QUEUE_SUBSCRIPTION]


@requirement("SLJ-DEST-008")
def test_queue_starts_at_the_earliest_message(jms, name, wire):
    """The first JMS consumer of a queue, by any API, gets what another client published before."""
    for open_ in FOR_QUEUES.values():
        queue = jms.queue(name("queue"))
        published = [wire.send(queue, text).payload for text in (b"", b"1", b"2", b"3", b"4")]

        received = receive_all(open_(jms).receiver(queue), 5)

        contents = [content_of(message) for message in received]
        assert checks.exactly_once(published, contents) == []


@requirement("SLJ-DEST-009")
def test_queue_subscription_is_shared(jms, name, admin):
    """The subscription of a queue with an open consumer, of any API, is of type Shared."""
    for open_ in FOR_QUEUES.values():
        queue = jms.queue(name("queue"))
        consumer = open_(jms).receiver(queue)
        consumer.receive_no_wait()

        eventually(lambda to=queue: admin.subscription(to, QUEUE_SUBSCRIPTION).consumers == 1)
        assert admin.subscription(queue, QUEUE_SUBSCRIPTION).type == "Shared"


@requirement("SLJ-DEST-010")
def test_queue_subscription_is_durable(jms, queue, admin):
    """What is sent to a queue while no client is connected waits for the next consumer."""
    with jms.connection() as connection:
        connection.create_session().create_consumer(queue).receive_no_wait()
        durable_while_open = admin.subscription(queue, QUEUE_SUBSCRIPTION).durable
    jms.connected.close()
    durable_while_closed = admin.subscription(queue, QUEUE_SUBSCRIPTION).durable

    with jms.connection() as sender:
        sent = send(sender, queue, numbered(3))
    consumer = jms.connection().create_session().create_consumer(queue)

    assert checks.exactly_once(sent, texts(receive_all(consumer, 3))) == []
    assert durable_while_open
    assert durable_while_closed
    assert admin.subscription(queue, QUEUE_SUBSCRIPTION).durable


@requirement("SLJ-DEST-011")
def test_consumers_of_all_connections_share_one_subscription(jms, name, queue, admin):
    """Consumers of all APIs, with client identifiers or without, are of one subscription."""
    for open_ in FOR_QUEUES.values():
        for client_id in (None, name("client")):
            open_(jms, client_id=client_id).receiver(queue).receive_no_wait()

    eventually(lambda: [s.consumers for s in admin.subscriptions(queue).values()] == [6])


@requirement("SLJ-DEST-012")
def test_queue_subscription_name_is_configurable(jms, name, admin):
    """jms.queueSubscriptionName, whatever it is, names queues' subscriptions, also a context's."""
    for given in ("work", *strategies.NAMES):
        session = jms.connection({"jms.queueSubscriptionName": given}).create_session()
        queue = session.create_queue(name("queue"))

        session.create_consumer(queue)

        assert list(admin.subscriptions(queue)) == [given]
    context = jms.context(settings={"jms.queueSubscriptionName": "work"})
    context.client_id = name("client")
    context.create_consumer(other := context.create_queue(name("queue")))
    assert list(admin.subscriptions(other)) == ["work"]


@requirement("SLJ-DEST-013")
def test_clients_with_different_subscription_names_each_get_every_message(jms, queue):
    """Consumers that disagree on jms.queueSubscriptionName do not share the queue."""
    here = jms.consumer(queue)
    elsewhere = jms.connection({"jms.queueSubscriptionName": "work"})
    there = elsewhere.create_session().create_consumer(queue)

    sent = send(jms.connected, queue, numbered(10))

    for consumer in (here, there):
        assert checks.exactly_once(sent, texts(receive_all(consumer, 10))) == []


@requirement("SLJ-DEST-014")
def test_queue_name_picks_its_subscription(jms, name, admin):
    """The text after the colon of a queue's name, whatever it is, is its subscription."""
    pulsar_queue = name("pulsarQueue")

    for number, given in enumerate(("subscriptionName", *NAMES)):
        opener = jms.context() if number % 2 else jms.session()
        opener.create_consumer(opener.create_queue(f"{pulsar_queue}:{given}"))

    assert set(admin.subscriptions(pulsar_queue)) == {"subscriptionName", *NAMES}


@requirement("SLJ-DEST-015")
def test_text_before_the_colon_is_the_topic(jms, name, wire, admin):
    """A queue named topic:subscription is the topic, in public/default, without the suffix."""
    pulsar_queue = name("pulsarQueue")
    session = in_namespace(jms, None)
    queue = session.create_queue(f"{pulsar_queue}:subscriptionName")

    session.create_producer(queue).send(session.create_text_message("to the topic"))

    expected = f"persistent://public/default/{pulsar_queue}"
    assert [t for t in admin.topics("public/default") if pulsar_queue in t] == [expected]
    assert wire.only_message(expected).payload == b"to the topic"


@requirement("SLJ-DEST-016")
def test_subscription_in_the_queue_name_wins(jms, name, admin):
    """A subscription in the queue's name goes before the configured one."""
    pq = name("pq")
    session = jms.connection({"jms.queueSubscriptionName": "work"}).create_session()

    session.create_consumer(session.create_queue(f"{pq}:special"))

    assert list(admin.subscriptions(pq)) == ["special"]


@requirement("SLJ-DEST-017")
@queue_or_topic
def test_unqualified_names_live_in_the_system_namespace(jms, admin, wire, create):
    """jms.systemNamespace is the tenant and namespace of names without one."""
    namespace = admin.namespace()
    session = in_namespace(jms, namespace)

    session.create_producer(create(session, "q3")).send(session.create_text_message("here"))

    assert admin.topics(namespace) == [f"persistent://{namespace}/q3"]
    assert wire.only_message(f"persistent://{namespace}/q3").payload == b"here"


@requirement("SLJ-DEST-018")
@queue_or_topic
def test_system_namespace_is_public_default(jms, name, wire, create):
    """Without jms.systemNamespace a name without namespace lives in public/default."""
    t3 = name("t3")
    session = in_namespace(jms, None)

    session.create_producer(create(session, t3)).send(session.create_text_message("here"))

    assert wire.only_message(f"persistent://public/default/{t3}").payload == b"here"


@requirement("SLJ-DEST-019")
def test_qualified_queue_name_with_subscription_is_exactly_that_topic(jms, admin, wire):
    """A full name wins over jms.systemNamespace, and its suffix is no part of the topic."""
    system_namespace, namespace = admin.namespace(), admin.namespace()
    pulsar_queue = f"persistent://{namespace}/pulsarQueue"
    session = in_namespace(jms, system_namespace)
    queue = session.create_queue(f"{pulsar_queue}:subscriptionName")

    session.create_producer(queue).send(session.create_text_message("exactly there"))

    assert admin.topics(namespace) == [pulsar_queue]
    assert admin.topics(system_namespace) == []
    assert wire.only_message(pulsar_queue).payload == b"exactly there"


@requirement("SLJ-DEST-020")
def test_qualified_queue_name_picks_its_subscription(jms, admin):
    """The text after the last colon of a full queue name, whatever it is, is its subscription."""
    pulsar_queue = f"persistent://{admin.namespace()}/pulsarQueue"

    for given in ("subscriptionName", *NAMES):
        jms.consumer(jms.session().create_queue(f"{pulsar_queue}:{given}"))

    assert set(admin.subscriptions(pulsar_queue)) == {"subscriptionName", *NAMES}


@requirement("SLJ-DEST-021")
def test_colon_of_the_scheme_is_no_subscription_separator(jms, name, admin):
    """A full queue name without suffix is that topic, with the usual subscription."""
    mytopic = f"persistent://public/default/{name('mytopic')}"

    jms.consumer(jms.session().create_queue(mytopic))

    assert [t for t in admin.topics("public/default") if t.startswith(mytopic)] == [mytopic]
    assert list(admin.subscriptions(mytopic)) == [QUEUE_SUBSCRIPTION]


@requirement("SLJ-DEST-022")
@queue_or_topic
def test_destination_needs_no_set_up(jms, admin, create):
    """A destination that nobody created can be consumed and sent to, and exists from then on."""
    namespace = admin.namespace()
    connection = jms.connection({"jms.systemNamespace": namespace})
    session = connection.create_session()
    fresh = create(session, "fresh")

    consumer = session.create_consumer(fresh)
    send(connection, fresh, ["first"])

    assert texts([receive(consumer)]) == ["first"]
    assert admin.topics(namespace) == [f"persistent://{namespace}/fresh"]


@requirement("SLJ-DEST-022")
def test_queue_that_nobody_created_can_be_browsed(jms, name):
    """A browser may be the first that uses a queue: it lists nothing, and what is sent comes."""
    session = jms.session()
    fresh = session.create_queue(name("fresh"))

    with session.create_browser(fresh) as browser:
        assert texts(browser.enumeration) == []

    consumer = session.create_consumer(fresh)
    send(jms.connected, fresh, ["first"])
    assert texts([receive(consumer)]) == ["first"]


@requirement("SLJ-DEST-006")
def test_workload_of_a_queue_is_divided(workload):
    """Of 1,500 messages of three producers each goes to one of three consumers, and no other."""
    verdict = (
        workload("queue", messages=1_500)
        .with_power(1_500, "D01")
        .with_power(1_400, "D02", "D04", "D08")
    )

    assert verdict.against("D01", "D02", "D04", "D08") == []
