"""MessageConsumer: its selector, and what is left of it when it is closed."""

from jms_scenarios.api.selectors import SELECTORS
from jms_scenarios.core.closed_objects import not_refused
from jms_scenarios.traffic import send, texts
from touchstone.api import receive, requirement


@requirement("API-CONS-001")
def test_consumer_tells_its_selector(jms, queue, topic):
    """None where there is none or an empty one, of a queue and of a topic."""
    session = jms.session()

    for place in (queue, topic):
        told = {
            given: session.create_consumer(place, *given).message_selector for given in SELECTORS
        }
        assert told == SELECTORS


@requirement("API-CONS-002")
def test_closed_consumer_refuses_all(jms, queue):
    """Every other call raises IllegalStateException; a second consumer of the session works."""
    session = jms.session()
    closed = session.create_consumer(queue)
    closed.close()
    other = session.create_consumer(queue)

    assert not_refused("consumer", closed, session.create_message()) == []
    send(jms.connected, queue, ["a text"])
    assert texts([receive(other)]) == ["a text"]


@requirement("API-CONS-003")
def test_closed_consumer_is_closed_again(jms, queue):
    """Nothing happens, and the session goes on."""
    session = jms.session()
    closed = session.create_consumer(queue)
    for _ in range(3):
        closed.close()

    other = session.create_consumer(queue)
    send(jms.connected, queue, ["a text"])
    assert texts([receive(other)]) == ["a text"]
