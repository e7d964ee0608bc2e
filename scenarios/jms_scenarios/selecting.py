"""Messages that selectors tell apart by their properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jmsapi import Connection, Destination, MessageProducer, Session


def send_with(
    connection: Connection, destination: Destination, each: Iterable[Mapping[str, object]]
) -> list[str]:
    """Send one text message for each mapping of properties, in order; returns their texts.

    A text names the properties and is unique. JMSPriority is given to the send.
    """
    with connection.create_session() as session:
        producer = session.create_producer(destination)
        return [
            _send(session, producer, number, properties)
            for number, properties in enumerate(each, start=1)
        ]


def _send(
    session: Session, producer: MessageProducer, number: int, properties: Mapping[str, object]
) -> str:
    described = ", ".join(f"{name} is {value!r}" for name, value in properties.items())
    text = f"message {number}: {described or 'no properties'}"
    message = session.create_text_message(text)
    for name, value in properties.items():
        if name != "JMSPriority":
            message.set_object_property(name, value)
    priority = properties.get("JMSPriority")
    producer.send(message, priority=priority if isinstance(priority, int) else None)
    return text
