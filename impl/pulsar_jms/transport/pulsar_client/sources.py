"""Several topics for one consumer of pulsar-client: a list of them, or a pattern."""

from __future__ import annotations

import copy
import re
from typing import Any

import _pulsar

from pulsar_jms.transport.transport_protocol import SubscriptionRequest


def topics_to_subscribe(client: Any, request: SubscriptionRequest) -> tuple[Any, Any]:
    """The client to call `subscribe` of, and what to give it for the topics of a request."""
    if request.pattern is None:
        return client, list(request.topics) if len(request.topics) > 1 else request.topics[0]
    seeking = copy.copy(client)
    seeking._client = _Seeking(client._client, request)
    return seeking, re.compile(request.pattern)


class _Seeking:
    """The native client, with settings that pulsar-client's own Python layer does not pass on."""

    def __init__(self, native: Any, request: SubscriptionRequest) -> None:
        self._native = native
        self._request = request

    def subscribe_pattern(self, pattern: str, name: str, configuration: Any) -> Any:
        """Subscribe with the period of the request, in the domain of its pattern."""
        configuration.pattern_auto_discovery_period(self._request.discovery_period)
        modes = _pulsar.RegexSubscriptionMode
        configuration.regex_subscription_mode(
            modes.NonPersistentOnly if pattern.startswith("non-") else modes.PersistentOnly
        )
        return self._native.subscribe_pattern(pattern, name, configuration)
