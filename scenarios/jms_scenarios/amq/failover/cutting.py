"""Connections that are cut: what is called meanwhile, and what has become of messages."""

from contextlib import suppress

import pytest

from jms_scenarios.traffic import send
from jmsapi import JMSException, TransactionRolledBackException
from touchstone.api import Point, body_of, observe, receive

COMMIT_IN_FLIGHT = pytest.mark.parametrize(
    "point", [Point.COMMIT, Point.COMMIT_REPLY], ids=["commit-lost", "reply-lost"]
)


def failure_of(call):
    """The JMSException that a call raises; None when it returns."""
    try:
        call()
    except JMSException as error:
        return error
    return None


def attempt(call):
    """Make a call whose outcome another scenario judges."""
    with suppress(JMSException):
        call()


def cut(cuts):
    """Cut the connection, and return when the client is back."""
    cuts.now()
    cuts.wait_until_back()


def texts_before_a_marker(jms, queue, consumer):
    """What is received from the queue before a message that is sent now; at most ten messages."""
    send(jms.connected, queue, ["marker"])
    received = [body_of(receive(consumer), str)]
    while received[-1] != "marker" and len(received) < 10:
        received.append(body_of(receive(consumer), str))
    return received[:-1]


def assert_rolled_back(cuts, session, point):
    """commit(), cut at `point`, or the commit() after it raises TransactionRolledBackException."""
    cuts.at(point)
    failure = failure_of(session.commit)
    cuts.wait_for_cut()
    cuts.wait_until_back()
    which = "interrupted"
    if not isinstance(failure, TransactionRolledBackException):
        which, failure = "next", failure_of(session.commit)
    observe("the commit that raises", which)
    assert isinstance(failure, TransactionRolledBackException)
