"""What scenarios of browsers share: a queue with messages, and browsers of it."""

import pytest

from jms_scenarios.rabbitmq.browser.reading import SELECTOR
from touchstone.api import eventually


@pytest.fixture
def put(jms, queue, queues):
    """`put(texts)`: sends them, x=1 on those in `selected`; returns when the queue has them all.

    With `held` it also counts what consumers have and did not acknowledge.
    """
    producer = jms.producer(queue)

    def put(sent, selected=(), held=False, **options):
        for text in sent:
            message = jms.text(text)
            message.set_int_property("x", 1 if text in selected else 2)
            producer.send(message, **options)
        put.count += len(sent)
        counted = queues.pending if held else queues.ready
        eventually(lambda: counted(queue) == put.count, within=30.0)
        return list(sent)

    put.count = 0
    return put


@pytest.fixture
def browser(jms, queue):
    """A browser of the queue, of a session of its own."""
    return jms.session().create_browser(queue)


@pytest.fixture
def selecting(jms, queue):
    """A browser of the queue with the selector `x = 1`."""
    return jms.session().create_browser(queue, SELECTOR)
