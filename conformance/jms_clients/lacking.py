"""What of JMS a client has not got at all, although every client has to.

It excuses from nothing: scenarios find it, and a deviation has the reason. Workloads, which would
only fail to open, leave it out, and so do drawn programs, which would only lose their connection.
A provider says it in its optional attribute `lacks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jms_clients.errors import ProviderError

SHARED_SUBSCRIPTIONS: Final = "shared-subscriptions"
DELIVERY_DELAY: Final = "delivery-delay"
LACKING: Final[Mapping[str, str]] = {
    SHARED_SUBSCRIPTIONS: "several consumers can share a subscription of a topic",
    DELIVERY_DELAY: "a producer can have what it sends delivered later",
}
"""The closed list, and what cannot be done without."""
_CAME_WITH_2: Final = frozenset({SHARED_SUBSCRIPTIONS, DELIVERY_DELAY})


def lacking(provider: object, *, has_jms_2: bool = True) -> frozenset[str]:
    """What the provider says it lacks, and what a client that has no JMS 2.0 was found to.

    `ProviderError` for a name that is not in the closed list.
    """
    own: frozenset[str] = getattr(provider, "lacks", frozenset())
    for name in sorted(own - LACKING.keys()):
        raise ProviderError(
            f"No client can be said to lack {name!r}",
            hint=f"The closed list: {', '.join(LACKING)}.",
        )
    return own if has_jms_2 else own | _CAME_WITH_2
