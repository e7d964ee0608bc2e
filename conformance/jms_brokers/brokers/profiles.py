"""Broker profiles: how brokers differ, as data.

A scenario names the profile it needs; `plain` is the usual one. What brokers of every family have
stands here; a family may have profiles of its own besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.limits import NONE, Limits
from jms_brokers.errors import BrokerError

ADMIN = "admin"
CLIENT = "client"
NOBODY = "nobody"
ROLES = (ADMIN, CLIENT, NOBODY)
PLAIN, AUTH, LIMITS, FEW_CONNECTIONS = "plain", "auth", "limits", "few-connections"


@dataclass(frozen=True)
class Profile:
    """One way to run a broker.

    `secured`: tokens are asked for, or the names and passwords of users. The roles are ADMIN (super
    user, the harness), CLIENT (may do everything that clients do) and NOBODY (may log in, without
    rights). `limits`: what an administrator limits (`limits.py`).
    """

    name: str
    summary: str
    secured: bool = False
    limits: Limits = NONE


P = TypeVar("P", bound=Profile)


def by_name(*profiles: P) -> Mapping[str, P]:
    """Return the profiles by their names, to be changed by nobody."""
    return MappingProxyType({profile.name: profile for profile in profiles})


COMMON = by_name(
    Profile(PLAIN, "everything on, no authentication"),
    Profile(AUTH, "authentication and authorization, roles with and without rights", secured=True),
    Profile(
        LIMITS,
        "few consumers, producers or sessions, and no message lives longer than an hour",
        limits=Limits(each=5, time_to_live=3_600_000),
    ),
    Profile(FEW_CONNECTIONS, "few connections", limits=Limits(connections=12)),
)
"""What brokers of every family have."""
PLAIN_ALONE = by_name(COMMON[PLAIN])
"""What is known of a broker that somebody else runs."""


def profile_of(family: str, profiles: Mapping[str, P], name: str) -> P:
    """Return the profile `name` of the `profiles` of a family; raises BrokerError."""
    try:
        return profiles[name]
    except KeyError:
        raise BrokerError(
            f"Brokers of the family {family} have no profile {name!r}",
            hint=f"There are: {', '.join(profiles)}",
        ) from None


def as_client(address: BrokerAddress) -> BrokerAddress:
    """Return `address` with the rights of CLIENT, where the broker has roles."""
    return address.as_role(CLIENT) if CLIENT in address.role_tokens else address
