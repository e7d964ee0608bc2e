"""Which profiles RabbitMQ brokers serve: the usual one alone; the others are Pulsar's."""

from __future__ import annotations

from touchstone.brokers.profiles import profile_named
from touchstone.errors import BrokerError


def require_plain(profile: str, what: str) -> None:
    """Raises BrokerError unless `profile` is the usual one; `what` is which broker is meant."""
    wanted = profile_named(profile)
    if wanted.name != "plain":
        raise BrokerError(
            f"There is no {what} of the profile {profile!r} ({wanted.summary})",
            hint="This profile is of Pulsar's brokers; RabbitMQ is run plain",
        )
