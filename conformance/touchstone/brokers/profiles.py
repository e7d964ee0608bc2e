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

from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.limits import NONE, Limits
from touchstone.errors import BrokerError

ADMIN = "admin"
CLIENT = "client"
NOBODY = "nobody"
ROLES = (ADMIN, CLIENT, NOBODY)
AUTH = "auth"
LIMITS, FEW_CONNECTIONS = "limits", "few-connections"
EVERYWHERE = (AUTH, LIMITS, FEW_CONNECTIONS)
"""What brokers of every family have besides `plain`."""

SERIAL_DISPATCH = "serial-dispatch"

Configuration = Mapping[str, str | int]


@dataclass(frozen=True)
class Profile:
    """One way to run a broker: settings of `standalone.conf` on top of the usual ones, and how to
    reach it.

    `secured`: tokens are asked for, by brokers other than Pulsar's the names and passwords of
    users. The roles are ADMIN (super user, the harness), CLIENT (may do everything that clients do;
    on Pulsar in the tenant `public`) and NOBODY (may log in, without rights).
    `tls`: clients connect with TLS. `fixed_ports`: Pulsar's own ports 6650 and 8080, not free ones.
    `filters`: the broker evaluates the selectors that consumers announce (`entry_filter.py`).
    `limits`: what an administrator limits (`limits.py`).
    """

    name: str
    summary: str
    configuration: Configuration = field(default_factory=dict)
    secured: bool = False
    tls: bool = False
    fixed_ports: bool = False
    filters: bool = False
    limits: Limits = NONE


_ALL = (
    Profile("plain", "everything on, no authentication"),
    Profile(
        "no-auto-create",
        "subscriptions are made by an administrator only",
        {"allowAutoSubscriptionCreation": "false"},
    ),
    Profile(AUTH, "authentication and authorization, roles with and without rights", secured=True),
    Profile(
        LIMITS,
        "few consumers, producers or sessions, and no message lives longer than an hour",
        limits=Limits(each=5, time_to_live=3_600_000),
    ),
    Profile(FEW_CONNECTIONS, "few connections", limits=Limits(connections=12)),
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


def as_client(address: BrokerAddress) -> BrokerAddress:
    """Returns `address` with the rights of CLIENT, where the broker has roles."""
    return address.as_role(CLIENT) if CLIENT in address.role_tokens else address


def served(family: str, profile: str, *others: str) -> Profile:
    """Returns `profile` where a family has it that serves `plain` and `others` alone.

    Raises BrokerError where it has not.
    """
    there = ("plain", *others)
    if profile not in there:
        raise BrokerError(
            f"Brokers of the family {family} have no profile {profile!r}",
            hint="Scenarios of other profiles are judged on Pulsar; "
            f"this family has {' and '.join(map(repr, there))}",
        )
    return profile_named(profile)
