"""Messages of other clients, and bare bodies, that are sent as messages of ours."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foreign_messages import Foreign
from jmsapi import Destination, InvalidDestinationException, Queue, Topic
from pulsar_jms.mapping.destinations import PulsarQueue, PulsarTopic
from pulsar_jms.messages import (
    PulsarBytesMessage,
    PulsarMapMessage,
    PulsarMessage,
    PulsarObjectMessage,
    PulsarTextMessage,
    SendParameters,
    convert,
    encode,
    mark_sent,
    message_for,
    mirror_headers,
)
from pulsar_jms.transport.wire_messages import MessagePosition
from sample_messages import (
    KINDS,
    QUEUE,
    received,
    text,
)


class ForeignQueue(Queue):
    queue_name = "replies"


class ForeignTopic(Topic):
    topic_name = "replies"


class Nowhere(Destination):
    pass


@pytest.mark.parametrize("make", KINDS)
def test_a_message_of_another_client_is_copied(make: Callable[[], PulsarMessage]) -> None:
    original = make()
    original.set_int_property("p", 1)
    original.jms_type = "t"
    original.jms_correlation_id = "c"
    foreign = Foreign.like(original)
    copy = convert(foreign)
    assert copy is not foreign
    assert type(copy) is type(original)
    assert copy.encoded_body() == original.encoded_body()
    assert copy.get_object_property("p") == 1
    assert (copy.jms_type, copy.jms_correlation_id) == ("t", "c")
    encode(copy, SendParameters(QUEUE, 7, priority=9), "c", "public/default")
    mark_sent(copy, MessagePosition(1, 2))
    mirror_headers(copy, foreign)
    assert (foreign.jms_message_id, foreign.jms_priority) == ("ID:1:2:-1", 9)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (ForeignQueue(), PulsarQueue("replies")),
        (ForeignTopic(), PulsarTopic("replies")),
        (None, None),
    ],
)
def test_a_reply_destination_of_another_client_is_taken_by_its_name(
    theirs: Destination | None, ours: Destination | None
) -> None:
    foreign = Foreign.like(text())
    foreign.jms_reply_to = theirs
    assert convert(foreign).jms_reply_to == ours


def test_what_is_no_queue_or_topic_is_no_reply_destination() -> None:
    foreign = Foreign.like(text())
    foreign.jms_reply_to = Nowhere()
    with pytest.raises(InvalidDestinationException, match="Nowhere"):
        convert(foreign)


def test_own_messages_are_sent_as_they_are() -> None:
    message = text()
    assert convert(message) is message


BARE_BODIES: list[tuple[object, type[PulsarMessage]]] = [
    ("t", PulsarTextMessage),
    (b"b", PulsarBytesMessage),
    ({"k": 1}, PulsarMapMessage),
    ([1], PulsarObjectMessage),
    (None, PulsarObjectMessage),
    (5, PulsarObjectMessage),
]


@pytest.mark.parametrize(("body", "kind"), BARE_BODIES)
def test_bare_bodies_find_their_message(body: object, kind: type[PulsarMessage]) -> None:
    message = received(message_for(body))
    assert type(message) is kind
    assert message.get_body(object) == body
