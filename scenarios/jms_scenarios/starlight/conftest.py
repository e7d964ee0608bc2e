"""What many scenarios do: send a message, and look at what arrived."""

from __future__ import annotations

import pytest

from jms_scenarios.core.domains import FOR_TOPICS
from jms_scenarios.deliveries import Watched
from touchstone.api import prefers, receive


@pytest.fixture
def sent(jms, queue, wire):
    """`sent(message)`: sends it to `queue` and gives the one raw message that it became."""

    def sent(message, **options):
        jms.producer(queue).send(message, **options)
        return wire.only_message(queue)

    return sent


@pytest.fixture
def published(queue, wire, inbox):
    """`published(payload, ...)`: a foreign client's message as a JMS consumer receives it."""

    def published(payload, **options):
        consumer = inbox()
        wire.send(queue, payload, **options)
        return receive(consumer)

    return published


@pytest.fixture
def watched(faults, jms_at):
    """The client under test, behind a proxy that notes what the broker delivers to it."""
    proxy, address = faults.frame_proxy()
    return Watched(jms_at(address), proxy)


@pytest.fixture
def destination(kind, queue, topic):
    """A fresh queue or topic, as `kind` says."""
    return queue if kind == "queue" else topic


@pytest.fixture
def openers(jms, name):
    """By client identifiers of their own: a session, a context, a TopicSession."""
    ids = {name(api): open_ for api, open_ in FOR_TOPICS.items()}
    return {id_: open_(jms, client_id=id_).made for id_, open_ in ids.items()}


@pytest.fixture
@prefers("quick-redelivery")
def quick(at_hand):
    """What is given back comes again at once, where that is a setting."""
