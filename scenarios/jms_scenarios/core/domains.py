"""The same work by each of the APIs: a session, a context, and a session of the older API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jmsapi import Destination, Queue, SessionMode, Topic
from touchstone.api import UnderTest, durable_consumer

AUTO = SessionMode.AUTO_ACKNOWLEDGE


class Worker:
    """Something that sends and consumes, by the calls of its own API."""

    def __init__(
        self, made: Any, of_queue: str, of_topic: str, durable: Callable[..., Any] | None
    ) -> None:
        """`made` is a session or a context; the others are how its consumers are made."""
        self.made = made
        self._of_queue = of_queue
        self._of_topic = of_topic
        self._durable = durable
        self._simplified = not hasattr(made, "acknowledge_mode")

    def send(self, destination: Destination, text: str, n: int = 0) -> None:
        """Send a text with the property n."""
        message = self.made.create_text_message(text)
        message.set_int_property("n", n)
        if self._simplified:
            self.made.create_producer().send(destination, message)
        else:
            with self._producer(destination) as producer:
                producer.send(message)

    def _producer(self, destination: Destination) -> Any:
        older = {"create_receiver": "create_sender", "create_subscriber": "create_publisher"}
        call = self._of_queue if isinstance(destination, Queue) else self._of_topic
        return getattr(self.made, older.get(call, "create_producer"))(destination)

    def receiver(self, queue: Queue, selector: str | None = None) -> Any:
        """A consumer of a queue."""
        return getattr(self.made, self._of_queue)(queue, selector)

    def subscriber(self, topic: Topic, selector: str | None = None, no_local: bool = False) -> Any:
        """A consumer of a topic."""
        return getattr(self.made, self._of_topic)(topic, selector, no_local)

    def durable_subscriber(self, topic: Topic, name: str) -> Any:
        """The only consumer of a subscription that stays."""
        assert self._durable is not None
        return self._durable(self.made, topic, name)


def session(jms: UnderTest, mode: int = AUTO, client_id: str | None = None) -> Worker:
    """A session of a connection of its own."""
    made = jms.connection(client_id=client_id).create_session(False, mode)
    return Worker(made, "create_consumer", "create_consumer", durable_consumer)


def context(jms: UnderTest, mode: int = AUTO, client_id: str | None = None) -> Worker:
    """A context."""
    made = jms.context(mode)
    if client_id is not None:
        made.client_id = client_id
    return Worker(made, "create_consumer", "create_consumer", durable_consumer)


def queue_session(jms: UnderTest, mode: int = AUTO, client_id: str | None = None) -> Worker:
    """A session for queues alone, of a connection of its own."""
    factory: Any = jms.factory()
    connection = factory.create_queue_connection()
    connection.start()
    return Worker(connection.create_queue_session(False, mode), "create_receiver", "", None)


def _subscriber(made: Any, topic: Topic, name: str) -> Any:
    return made.create_durable_subscriber(topic, name)


def topic_session(jms: UnderTest, mode: int = AUTO, client_id: str | None = None) -> Worker:
    """A session for topics alone, of a connection of its own."""
    factory: Any = jms.factory()
    connection = factory.create_topic_connection()
    if client_id is not None:
        connection.client_id = client_id
    connection.start()
    made = connection.create_topic_session(False, mode)
    return Worker(made, "", "create_subscriber", _subscriber)


Open = Callable[..., Worker]
FOR_QUEUES: Mapping[str, Open] = {
    "session": session,
    "context": context,
    "queue-session": queue_session,
}
FOR_TOPICS: Mapping[str, Open] = {
    "session": session,
    "context": context,
    "topic-session": topic_session,
}
"""How each API is opened, by its name."""
