"""How a run went, and its description, which the seal of its history reads: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jms_clients.errors import NotTheClients
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.recording import HistoryDescription, Moment, SubscriptionEntry, this_boot
from jms_histories.values import NONE
from touchstone.workloads.tasks import Numbered, ReceivingTask, WorkloadPlan
from touchstone.workloads.worker_pool import WorkerPool

EPSILON = 5_000_000
"""Nanoseconds: clients and brokers count delivery times in milliseconds, by other clocks."""
PRIORITY_SLACK = 50_000_000
HOST = "here"
_OPEN_END = 1 << 62


@dataclass
class RunOutcome:
    """How a run went. Seconds; `trouble` is empty when it may be judged."""

    sent: int = 0
    received: int = 0
    sending: float = 0.0
    draining: float = 0.0
    failure: str = ""
    fault: NotTheClients | None = None
    """What of the broker or of the harness was the trouble; None where the client may be it."""
    moments: list[Moment] = field(default_factory=list)

    @property
    def rates(self) -> dict[str, float]:
        """Seconds and rates, for those who read the history; nothing of a run that did not end."""
        if self.failure or not (self.sending and self.draining):
            return {}
        return {
            "seconds_of_sending": round(self.sending, 1),
            "seconds_until_drained": round(self.draining, 1),
            "sent_a_second": round(self.sent / self.sending),
            "received_a_second": round(self.received / (self.sending + self.draining)),
        }


@dataclass
class SubscriptionTimes:
    """When subscriptions began, ended and were seen to be empty, by their numbers; nanoseconds.

    Of dead letters (-1-k) there is the last alone.
    """

    begun: dict[int, int] = field(default_factory=dict)
    ended: dict[int, int] = field(default_factory=dict)
    drained: dict[int, int] = field(default_factory=dict)


def recording(
    run: str,
    plan: WorkloadPlan,
    pool: WorkerPool,
    outcome: RunOutcome,
    times: SubscriptionTimes,
    *,
    broker: str,
    finished: bool,
) -> HistoryDescription:
    """The description of a run as it stands; `broker` says what it is driven against."""
    workload, workers = plan.workload, list(pool.everybody())
    return HistoryDescription(
        run=run,
        epsilon=EPSILON,
        priority_slack=PRIORITY_SLACK,
        checks=tuple(sorted(workload.promises)),
        sessions={worker.task.session: HOST for worker in workers},
        producers={
            worker.task.producer: worker.task.session for worker in workers if worker.task.producer
        },
        consumers=tuple(
            ConsumerPlace(number, worker.task.session, worker.task.sub)
            for worker in workers
            if isinstance(worker.task, ReceivingTask)
            for number in worker.task.consumers
        ),
        subscriptions=_rows(plan.subscriptions, times),
        moments=tuple(outcome.moments),
        names={
            "dest": {str(endpoint.dest): name for name, endpoint in plan.endpoints.items()},
            "sub": {
                str(subscription.sub): pool.destination_of(subscription.sub)
                for subscription in plan.subscriptions
            },
            "session": {str(worker.task.session): pool.named(worker) for worker in workers},
        },
        settings={
            "workload": workload.name,
            "provider": plan.provider.name,
            "provider_version": plan.provider.version,
            "broker": broker,
            "messages": plan.messages,
            "seed": plan.seed,
            **outcome.rates,
            "promises": dict(workload.promises),
        },
        finished_on=this_boot() if finished else "",
    )


def _rows(
    subscriptions: Sequence[Numbered], times: SubscriptionTimes
) -> tuple[SubscriptionEntry, ...]:
    return tuple(
        SubscriptionEntry(
            sub=subscription.sub,
            dest=subscription.source.dest,
            t_from=times.begun.get(subscription.sub, NONE),
            t_to=times.ended.get(subscription.sub, _OPEN_END),
            t_drained=times.drained.get(subscription.sub, NONE),
            t_dlq_drained=times.drained.get(-1 - subscription.sub, NONE),
            durable=subscription.consuming.kind.durable,
            shared="SHARED" in subscription.consuming.kind.name,
            exclusive=subscription.consuming.kind.exclusive,
            grouped=subscription.consuming.grouped,
            through=bool(subscription.consuming.forwards_to),
            ordering=int(subscription.consuming.ordering),
            selector_id=subscription.sub if subscription.consuming.selector else NONE,
            bit=subscription.bit,
            max_deliveries=subscription.consuming.max_deliveries,
        )
        for subscription in subscriptions
    )
