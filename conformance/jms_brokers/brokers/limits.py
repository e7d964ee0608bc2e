"""What an administrator limits, as data, whatever the broker.

A limit holds at something: at each destination, in each connection, or at the broker as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Resource = Literal["connections", "sessions", "consumers", "producers"]
Scope = Literal["broker", "connection", "destination"]


@dataclass(frozen=True)
class Limits:
    """The limits of a broker; None for what is not limited.

    `connections` to the broker, the harness's own included; `each` is the number of sessions,
    consumers and producers where a family limits these; `time_to_live`, in milliseconds, is the
    longest that a message may live, whatever its sender said.
    """

    connections: int | None = None
    each: int | None = None
    time_to_live: int | None = None

    def within(self, scopes: Mapping[Resource, Scope]) -> Mapping[Resource, tuple[int, Scope]]:
        """How many there may be of what brokers with these `scopes` limit, and where."""
        allowed = {
            resource: (self.connections if resource == "connections" else self.each, scope)
            for resource, scope in scopes.items()
        }
        return {
            resource: (count, scope)
            for resource, (count, scope) in allowed.items()
            if count is not None
        }


NONE = Limits()


def given_settings(**settings: int | None) -> dict[str, str | int]:
    """The settings that have a value."""
    return {name: value for name, value in settings.items() if value is not None}
