"""The profiles of Pulsar brokers: settings of `standalone.conf` on top of the usual ones.

`no-auto-create` switches off `allowAutoSubscriptionCreation` alone: topics still come into being by
use, since the statements about subscriptions (SLJ-SUB-031 to 038) need a queue's topic without its
subscription. A namespace without automatic topics is a policy (`autoTopicCreation`) that a scenario
sets on its own one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jms_brokers.brokers.profiles import COMMON, Profile, by_name

SERIAL_DISPATCH = "serial-dispatch"

Configuration = Mapping[str, str | int]


@dataclass(frozen=True)
class PulsarProfile(Profile):
    """One way to run a Pulsar broker; CLIENT may do everything in the tenant `public`.

    `tls`: clients connect with TLS. `fixed_ports`: Pulsar's own ports 6650 and 8080, not free ones.
    `filters`: the broker evaluates the selectors that consumers announce (`entry_filter.py`).
    """

    configuration: Configuration = field(default_factory=dict)
    tls: bool = False
    fixed_ports: bool = False
    filters: bool = False


def _common(profile: Profile) -> PulsarProfile:
    return PulsarProfile(profile.name, profile.summary, profile.secured, profile.limits)


PROFILES: Mapping[str, PulsarProfile] = by_name(
    *map(_common, COMMON.values()),
    PulsarProfile(
        "no-auto-create",
        "subscriptions are made by an administrator only",
        configuration={"allowAutoSubscriptionCreation": "false"},
    ),
    PulsarProfile("tls", "TLS with a certificate of a private authority", tls=True),
    PulsarProfile("default-ports", "Pulsar's own ports 6650 and 8080", fixed_ports=True),
    PulsarProfile(
        "no-transactions",
        "the transaction coordinator is off",
        configuration={"transactionCoordinatorEnabled": "false"},
    ),
    PulsarProfile(
        "filters", "the entry filter of Starlight for JMS evaluates selectors", filters=True
    ),
    PulsarProfile(
        SERIAL_DISPATCH,
        "what was read for a subscription is sent before anything else is read",
        # Pulsar 4.0.7 hands what it has read to another thread. When messages that come again and
        # new ones arrive from the disk together, it reads the former once more before they are
        # sent, and then two consumers have them (`python -m bench replays`).
        configuration={"dispatcherDispatchMessagesInSubscriptionThread": "false"},
    ),
)
