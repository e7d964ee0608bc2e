"""Subscriptions that are opened again."""

from __future__ import annotations

from typing import Any

from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.transport_protocol import SubscriptionRequest, SubscriptionType

_subscribe = PulsarClientTransport.subscribe


def subscribed_afresh(transport: PulsarClientTransport, request: SubscriptionRequest) -> Any:
    """An unshared subscription is removed before it is opened."""
    administration = transport._administration
    if administration is not None and request.type is SubscriptionType.EXCLUSIVE:
        administration.delete_subscription(request.topics[0], request.name)
    return _subscribe(transport, request)
