"""The kinds of subscriptions, and what their consumers have to get."""

from __future__ import annotations

from jms_scenarios.traffic import texts
from touchstone.api import checks, durable_consumer, receive_all

X1, X2 = {"x": 1}, {"x": 2}
TEN = [X1, X2, X2, X1, X2, X1, X2, X2, X2, X1]
"""Ten messages, of which x = 1 selects four."""
SELECTED = [0, 3, 5, 9]


def consumer(session, topic, name, selector=None):
    return session.create_consumer(topic, selector)


def shared_consumer(session, topic, name, selector=None):
    return session.create_shared_consumer(topic, name, selector)


def shared_durable_consumer(session, topic, name, selector=None):
    return session.create_shared_durable_consumer(topic, name, selector)


KINDS = (consumer, durable_consumer, shared_consumer, shared_durable_consumer)
NAMED = (durable_consumer, shared_consumer, shared_durable_consumer)


def receives(opened, sent):
    """Each of these messages comes to the consumer once."""
    assert checks.exactly_once(sent, texts(receive_all(opened, len(sent)))) == []
