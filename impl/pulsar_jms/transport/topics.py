"""Which topics a consumer's request, or a destination, means at the moment."""

from __future__ import annotations

from collections.abc import Sequence

from pulsar_jms.mapping.topic_patterns import covered
from pulsar_jms.mapping.virtual_destinations import Source
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.interface import SubscriptionRequest


def topics_of(
    request: SubscriptionRequest | Source, administration: Administration
) -> Sequence[str]:
    """The topics of a request: those that it names, or those that its pattern covers now."""
    if request.pattern is None:
        return request.topics
    domain, _, rest = request.pattern.partition("://")
    tenant, namespace, _ = rest.split("/", 2)
    return covered(request.pattern, administration.topics(domain, f"{tenant}/{namespace}"))
