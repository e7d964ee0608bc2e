"""Opens consumers: subscription, message filter, receive queue and redelivery of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from jmsapi import Destination
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.consumer import ConsumerSession, PulsarMessageConsumer
from pulsar_jms.consuming.message_filter import filter_for
from pulsar_jms.consuming.subscription_requests import subscription_request, with_filter_metadata
from pulsar_jms.dialects.dialect import Dialect
from pulsar_jms.mapping.destinations import own_destination
from pulsar_jms.mapping.session_modes import mode_name
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.temporary.temporary_destinations import TemporaryDestinations

AnyConsumer = TypeVar("AnyConsumer", bound=PulsarMessageConsumer)


class ConsumingConnection(Protocol):
    """What a new consumer needs of its session's connection."""

    @property
    def client(self) -> BrokerClient: ...
    @property
    def dialect(self) -> Dialect: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def temporaries(self) -> TemporaryDestinations: ...
    @property
    def connection_id(self) -> str:
        """What JMSConnectionID of the messages says."""
        ...

    @property
    def client_id(self) -> str | None: ...

    def note_used(self) -> None:
        """Note that the client id can no longer be set."""
        ...


@dataclass(frozen=True)
class ConsumerRequest:
    """What was asked for: a subscription's kind and name, and what of its messages."""

    kind: ConsumerKind
    destination: Destination
    name: str | None = None
    selector: str | None = None
    no_local: bool = False


def open_consumer(
    session: ConsumerSession,
    connection: ConsumingConnection,
    mode: int,
    consumer_class: Callable[..., AnyConsumer],
    consumer_request: ConsumerRequest,
) -> AnyConsumer:
    """A consumer with its subscription made at the broker; `JMSException` where that fails.

    `mode` is the session's, and `consumer_class` the class of the consumer.
    """
    own = own_destination(consumer_request.destination)
    client, dialect = connection.client, connection.dialect
    settings = connection.settings.overridden(own.settings, repr(own))
    named = mode_name(mode, dialect.modes)
    request = subscription_request(
        consumer_request.kind, own, consumer_request.name, connection.client_id, named, settings
    )
    for topic in request.topics:
        connection.temporaries.check_consumer(topic, consumer_request.kind)
    not_from = connection.connection_id if consumer_request.no_local else None
    message_filter = filter_for(
        consumer_request.kind, request.type, settings, consumer_request.selector, not_from
    )
    schemas = client.schemas(settings)
    connection.note_used()
    request = with_filter_metadata(request, own, message_filter, settings)
    receive_queue = client.receive_queue(
        request,
        settings,
        lambda plain: dialect.transport_consumer(mode, plain, message_filter, request.prefetch),
    )
    redelivery = client.redelivery(request, settings, receive_queue)
    return consumer_class(
        session, own, receive_queue, settings, redelivery, message_filter, schemas
    )
