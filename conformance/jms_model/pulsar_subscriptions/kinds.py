"""The kinds of consumers, and the subscription that each has (Starlight, table of consumers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jms_model.pulsar_subscriptions.destinations import Destination

EXCLUSIVE: Final = "Exclusive"
SHARED: Final = "Shared"
KEY_SHARED: Final = "Key_Shared"
FAILOVER: Final = "Failover"
QUEUE_SUBSCRIPTION: Final = "jms-queue"
RANDOM: Final = "a random UUID"
"""The name of a subscription that has none of its own."""
RECEIVER: Final = "receiver"


@dataclass(frozen=True, slots=True)
class SubscriptionSettings:
    """The settings of a connection factory that subscriptions depend on; None: not given."""

    client_id: str | None = None
    namespace: str | None = None
    """jms.systemNamespace."""
    queue_subscription: str | None = None
    shared_type: str | None = None
    """jms.topicSharedSubscriptionType."""
    exclusive_simple: bool | None = None
    """jms.useExclusiveSubscriptionsForSimpleConsumers."""
    precreate: bool | None = None
    """jms.precreateQueueSubscription."""
    emulation: bool | None = None
    """jms.enableClientSideEmulation, which filters on other than Exclusive subscriptions need."""
    as_texts: bool = False
    """Whether booleans are given as texts."""

    @property
    def given(self) -> dict[str, str | bool]:
        """Those that are given, by their keys."""
        every = {
            "jms.clientId": self.client_id,
            "jms.systemNamespace": self.namespace,
            "jms.queueSubscriptionName": self.queue_subscription,
            "jms.topicSharedSubscriptionType": self.shared_type,
            "jms.useExclusiveSubscriptionsForSimpleConsumers": self.exclusive_simple,
            "jms.precreateQueueSubscription": self.precreate,
            "jms.enableClientSideEmulation": self.emulation,
        }
        return {
            key: str(value).lower() if self.as_texts and isinstance(value, bool) else value
            for key, value in every.items()
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class SubscriptionForm:
    """A row of the table: type, life and name of the subscription, and which statement says so."""

    type: str
    durable: bool
    type_id: str
    life_id: str
    name_id: str

    @property
    def is_unshared(self) -> bool:
        """Whether its subscription has one consumer at a time."""
        return self.type == EXCLUSIVE


KINDS: Final[Mapping[str, SubscriptionForm]] = {
    RECEIVER: SubscriptionForm(SHARED, True, "SLJ-DEST-009", "SLJ-DEST-010", "SLJ-DEST-007"),
    "consumer": SubscriptionForm(EXCLUSIVE, False, "SLJ-SUB-001", "SLJ-SUB-002", "SLJ-SUB-003"),
    "durable_consumer": SubscriptionForm(
        EXCLUSIVE, True, "SLJ-SUB-004", "SLJ-SUB-005", "SLJ-SUB-006"
    ),
    "shared_consumer": SubscriptionForm(SHARED, False, "SLJ-SUB-007", "SLJ-SUB-008", "SLJ-SUB-009"),
    "shared_durable_consumer": SubscriptionForm(
        SHARED, True, "SLJ-SUB-010", "SLJ-SUB-011", "SLJ-SUB-012"
    ),
    "durable_subscriber": SubscriptionForm(
        EXCLUSIVE, True, "SLJ-SUB-013", "SLJ-SUB-014", "SLJ-SUB-015"
    ),
}
_KEY_SHARED: Final = {"shared_consumer": "SLJ-SUB-021", "shared_durable_consumer": "SLJ-SUB-022"}


@dataclass(frozen=True, slots=True)
class RequiredSubscription:
    """The subscription that a consumer has to have."""

    name: str
    types: Sequence[str]
    """The ones that it may be of."""
    durable: bool
    name_ids: Sequence[str]
    type_ids: Sequence[str]
    life_ids: Sequence[str]


def required_subscription(
    kind: str,
    destination: Destination,
    name: str,
    client_id: str | None,
    settings: SubscriptionSettings,
) -> RequiredSubscription:
    """The subscription of a consumer of this kind; `name`: the one that the application gave."""
    row = KINDS[kind]
    if kind == RECEIVER:
        broker_name, name_ids = _of_a_queue(destination, settings)
    elif kind == "consumer":
        broker_name, name_ids = RANDOM, [row.name_id]
    elif client_id:
        broker_name, name_ids = f"{client_id}_{name}", [row.name_id, "SLJ-IDN-003"]
    else:
        broker_name, name_ids = name, ["SLJ-IDN-004"]
    types, type_ids, life_ids = [row.type], [row.type_id], [row.life_id]
    shared = settings.shared_type or SHARED
    if kind in _KEY_SHARED and shared == KEY_SHARED:
        types, type_ids = [shared], [_KEY_SHARED[kind]]
    elif kind in _KEY_SHARED and shared == FAILOVER:
        types = [SHARED, FAILOVER]
    elif kind == "consumer" and settings.exclusive_simple is False:
        types, type_ids = [*dict.fromkeys([SHARED, shared])], ["SLJ-DLY-002"]
        type_ids += ["SLJ-CFG-005"] if settings.as_texts else []
        life_ids = ["SLJ-DLY-003"]
    elif kind == RECEIVER and settings.shared_type:
        type_ids = [row.type_id, "SLJ-SUB-023"]
    elif row.is_unshared and row.durable and settings.exclusive_simple is False:
        type_ids = [row.type_id, "SLJ-DLY-005"]
    return RequiredSubscription(broker_name, types, row.durable, name_ids, type_ids, life_ids)


def _of_a_queue(destination: Destination, settings: SubscriptionSettings) -> tuple[str, list[str]]:
    """The name of a queue's subscription: its own, the configured, or the usual one."""
    configured = settings.queue_subscription
    if not destination.subscription:
        if configured is None:
            return QUEUE_SUBSCRIPTION, ["SLJ-DEST-007"]
        return configured, ["SLJ-DEST-012"]
    if destination.is_virtual:
        ids = ["SLJ-VIRT-005"]
    else:
        ids = ["SLJ-DEST-020" if destination.namespace else "SLJ-DEST-014"]
    return destination.subscription, ids if configured is None else [*ids, "SLJ-DEST-016"]
