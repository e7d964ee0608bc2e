"""Workloads of one mode of acknowledgement each, with every kind of subscription of a topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jms_histories.values import Ordering
from touchstone.workloads.library.promises import ALONE, BASIC, GROUPED, LAZILY, TOGETHER
from touchstone.workloads.library.settings import PULSAR, SINGLY
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    SendingTask,
    SubscriptionKind,
    Workload,
    WorkloadDestination,
)


def _every_kind(
    name: str, acknowledgement: Acknowledgement, every: int, promises: Mapping[str, str]
) -> Workload:
    def consuming(
        kind: SubscriptionKind,
        name: str = "",
        consumers: int = 1,
        shared: str = "",
        ordering: Ordering = Ordering.PRODUCER,
    ) -> Consuming:
        return Consuming(
            destination="topic",
            name=name,
            kind=kind,
            consumers=consumers,
            acknowledgement=acknowledgement,
            every=every,
            ordering=ordering,
            grouped=ordering is Ordering.KEY,
            settings={"jms.topicSharedSubscriptionType": shared} if shared else {},
        )

    return Workload(
        name=name,
        doc=f"A subscription of each kind of a topic, consumed in {acknowledgement.value}.",
        destinations=(WorkloadDestination(name="topic", queue=False),),
        sending=(SendingTask(to="topic", producers=2, window=100, keys=32, settings=SINGLY),),
        consuming=(
            consuming(SubscriptionKind.SIMPLE),
            consuming(SubscriptionKind.DURABLE, "durable"),
            consuming(SubscriptionKind.SHARED, "shared", 2),
            consuming(SubscriptionKind.SHARED_DURABLE, "shared-durable", 2),
            consuming(SubscriptionKind.SHARED_DURABLE, "failover", 2, "Failover"),
            consuming(SubscriptionKind.SHARED_DURABLE, "by-key", 2, "Key_Shared", Ordering.KEY),
        ),
        promises={**promises, **ALONE, **GROUPED},
        messages=1_000,
        families=PULSAR,
    )


KINDS: Final = (
    _every_kind("kinds", Acknowledgement.AUTO, 1, BASIC),
    _every_kind("kinds-lazily", Acknowledgement.DUPS_OK, 1, LAZILY),
    _every_kind("kinds-client", Acknowledgement.CLIENT, 10, {**BASIC, **TOGETHER}),
    _every_kind("kinds-one-by-one", Acknowledgement.INDIVIDUAL, 5, BASIC),
    _every_kind("kinds-transacted", Acknowledgement.TRANSACTED, 10, BASIC),
)
