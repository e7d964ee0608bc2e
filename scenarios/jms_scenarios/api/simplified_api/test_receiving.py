"""JMSConsumer: its selector, and bodies that are not there."""

from collections.abc import Mapping

from jms_scenarios.api.selectors import SELECTORS
from touchstone.api import requirement


@requirement("API-JCONS-001")
def test_consumer_of_a_context_tells_its_selector(context_of, queue, topic):
    """None where there is none or an empty one, of a queue and of a topic."""
    context = context_of()

    for place in (queue, topic):
        told = {
            given: context.create_consumer(place, *given).message_selector for given in SELECTORS
        }
        assert told == SELECTORS


@requirement("API-JCONS-002")
def test_no_body_is_null(context_of, queue):
    """receiveBodyNoWait on an empty queue gives None, as whatever class; then what is sent."""
    context = context_of()
    consumer = context.create_consumer(queue)

    assert [consumer.receive_body_no_wait(kind) for kind in (str, bytes, Mapping, object)] == (
        [None] * 4
    )
    context.create_producer().send(queue, "a text")
    assert consumer.receive_body(str, 10_000) == "a text"
