"""What a new consumer of a session is made of: a subscription, a screen, a source, a way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from jmsapi import Destination
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.consumer import ConsumerSession, PulsarMessageConsumer
from pulsar_jms.consuming.screening import screen_for
from pulsar_jms.consuming.subscription_requests import subscription_request, told_to_filter
from pulsar_jms.dialects.dialect import Dialect
from pulsar_jms.mapping.destinations import own_destination
from pulsar_jms.mapping.session_modes import mode_name
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.temporary.temporary_destinations import TemporaryDestinations

Made = TypeVar("Made", bound=PulsarMessageConsumer)


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

    def used(self) -> None:
        """Note that the client id can no longer be set."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What was asked for: a subscription's kind and name, and what of its messages."""

    kind: ConsumerKind
    destination: Destination
    name: str | None = None
    selector: str | None = None
    no_local: bool = False


def opened_consumer(
    session: ConsumerSession,
    connection: ConsumingConnection,
    mode: int,
    made: Callable[..., Made],
    wanted: Wanted,
) -> Made:
    """A consumer with its subscription made at the broker; `JMSException` where that fails.

    `mode` is the session's, and `made` the class of the consumer.
    """
    own = own_destination(wanted.destination)
    client, dialect = connection.client, connection.dialect
    settings = connection.settings.overridden(own.settings, repr(own))
    named = mode_name(mode, dialect.modes)
    request = subscription_request(
        wanted.kind, own, wanted.name, connection.client_id, named, settings
    )
    for topic in request.topics:
        connection.temporaries.check_consumer(topic, wanted.kind)
    not_from = connection.connection_id if wanted.no_local else None
    screen = screen_for(wanted.kind, request.type, settings, wanted.selector, not_from)
    schemas = client.schemas(settings)
    connection.used()
    request = told_to_filter(request, own, screen, settings)
    receive_queue = client.receive_queue(
        request,
        settings,
        lambda plain: dialect.transport_consumer(mode, plain, screen, request.prefetch),
    )
    redelivery = client.redelivery(request, settings, receive_queue)
    return made(session, own, receive_queue, settings, redelivery, screen, schemas)
