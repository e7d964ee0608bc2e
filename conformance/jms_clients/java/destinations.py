"""Queues and topics of a Java JMS client."""

from __future__ import annotations

from typing import Any

from jms_clients.java.objects import TEXT, JavaConversion, JavaObject, Jms, call, fact
from jmsapi import Destination, Queue, TemporaryQueue, TemporaryTopic, Topic


class JavaQueue(JavaObject, Queue):
    """A queue."""

    declared = "Queue"

    queue_name = fact("getQueueName", TEXT)


class JavaTopic(JavaObject, Topic):
    """A topic."""

    declared = "Topic"

    topic_name = fact("getTopicName", TEXT)


class JavaTemporaryQueue(JavaQueue, TemporaryQueue):
    """A queue that lives as long as its connection."""

    declared = "TemporaryQueue"

    delete = call("delete")


class JavaTemporaryTopic(JavaTopic, TemporaryTopic):
    """A topic that lives as long as its connection."""

    declared = "TemporaryTopic"

    delete = call("delete")


class JavaNowhere(JavaObject, Destination):
    """A destination that is neither a queue nor a topic."""

    declared = "Destination"


_KINDS: tuple[type[JavaObject], ...] = (
    JavaTemporaryQueue,
    JavaTemporaryTopic,
    JavaQueue,
    JavaTopic,
)


def destination_of(jms: Jms, java: Any) -> Any:
    """The destination of Java as one of jmsapi; None for null."""
    if java is None:
        return None
    fitting = [kind for kind in _KINDS if isinstance(java, jms.interface(kind.declared))]
    if len({issubclass(kind, Queue) for kind in fitting}) > 1:
        # One class of the client stands for all kinds: such classes tell by methods of their own.
        fitting = [kind_told(bool(jms.run(java.isQueue)), bool(jms.run(java.isTemporary)))]
    return (fitting[0] if fitting else JavaNowhere)(jms, java)


def kind_told(is_queue: bool, is_temporary: bool) -> type[JavaObject]:
    """The kind of a destination that tells it, since its class implements every interface."""
    if is_queue:
        return JavaTemporaryQueue if is_temporary else JavaQueue
    return JavaTemporaryTopic if is_temporary else JavaTopic


def java_destination(jms: Jms, destination: Destination | None) -> Any:
    """A destination for Java; one of another client by its name only.

    One that is neither a queue nor a topic is an object that implements the interface alone.
    """
    if destination is None:
        return None
    if isinstance(destination, JavaObject):
        return destination.java
    if isinstance(destination, Queue):
        return jms.named("Queue", destination.queue_name)
    if isinstance(destination, Topic):
        return jms.named("Topic", destination.topic_name)
    if isinstance(destination, Destination):
        return jms.named("Destination", repr(destination))
    raise TypeError(f"{destination!r} is no destination")


DESTINATION = JavaConversion(java_destination, destination_of)
