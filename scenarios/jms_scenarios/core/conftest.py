"""What scenarios of the specification's core share: clients of any vendor, ready for use."""

from __future__ import annotations

from threading import Event

import pytest

from jms_scenarios.core.trials import Trials
from jmsapi import JMSException
from touchstone.api import PARTS, not_applicable, prefers, until


@pytest.fixture(autouse=True)
@prefers("transactions")
def prefer(at_hand):
    """`prefer("priorities")`: every client that is opened later has this preset of its provider.

    All have transactions, where that is a setting.
    """
    return at_hand.prefer


@pytest.fixture
@prefers("fair-shares")
def fair_shares(at_hand):
    """No client fetches all that a queue holds, where that is a setting."""


@pytest.fixture
@prefers("quick-redelivery")
def quick(at_hand):
    """What is given back comes again at once, where that is a setting."""


@pytest.fixture
@prefers("shared-selectors")
def shared_selectors(at_hand):
    """Shared subscriptions may have selectors, where that is a setting."""


@pytest.fixture
@prefers("trusted-objects")
def trusted(at_hand):
    """The objects of messages are read, where the client has to be told that it may."""


@pytest.fixture
def gate(at_hand):
    """What listeners wait for; it opens with the end of the scenario at the latest."""
    gate = Event()
    yield gate
    gate.set()


@pytest.fixture
def carried(jms, name, queues):
    """`carried(message)`: sends it to a queue of its own and gives what the broker has there."""

    def carried(message, **options):
        queue = jms.queue(name("carried"))
        jms.producer(queue).send(message, **options)
        until(lambda: queues.ready(queue) == 1)
        (carried_message,) = queues.carried(queue)
        return carried_message

    return carried


@pytest.fixture(params=["queue", "topic", "temporary queue"])
def place(request, jms, name):
    """A session, and a destination of each kind, which the session has made."""
    session = jms.session()
    match request.param:
        case "queue":
            return session, session.create_queue(name("queue"))
        case "topic":
            return session, session.create_topic(name("topic"))
    try:
        return session, session.create_temporary_queue()
    except JMSException as error:  # which the area temporary judges
        not_applicable(f"there are no temporary queues: {type(error).__name__}")


@pytest.fixture(params=PARTS)
def part(request, queues):
    """Each part of messages that can be damaged where the broker is."""
    if not queues.poisons(request.param):
        not_applicable(f"no {request.param} of messages can be damaged on this broker")
    return request.param


@pytest.fixture
def trials(at_hand, part):
    """A trial for each kind of damage to the part, one after the other."""
    return Trials(at_hand, part)
