"""Clients that are wrong about contexts and what they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jms_clients.mutants.wrong import wrong
from jmsapi import Destination, Message
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.contexts.context import PulsarJMSContext
from pulsar_jms.contexts.context_consumer import PulsarJMSConsumer
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from wrong_clients.helpers.kept_producers import keep_producers

_receive = PulsarMessageConsumer.receive


@wrong("JMS-CTX-001", patches=(PulsarJMSContext, "_start_delivery"))
def context_stays_stopped(context: Any, consumer: Any) -> Any:
    """A context waits for start(), whatever it was told."""
    return PulsarJMSConsumer(consumer)


@wrong("JMS-CTX-003", patches=(PulsarJMSContext, "close"))
def first_context_closes_all(original: Callable[..., None], context: PulsarJMSContext) -> None:
    """The connection is closed with the first of its contexts."""
    original(context)
    context._connection.close()


@wrong("JMS-CTX-007", "JMS-CTX-008", patches=(PulsarJMSProducer, "send"))
def values_of_the_message_win(
    original: Callable[..., PulsarJMSProducer],
    producer: PulsarJMSProducer,
    destination: Destination,
    body: Any,
) -> PulsarJMSProducer:
    """Headers and properties of a JMSProducer are for messages that have none."""
    if not isinstance(body, Message):
        return original(producer, destination, body)
    names = [name for name in producer.property_names() if body.property_exists(name)]
    own = {name: body.get_object_property(name) for name in names}
    kept = {name: producer._headers.pop(name) for name in [*producer._headers]}
    producer._headers.update({n: v for n, v in kept.items() if getattr(body, n) is None})
    given = {name: producer.get_object_property(name) for name in names}
    for name, value in own.items():
        producer.set_property(name, value)
    original(producer, destination, body)
    producer._headers.update(kept)
    for name, kept_value in given.items():
        producer.set_property(name, kept_value)
    return producer


@wrong("JMS-CTX-011", "JMS-CTX-012", patches=(PulsarMessageConsumer, "receive_body"))
def refused_body_is_gone(
    consumer: PulsarMessageConsumer, kind: type, timeout: int | None = None, *, wait: bool = True
) -> object:
    """receiveBody acknowledges a message before it looks at its body."""
    message = _receive(consumer, timeout) if wait else consumer.receive_no_wait()
    return None if message is None else message.get_body(kind)


@wrong("JMS-CTX-015", patches=(PulsarJMSContext, "create_message"))
def context_raises_checked(context: Any) -> Any:
    """A closed context raises the checked exception of a session."""
    return context._session.create_message()


@wrong("JMS-CTX-003", patches=(PulsarJMSContext, "close"))
def producers_outlive_contexts(original: Callable[..., None], context: PulsarJMSContext) -> None:
    """The broker has the producers of closed contexts until the factory is closed."""
    keep_producers(context._connection)
    original(context)


@wrong("API-JPROD-021", patches=(PulsarJMSProducer, "clear_properties"))
def cleared_properties_reset_the_priority(
    original: Callable[..., PulsarJMSProducer], producer: PulsarJMSProducer
) -> PulsarJMSProducer:
    """clearProperties of a producer sets its priority back."""
    producer.set_priority(4)
    return original(producer)


@wrong("API-JPROD-007", patches=(PulsarJMSProducer, "completion_listener"))
def listeners_of_producers_are_kept_secret(producer: Any) -> None:
    """getAsync is always null."""


@wrong("API-CTX-001", "API-CTX-004", patches=(PulsarJMSContext, "session_mode"))
def contexts_are_in_automatic_mode(context: Any) -> int:
    """getSessionMode is AUTO_ACKNOWLEDGE, whatever the mode."""
    return 1


@wrong("API-CTX-014", patches=(PulsarJMSContext, "acknowledge"))
def contexts_acknowledge_nothing(context: Any) -> None:
    """acknowledge() of a context does nothing."""


@wrong("API-CTX-015", patches=(PulsarJMSContext, "acknowledge"))
def contexts_commit_by_acknowledge(context: PulsarJMSContext) -> None:
    """acknowledge() of a transacted context commits."""
    if context.transacted:
        context.commit()
    else:
        context._session.acknowledge()
