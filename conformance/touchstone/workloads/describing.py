"""How a run went, and its description, which the seal of its history reads: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jms_histories.history.manifest import Consumer
from jms_histories.history.recording import Moment, Recording, Subscription, this_boot
from jms_histories.history.values import NONE
from touchstone.errors import TouchstoneError
from touchstone.workloads.crew import Crew
from touchstone.workloads.tasks import Numbered, Plan, Receiving

EPSILON = 5_000_000
"""Nanoseconds: clients and brokers count delivery times in milliseconds, by other clocks."""
PRIORITY_SLACK = 50_000_000
HOST = "here"
_OPEN_END = 1 << 62


@dataclass
class Ran:
    """How a run went. Seconds; `trouble` is empty when it may be judged."""

    sent: int = 0
    received: int = 0
    sending: float = 0.0
    draining: float = 0.0
    trouble: str = ""
    fault: TouchstoneError | None = None
    """What of the broker or of the harness was the trouble; None where the client may be it."""
    moments: list[Moment] = field(default_factory=list)

    @property
    def paces(self) -> dict[str, float]:
        """Seconds and rates, for those who read the history; nothing of a run that did not end."""
        if self.trouble or not (self.sending and self.draining):
            return {}
        return {
            "seconds_of_sending": round(self.sending, 1),
            "seconds_until_drained": round(self.draining, 1),
            "sent_a_second": round(self.sent / self.sending),
            "received_a_second": round(self.received / (self.sending + self.draining)),
        }


@dataclass
class Spans:
    """When subscriptions began, ended and were seen to be empty, by their numbers; nanoseconds.

    Of dead letters (-1-k) there is the last alone.
    """

    begun: dict[int, int] = field(default_factory=dict)
    ended: dict[int, int] = field(default_factory=dict)
    drained: dict[int, int] = field(default_factory=dict)


def recording(
    run: str, plan: Plan, crew: Crew, ran: Ran, spans: Spans, *, broker: str, finished: bool
) -> Recording:
    """The description of a run as it stands; `broker` says what it is driven against."""
    workload, hands = plan.workload, list(crew.everybody())
    return Recording(
        run=run,
        epsilon=EPSILON,
        priority_slack=PRIORITY_SLACK,
        checks=tuple(sorted(workload.promises)),
        sessions={hand.task.session: HOST for hand in hands},
        producers={hand.task.producer: hand.task.session for hand in hands if hand.task.producer},
        consumers=tuple(
            Consumer(number, hand.task.session, hand.task.sub)
            for hand in hands
            if isinstance(hand.task, Receiving)
            for number in hand.task.consumers
        ),
        subscriptions=_rows(plan.subscriptions, spans),
        moments=tuple(ran.moments),
        names={
            "dest": {str(one.dest): name for name, one in plan.endpoints.items()},
            "sub": {str(one.sub): crew.place_of(one.sub) for one in plan.subscriptions},
            "session": {str(hand.task.session): crew.named(hand) for hand in hands},
        },
        settings={
            "workload": workload.name,
            "provider": plan.provider.name,
            "provider_version": plan.provider.version,
            "broker": broker,
            "messages": plan.messages,
            "seed": plan.seed,
            **ran.paces,
            "promises": dict(workload.promises),
        },
        finished_on=this_boot() if finished else "",
    )


def _rows(subscriptions: Sequence[Numbered], spans: Spans) -> tuple[Subscription, ...]:
    return tuple(
        Subscription(
            sub=one.sub,
            dest=one.source.dest,
            t_from=spans.begun.get(one.sub, NONE),
            t_to=spans.ended.get(one.sub, _OPEN_END),
            t_drained=spans.drained.get(one.sub, NONE),
            t_dlq_drained=spans.drained.get(-1 - one.sub, NONE),
            durable=one.consuming.kind.durable,
            shared="SHARED" in one.consuming.kind.name,
            exclusive=one.consuming.kind.exclusive,
            grouped=one.consuming.grouped,
            through=bool(one.consuming.forwards_to),
            ordering=int(one.consuming.ordering),
            selector_id=one.sub if one.consuming.selector else NONE,
            bit=one.bit,
            max_deliveries=one.consuming.max_deliveries,
        )
        for one in subscriptions
    )
