"""Broker profiles: how brokers differ, as data.

A scenario names the profile it needs; `plain` is the usual one. `no-auto-create` switches off
`allowAutoSubscriptionCreation` alone: topics still come into being by use, since the statements
about subscriptions (SLJ-SUB-031 to 038) need a queue's topic without its subscription. A namespace
without automatic topics is a policy (`autoTopicCreation`) that a scenario sets on its own one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from touchstone.errors import BrokerError

ADMIN = "admin"
CLIENT = "client"
NOBODY = "nobody"

SERIAL_DISPATCH = "serial-dispatch"

Configuration = Mapping[str, str | int]


@dataclass(frozen=True)
class Profile:
    """One way to run a broker: settings of `standalone.conf` on top of the usual ones, and how to
    reach it.

    `secured`: tokens are asked for. The roles are ADMIN (super user), CLIENT (administrator of the
    tenant `public`: may do everything in its namespaces) and NOBODY (a valid token, no rights).
    `tls`: clients connect with TLS. `fixed_ports`: Pulsar's own ports 6650 and 8080, not free ones.
    `filters`: the broker evaluates the selectors that consumers announce (`entry_filter.py`).
    """

    name: str
    summary: str
    configuration: Configuration = field(default_factory=dict)
    secured: bool = False
    tls: bool = False
    fixed_ports: bool = False
    filters: bool = False


_ALL = (
    Profile("plain", "everything on, no authentication"),
    Profile(
        "no-auto-create",
        "subscriptions are made by an administrator only",
        {"allowAutoSubscriptionCreation": "false"},
    ),
    Profile("auth", "tokens and authorization, roles with and without rights", secured=True),
    Profile("tls", "TLS with a certificate of a private authority", tls=True),
    Profile("default-ports", "Pulsar's own ports 6650 and 8080", fixed_ports=True),
    Profile(
        "no-transactions",
        "the transaction coordinator is off",
        {"transactionCoordinatorEnabled": "false"},
    ),
    Profile("filters", "the entry filter of Starlight for JMS evaluates selectors", filters=True),
    Profile(
        SERIAL_DISPATCH,
        "what was read for a subscription is sent before anything else is read",
        # Pulsar 4.0.7 hands what it has read to another thread. When messages that come again and
        # new ones arrive from the disk together, it reads the former once more before they are
        # sent, and then two consumers have them (`python -m bench replays`).
        {"dispatcherDispatchMessagesInSubscriptionThread": "false"},
    ),
)
PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _ALL})


def profile_named(name: str) -> Profile:
    """Returns the profile `name`; raises BrokerError with the names there are."""
    try:
        return PROFILES[name]
    except KeyError:
        raise BrokerError(
            f"There is no broker profile {name!r}", hint=f"There are: {', '.join(PROFILES)}"
        ) from None


def require_plain(family: str, profile: str) -> None:
    """Raises BrokerError where a family whose only profile is `plain` is asked for another."""
    if profile != "plain":
        raise BrokerError(
            f"Brokers of the family {family} have no profile {profile!r}",
            hint="Scenarios of other profiles are judged on Pulsar; this family has 'plain'",
        )
