"""The kinds of subscriptions, and what their consumers have to get."""

from __future__ import annotations

from functools import partial

from jms_scenarios.traffic import texts
from touchstone.api import checks, durable_consumer, if_there_is, receive_all

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


def one_of_each(session, topic, name, selector=None):
    """A consumer of each kind that the client has; `name` names its subscription by its kind."""
    return [
        made
        for kind in KINDS
        for made in if_there_is(partial(kind, session, topic, name(kind.__name__), selector))
    ]


def receives(opened, sent):
    """Each of these messages comes to the consumer once."""
    assert checks.exactly_once(sent, texts(receive_all(opened, len(sent)))) == []
