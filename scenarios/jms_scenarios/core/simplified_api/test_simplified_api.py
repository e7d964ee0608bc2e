"""The simplified API: contexts and their producers, and what these do by themselves."""

from jms_scenarios.listening import NotingListener, intervals, started
from jms_scenarios.moments import now, wait_until
from jms_scenarios.refusals import refusal
from jms_scenarios.traffic import no_producer, numbered, send, take, texts
from jmsapi import (
    IllegalStateRuntimeException,
    JMSException,
    JMSRuntimeException,
    SessionMode,
    runtime_exception,
)
from touchstone.api import checks, eventually, observe, receive, receive_all, requirement

HELD_BACK = 250
"""Milliseconds for which a context that is not started is seen to deliver nothing."""
WAIT = 150
"""Milliseconds for which a call is seen to wait."""
PATIENCE = 5.0
"""Seconds after which what is due at once does not come any more."""
BRIEFLY = 0.005
"""Seconds for which a listener is busy, so that calls at the same time are seen."""


# -- contexts ----------------------------------------------------------------------------------


@requirement("JMS-CTX-001")
def test_context_starts_with_its_first_consumer(context_of, full_queue):
    """A consumer of a full queue gives its message without any start()."""
    queue = full_queue(1)
    consumer = context_of().create_consumer(queue)

    assert texts([receive(consumer)]) == numbered(1, queue.queue_name)


@requirement("JMS-CTX-002")
def test_context_waits_for_start_when_told(context_of, full_queue):
    """With auto_start False a consumer of a full queue gives nothing before start()."""
    queue = full_queue(1)
    context = context_of()
    context.auto_start = False
    consumer = context.create_consumer(queue)

    assert consumer.receive(HELD_BACK) is None

    context.start()
    assert texts([receive(consumer)]) == numbered(1, queue.queue_name)


@requirement("JMS-CTX-003")
def test_contexts_of_one_share_its_connection(context_of, queue, queues, name):
    """The second has the client id of the first, outlives it, and ends what the broker had."""
    first = context_of()
    first.client_id = client_id = name("client")
    second = first.create_context(SessionMode.CLIENT_ACKNOWLEDGE)
    consumer = second.create_consumer(queue)
    opened = queues.consumers(queue)  # none where receive() fetches each message

    first.close()

    assert second.client_id == client_id
    assert second.session_mode == SessionMode.CLIENT_ACKNOWLEDGE
    second.create_producer().send(queue, "still at work")
    assert texts([receive(consumer)]) == ["still at work"]
    assert queues.consumers(queue) == opened
    producing = queues.producers(queue)  # none where those of contexts do not name their queue
    observe("producers that the broker has while the second is open", producing)
    second.acknowledge()
    second.close()
    eventually(lambda: not queues.consumers(queue))
    third = context_of()
    third.client_id = client_id
    assert third.client_id == client_id
    if producing:
        no_producer(queue, queues, PATIENCE)


@requirement("JMS-CTX-004")
def test_context_is_copied_and_closed_by_another_thread(jms, context_of, queue, name):
    """While one thread is in receive() another makes a context of it, and then closes it."""
    context = context_of()
    consumer = context.create_consumer(queue)
    send(jms.connected, queue, ["first"])
    assert texts([receive(consumer)]) == ["first"]
    waiting = started(consumer.receive)
    wait_until(now() + WAIT)

    copied = started(lambda: context.create_context(SessionMode.AUTO_ACKNOWLEDGE))
    eventually(copied.done, PATIENCE)
    copy = copied.result()
    assert copy.session_mode == SessionMode.AUTO_ACKNOWLEDGE
    assert not waiting.done()
    closing = started(context.close)

    eventually(closing.done, PATIENCE)
    eventually(waiting.done, PATIENCE)
    assert (closing.result(), waiting.result()) == (None, None)
    copy.close()


@requirement("JMS-CTX-005")
def test_second_listener_is_set_while_the_first_is_at_work(context_of, full_queue):
    """Both get all that waits for them, one call at a time."""
    queues = [full_queue(10), full_queue(10)]
    context = context_of()
    consumers = [context.create_consumer(queue) for queue in queues]
    listeners = [NotingListener(takes=[BRIEFLY] * 5) for _ in queues]

    consumers[0].message_listener = listeners[0]
    assert listeners[0].begins()
    consumers[1].message_listener = listeners[1]

    eventually(lambda: all(len(each.callbacks) >= 10 for each in listeners))
    for listener, queue in zip(listeners, queues, strict=True):
        assert listener.texts == numbered(10, queue.queue_name)
    assert checks.no_overlap(intervals(*listeners)) == []


# -- producers ---------------------------------------------------------------------------------


@requirement("JMS-CTX-007")
def test_properties_of_the_producer_win(context_of, queue):
    """They are on messages and bare bodies, above those of the same name, beside the others."""
    context = context_of()
    message = context.create_text_message("message")
    message.set_int_property("p", 1)
    message.set_int_property("q", 1)
    producer = context.create_producer().set_property("p", 2)

    producer.send(queue, message).send(queue, "body")

    first, second = receive_all(context.create_consumer(queue), 2)
    assert texts([first, second]) == ["message", "body"]
    assert (first.get_int_property("p"), first.get_int_property("q")) == (2, 1)
    assert second.get_int_property("p") == 2
    assert not second.property_exists("q")


@requirement("JMS-CTX-008")
def test_headers_of_the_producer_win(context_of, queue, name):
    """Correlation id, type and reply destination are those of the producer, and on bare bodies."""
    context = context_of()
    own, wanted = (context.create_queue(name(stem)) for stem in ("own", "wanted"))
    message = context.create_text_message("message")
    message.jms_correlation_id, message.jms_type, message.jms_reply_to = "a", "type-a", own
    producer = context.create_producer()
    producer.set_jms_correlation_id("b").set_jms_type("type-b").set_jms_reply_to(wanted)

    producer.send(queue, message).send(queue, "body")

    for received in take(context.create_consumer(queue), ["message", "body"]):
        assert (received.jms_correlation_id, received.jms_type) == ("b", "type-b")
        context.create_producer().send(received.jms_reply_to, "an answer")
    assert texts(receive_all(context.create_consumer(wanted), 2)) == ["an answer"] * 2


@requirement("JMS-CTX-009")
def test_setters_of_a_producer_are_chained(context_of, queue):
    """Each gives the producer itself, and a send applies them all."""
    context = context_of()
    producer = context.create_producer()

    chained = (
        producer.set_property("p", 1)
        .set_time_to_live(60_000)
        .set_priority(7)
        .set_delivery_mode(1)
        .set_delivery_delay(0)
        .set_disable_message_id(False)
        .set_disable_message_timestamp(False)
        .set_jms_correlation_id("c")
        .set_jms_type("t")
        .set_jms_reply_to(queue)
        .set_async(None)
    )

    assert chained is producer
    assert producer.send(queue, "body") is producer
    received = receive(context.create_consumer(queue))
    assert texts([received]) == ["body"]
    assert received.get_int_property("p") == 1
    assert received.jms_priority == 7
    assert received.jms_delivery_mode == 1
    assert received.jms_expiration > 0
    assert (received.jms_correlation_id, received.jms_type) == ("c", "t")
    assert received.jms_reply_to is not None


# -- failures ----------------------------------------------------------------------------------


def twin(error):
    """The class that the simplified API has for what the classic one raises."""
    return runtime_exception(error) if isinstance(error, JMSException) else error


def classes(errors):
    """The name of each exception's class, by what raised it."""
    return {call: error and type(error).__name__ for call, error in errors.items()}


def set_priority(producer, priority):
    """The priority of either API's producer."""
    if hasattr(producer, "set_priority"):
        producer.set_priority(priority)
    else:
        producer.priority = priority


def failures(connection, making, producer, consumer, topic):
    """What calls raise that have to fail, by what is wrong with them; everything is closed."""
    raised = {
        "client id of one in use": refusal(lambda: setattr(connection, "client_id", "late")),
        "bad selector": refusal(lambda: making.create_consumer(topic, "a = = 1")),
        "no destination": refusal(lambda: making.create_consumer(None)),
        "bad priority": refusal(lambda: set_priority(producer, 11)),
    }
    consumer.close()
    raised["receive of a closed one"] = refusal(lambda: consumer.receive(1))
    making.close()
    raised["closed"] = refusal(making.create_message)
    return raised


@requirement("JMS-CTX-015")
def test_failures_are_runtime_exceptions(jms, context_of, topic):
    """Context, producer and consumer raise the unchecked twin of what the session's parts raise."""
    connection, context = jms.connection(), context_of()
    session = connection.create_session()
    consumers = [each.create_consumer(topic) for each in (session, context)]

    checked = failures(connection, session, session.create_producer(), consumers[0], topic)
    unchecked = failures(context, context, context.create_producer(), consumers[1], topic)

    observe("what the parts of a session raise", classes(checked))
    expected = {call: error and twin(error) for call, error in checked.items()}
    assert classes(unchecked) == classes(expected)
    others = {call: each for call, each in unchecked.items() if each is not None}
    assert [
        call for call, each in others.items() if not isinstance(each, JMSRuntimeException)
    ] == []
    assert isinstance(unchecked["closed"], IllegalStateRuntimeException)
