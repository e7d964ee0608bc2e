"""Message: what the setters of its headers set, the getters give."""

import pytest

from jms_scenarios.api.rows import by_method
from jms_scenarios.core.exchange import named
from jms_scenarios.refusals import outcome
from touchstone.api import compose, needs, requirement

FIELDS = {
    "setJMSMessageID": (20, "jms_message_id", ["ID:first", "ID:größe", None]),
    "setJMSTimestamp": (21, "jms_timestamp", [1, 1 << 40, 0]),
    "setJMSCorrelationID": (22, "jms_correlation_id", ["first", "", "größe \U0001f600", None]),
    "setJMSDeliveryMode": (25, "jms_delivery_mode", [1, 2, 1]),
    "setJMSRedelivered": (27, "jms_redelivered", [True, False, True]),
    "setJMSType": (28, "jms_type", ["first", "", "größe.v2", None]),
    "setJMSExpiration": (29, "jms_expiration", [1 << 40, 1, 0]),
    "setJMSDeliveryTime": (30, "jms_delivery_time", [1 << 40, 1, 0]),
    "setJMSPriority": (31, "jms_priority", [9, 0, 4]),
}
each_field = by_method("API-MSG", FIELDS, "field", "values")
on_each = pytest.mark.parametrize("kind", ["text", "bytes", "header"])
PLAIN = {"text": "a text", "bytes": b"\x01", "header": None}


@on_each
@each_field
def test_header_is_what_was_set(jms, shown, kind, field, values):
    """Before a send and on a received message, one value after the other."""
    message = shown(compose(jms.session(), kind, PLAIN[kind]))
    read = []

    for value in values:
        error = outcome(lambda given=value: setattr(message, field, given))
        read.append(error or getattr(message, field))

    assert read == values


@needs("correlation-id-bytes")
@requirement("API-MSG-023")
def test_correlation_id_in_bytes_is_what_was_set(jms, shown):
    """Before a send and on a received message, one value after the other."""
    message = shown(jms.session().create_text_message("a text"))

    for value in (b"first", b"\x01", b"last"):
        message.jms_correlation_id_as_bytes = value
        assert message.jms_correlation_id_as_bytes == value


@needs("correlation-id-bytes")
@requirement("API-MSG-042")
def test_correlation_id_in_bytes_is_null_without_one(jms, delivered):
    """Never set, on both sides of a send, and set back to null."""
    never, sent, emptied = (jms.session().create_text_message("a text") for _ in range(3))
    received = delivered(sent)
    emptied.jms_correlation_id = "first"
    emptied.jms_correlation_id = None
    messages = {"never set": never, "sent": sent, "received": received, "set back": emptied}

    read = {
        how: outcome(lambda message=message: message.jms_correlation_id_as_bytes)
        for how, message in messages.items()
    }

    assert read == dict.fromkeys(messages)


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("jms_reply_to", marks=requirement("API-MSG-024"), id="setJMSReplyTo"),
        pytest.param("jms_destination", marks=requirement("API-MSG-026"), id="setJMSDestination"),
    ],
)
def test_destination_of_a_header_is_what_was_set(jms, shown, field, queue, topic, name):
    """A queue, a topic and another queue, one after the other."""
    session = jms.session()
    message = shown(session.create_text_message("a text"))
    places = [queue, topic, session.create_queue(name("other"))]
    read = []

    for place in places:
        setattr(message, field, place)
        read.append(named(getattr(message, field)))

    assert read == [named(place) for place in places]
