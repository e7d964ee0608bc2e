"""Which topics a consumer's request, or a destination, means at the moment; subscribing to them."""

from __future__ import annotations

from collections.abc import Sequence

from pulsar_jms.mapping.topic_patterns import topics_covered
from pulsar_jms.mapping.virtual_destinations import TopicSource
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.transport_protocol import SubscriptionRequest


def topics_of(
    request: SubscriptionRequest | TopicSource, administration: Administration
) -> Sequence[str]:
    """The topics of a request: those that it names, or those that its pattern covers now."""
    if request.pattern is None:
        return request.topics
    domain, _, rest = request.pattern.partition("://")
    tenant, namespace, _ = rest.split("/", 2)
    return topics_covered(request.pattern, administration.topics(domain, f"{tenant}/{namespace}"))


def create_subscriptions(
    request: SubscriptionRequest, administration: Administration, *, earliest: bool
) -> None:
    """Have the subscription on each topic of a request: from its first message on, or its end."""
    for topic in topics_of(request, administration):
        administration.create_subscription(topic, request.name, earliest=earliest)
