"""JMSContext: what acknowledge() settles, and where it is ignored."""

import pytest

from jms_scenarios.core.exchange import AUTO, CLIENT, DUPS_OK, TRANSACTED, left_on
from jms_scenarios.listening import NotingListener
from jms_scenarios.traffic import numbered, send, texts
from touchstone.api import checks, eventually, receive, receive_all, requirement


@pytest.fixture
def places(jms, name):
    """`places(2)`: fresh queues, each with five messages of its own, by which it finds them."""

    def places(count):
        texts_of = {}
        for _ in range(count):
            queue = jms.queue(name("queue"))
            texts_of[queue] = send(jms.connected, queue, numbered(5, queue.queue_name))
        return texts_of

    return places


@requirement("API-CTX-014")
@pytest.mark.parametrize("count", [1, 2], ids=["one-consumer", "two-consumers"])
@pytest.mark.parametrize("again", [False, True], ids=["once", "twice"])
def test_acknowledge_settles_what_consumers_received(jms, context_of, places, count, again):
    """Three of five, with a second call the fourth as well; the others come again by recover()."""
    context = context_of(CLIENT)
    sent = places(count)
    consumers = {queue: context.create_consumer(queue) for queue in sent}
    for queue, consumer in consumers.items():
        assert texts(receive_all(consumer, 3)) == sent[queue][:3]
    context.acknowledge()
    if again:
        for queue, consumer in consumers.items():
            assert texts([receive(consumer)]) == sent[queue][3:4]
        context.acknowledge()
    for queue, consumer in consumers.items():
        assert texts(receive_all(consumer, 1 if again else 2)) == sent[queue][3 + again :]

    context.recover()

    for queue, consumer in consumers.items():
        rest = sent[queue][3 + again :]
        assert checks.exactly_once(rest, texts(receive_all(consumer, len(rest)))) == []


@requirement("API-CTX-014")
def test_acknowledge_settles_at_the_broker(jms, context_of, places):
    """What was received behind it comes again elsewhere once the context is closed."""
    context = context_of(CLIENT)
    [(queue, sent)] = places(1).items()
    consumer = context.create_consumer(queue)
    assert texts(receive_all(consumer, 3)) == sent[:3]
    context.acknowledge()
    assert texts(receive_all(consumer, 2)) == sent[3:]

    context.close()

    assert checks.exactly_once(sent[3:], texts(left_on(jms.connected, queue))) == []


@requirement("API-CTX-014")
def test_acknowledge_settles_what_a_listener_was_given(jms, context_of, places):
    """Called in the third callback of five, it settles three; the others come again."""
    context = context_of(CLIENT)
    [(queue, sent)] = places(1).items()
    handed = []

    def acknowledge_the_third(message):
        handed.append(message)
        if len(handed) == 3:
            context.acknowledge()

    listener = NotingListener(then=acknowledge_the_third)
    context.create_consumer(queue).message_listener = listener
    eventually(lambda: len(listener.callbacks) == len(sent))

    context.close()

    assert listener.texts == sent
    assert checks.exactly_once(sent[3:], texts(left_on(jms.connected, queue))) == []


@requirement("API-CTX-015")
def test_acknowledge_is_ignored_in_a_transaction(context_of, places):
    """What was received before it comes again by rollback()."""
    context = context_of(TRANSACTED)
    [(queue, sent)] = places(1).items()
    consumer = context.create_consumer(queue)
    assert texts(receive_all(consumer, 5)) == sent

    context.acknowledge()
    context.rollback()

    assert checks.exactly_once(sent, texts(receive_all(consumer, 5))) == []
    context.commit()


@requirement("API-CTX-015")
@pytest.mark.parametrize("mode", [AUTO, DUPS_OK], ids=["auto", "dups-ok"])
def test_acknowledge_is_ignored_where_the_client_does_it(jms, context_of, places, mode):
    """It raises nothing, delivery goes on, and nothing is left behind."""
    context = context_of(mode)
    [(queue, sent)] = places(1).items()
    consumer = context.create_consumer(queue)
    received = []

    for _ in sent:
        received += texts([receive(consumer)])
        context.acknowledge()
    context.close()

    assert received == sent
    assert texts(left_on(jms.connected, queue)) == []
