"""MessageProducer: its settings, what it refuses, and what is left of it when it is closed."""

from functools import partial

import pytest

from jms_scenarios.api.rows import by_method
from jms_scenarios.api.settings import NO_MODES, NO_PRIORITIES, SETTINGS
from jms_scenarios.core.closed_objects import CALLS, not_refused
from jms_scenarios.core.exchange import named
from jms_scenarios.refusals import refusal
from jms_scenarios.traffic import texts
from jmsapi import JMSException, MessageFormatException
from touchstone.api import eventually, if_there_is, receive, requirement

both_kinds = pytest.mark.parametrize("bound", [True, False], ids=["bound", "unbound"])


@both_kinds
@by_method("API-PROD", SETTINGS, "setting", "first", "values")
def test_setting_is_what_was_set(jms, queue, bound, setting, first, values):
    """It has its default, then each value that is set; another producer keeps the default."""
    session = jms.session()
    producer, other = (session.create_producer(queue if bound else None) for _ in range(2))
    read = [getattr(producer, setting)]

    for value in values:
        setattr(producer, setting, value)
        read.append(getattr(producer, setting))

    assert read == [first, *values]
    assert getattr(other, setting) == first


REFUSED = {
    "DeliveryMode": (7, "delivery_mode", NO_MODES, 2, (1, 2)),
    "Priority": (8, "priority", NO_PRIORITIES, 4, (0, 9)),
}


@by_method("API-PROD", REFUSED, "setting", "wrong", "first", "right")
def test_setting_that_there_is_not_is_refused(jms, queue, setting, wrong, first, right):
    """It raises JMSException and leaves what was; the nearest right values are taken."""
    producer = jms.producer(queue)

    refused = {
        value: isinstance(refusal(setattr, producer, setting, value), JMSException)
        for value in wrong
    }

    assert refused == dict.fromkeys(wrong, True)
    assert getattr(producer, setting) == first
    for value in right:
        setattr(producer, setting, value)
        assert getattr(producer, setting) == value


SENDS = {
    "DeliveryMode": (9, "delivery_mode", NO_MODES, 1, "jms_delivery_mode"),
    "Priority": (10, "priority", (-1, 10), 9, "jms_priority"),
}


@both_kinds
@by_method("API-PROD", SENDS, "option", "wrong", "right", "header")
def test_send_with_what_there_is_not_is_refused(
    jms, queue, inbox, bound, option, wrong, right, header
):
    """It raises JMSException and sends nothing; with the nearest right value it is sent."""
    session = jms.session()
    producer = session.create_producer(queue if bound else None)
    where = {} if bound else {"destination": queue}
    consumer = inbox()

    def send(value):
        producer.send(session.create_text_message(str(value)), **where, **{option: value})

    refused = {value: isinstance(refusal(send, value), JMSException) for value in wrong}

    send(right)
    received = receive(consumer)
    assert (received.text, getattr(received, header)) == (str(right), right)
    assert refused == dict.fromkeys(wrong, True)


@both_kinds
@requirement("API-PROD-011")
@pytest.mark.parametrize("options", [{}, {"priority": 7}], ids=["plain", "with-parameters"])
def test_null_is_no_message(jms, queue, inbox, bound, options):
    """It raises MessageFormatException, and the producer goes on."""
    session = jms.session()
    producer = session.create_producer(queue if bound else None)
    where = {} if bound else {"destination": queue}

    error = refusal(lambda: producer.send(None, **where, **options))

    producer.send(session.create_text_message("a text"), **where, **options)
    assert texts([receive(inbox())]) == ["a text"]
    assert type(error) is MessageFormatException


class Told:
    """A listener that keeps what it is told."""

    def __init__(self):
        self.messages = []

    def on_completion(self, message):
        self.messages.append(message)

    def on_exception(self, message, exception):
        self.messages.append(exception)


@both_kinds
@requirement("API-PROD-012")
@pytest.mark.parametrize("options", [{}, {"priority": 7}], ids=["plain", "with-parameters"])
def test_null_is_no_message_of_an_asynchronous_send(jms, queue, inbox, bound, options):
    """It raises MessageFormatException, and the callback of the next send is the only one."""
    session = jms.session()
    producer = session.create_producer(queue if bound else None)
    options = {**options, **({} if bound else {"destination": queue})}
    told = Told()

    error = refusal(lambda: producer.send(None, completion_listener=told, **options))

    sent = session.create_text_message("a text")
    producer.send(sent, completion_listener=told, **options)
    assert texts([receive(inbox())]) == ["a text"]
    eventually(lambda: told.messages)
    session.close()
    assert len(told.messages) == 1
    assert type(error) is MessageFormatException


@requirement("API-PROD-013")
def test_producer_tells_its_destination(jms, queue, topic):
    """A queue, a topic, or none."""
    session = jms.session()

    told = [named(session.create_producer(each).destination) for each in (queue, topic, None)]

    assert told == [named(queue), named(topic), None]


@requirement("API-PROD-014")
def test_closed_producer_refuses_all(jms, queue, inbox):
    """Every other call raises IllegalStateException; a second producer of the session works."""
    session = jms.session()
    closed, other = session.create_producer(queue), session.create_producer(queue)
    message = session.create_text_message("a text")
    open_, calls = [], CALLS["producer"]
    for name, call in calls.items():
        open_ += [name for error in if_there_is(partial(refusal, call, other)) if error is not None]

    closed.close()

    assert not_refused("producer", closed, message) == []
    assert open_ == []
    other.send(message)
    assert texts([receive(inbox())]) == ["a text"]


@requirement("API-PROD-015")
def test_closed_producer_is_closed_again(jms, queue, inbox):
    """Nothing happens, and the session goes on."""
    session = jms.session()
    producer = session.create_producer(queue)

    for _ in range(3):
        producer.close()

    session.create_producer(queue).send(session.create_text_message("a text"))
    assert texts([receive(inbox())]) == ["a text"]
