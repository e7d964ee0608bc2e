"""Messages that selectors tell apart by their properties."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from jmsapi import (
    Connection,
    Destination,
    IllegalArgumentException,
    InvalidSelectorException,
    JMSException,
    MessageProducer,
    Session,
    Topic,
)
from touchstone.api import ClientError, QueueView, UnderTest, body_of, until

REFUSALS = (JMSException, IllegalArgumentException, ClientError)
"""What clients throw at selectors that they do not take."""
_PATIENCE = 5.0
"""Seconds without a message after which none is on its way, where the broker cannot tell."""
_LONG_PATIENCE = 20.0
"""The same where the broker says that it keeps something."""


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


class Choosing:
    """A consumer of a topic that takes down by name what its selector lets through."""

    def __init__(self, session: Session, topic: Topic, selector: str | None) -> None:
        self.selector = selector
        self.came: list[str] = []
        """The texts of the messages, in order."""
        self.refusal = ""
        """The class of the exception with which the selector was refused."""
        try:
            self._consumer = session.create_consumer(topic, selector)
        except REFUSALS as error:
            self.refusal = type(error).__name__

    def take(self) -> int:
        """Take what has come; how many messages these are."""
        before = len(self.came)
        while not self.refusal and (message := self._consumer.receive_no_wait()) is not None:
            self.came.append(str(body_of(message, str)))
        return len(self.came) - before

    def chosen(self) -> str:
        """The names of what came, each of them twice, in order; or that the selector is refused."""
        if self.refusal:
            return f"refused ({self.refusal})"
        once = list(dict.fromkeys(self.came))
        return " ".join(once if sorted(self.came) == sorted(once * 2) else self.came)


def choices(
    jms: UnderTest,
    queues: QueueView,
    topic: Topic,
    messages: Mapping[str, Mapping[str, object]],
    expected: Mapping[str, str],
) -> dict[str, str]:
    """What consumers with the selectors in `expected` choose of the same messages.

    `messages` are properties by the names of the messages; `expected`, and the result, are the
    names of those that are selected, by selector. All is sent twice, so that the second coming of
    what is expected shows that nothing else came of the first. Where something else does come, or
    less, the broker is asked, as long as it can tell, whether it keeps anything for anybody, once a
    consumer without a selector has everything.
    """
    for selector, names in expected.items():
        assert names.split(), f"nothing shows that {selector} has chosen all it will"
    session = jms.session()
    everything = Choosing(session, topic, None)
    consumers = [Choosing(session, topic, selector) for selector in expected]
    producer = session.create_producer(topic)
    for name, properties in [*messages.items()] * 2:
        message = session.create_text_message(name)
        for key, value in properties.items():
            message.set_object_property(key, value)
        producer.send(message)
    silent_since = time.monotonic()

    def ended() -> bool:
        nonlocal silent_since
        if sum(each.take() for each in (everything, *consumers)):
            silent_since = time.monotonic()
        if all(
            each.refusal or each.came == expected[str(each.selector)].split() * 2
            for each in consumers
        ):
            return True
        kept = queues.subscriptions(topic)
        if kept and len(everything.came) == 2 * len(messages) and not any(k.pending for k in kept):
            return not sum(each.take() for each in consumers)
        return time.monotonic() > silent_since + (_PATIENCE if kept is None else _LONG_PATIENCE)

    until(ended, within=60)
    return {str(each.selector): each.chosen() for each in consumers}


def chosen_otherwise(chosen: Mapping[str, str], expected: Mapping[str, str]) -> list[str]:
    """One line for each selector that chose something else than is expected of it."""
    return [
        f"{selector}: {chosen[selector]}, not {names}"
        for selector, names in expected.items()
        if chosen[selector] != names
    ]


def not_refused(session: Session, topic: Topic, selectors: Iterable[str]) -> list[str]:
    """The selectors that createConsumer takes, or refuses otherwise than as invalid."""
    taken = []
    for selector in selectors:
        try:
            session.create_consumer(topic, selector).close()
        except InvalidSelectorException:
            continue
        except REFUSALS as error:
            taken.append(f"{selector} ({type(error).__name__})")
        else:
            taken.append(selector)
    return taken
