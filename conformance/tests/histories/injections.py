"""One smallest offence against each check, put into any history.

Each stands on a stage of its own: a subscription, a session and producers that the history does not
have, after all that happened in it. D33 has none: it is a number and finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from histories.history_changes import as_recorded
from jms_histories.checks.small_history import (
    ConsumerRow,
    DeliveryRow,
    Happening,
    SendRow,
    SmallHistory,
    SubscriptionRow,
)
from jms_histories.values import Event, Ordering, SendFate, Settle, SettlementOutcome, uid

STAGE = 900
"""Number of the subscription, session, destination and consumer; the second ones follow."""
PRODUCER = 90_000


@dataclass
class Stage:
    """Where an offence is played: times are from its beginning."""

    begin: int
    epsilon: int = 0
    sends: list[SendRow] = field(default_factory=list)
    rows: list[DeliveryRow] = field(default_factory=list)
    subs: list[SubscriptionRow] = field(default_factory=list)
    events: list[Happening] = field(default_factory=list)

    def sub(self, **columns: Any) -> None:
        """The subscription; drained at 100 unless said otherwise."""
        at = {"t_from": 0, "t_drained": self.begin + 100, "bit": 3, **columns}
        self.subs.append(SubscriptionRow(STAGE, dest=STAGE, **at))

    def send(self, seq: int = 0, t: int = 0, **columns: Any) -> SendRow:
        """A send at t, well done."""
        t += self.begin
        values = {"t_inv": t, "t_ok": t + 1, "t_visible": t, **columns}
        self.sends.append(SendRow(uid(PRODUCER, seq), dest=STAGE, **values))
        return self.sends[-1]

    def row(self, seq: int, t: int, **columns: Any) -> None:
        """A first delivery at t of a message sent at 0, acknowledged at once."""
        t += self.begin
        number = uid(PRODUCER, seq)
        send = next((send for send in self.sends if send.uid == number), SendRow(number, t_inv=t))
        carried = ("dest", "key", "gseq", "priority", "mode", "deliver_at", "expire_at", "body64")
        values: dict[str, Any] = {name: getattr(send, name) for name in carried}
        values |= {"t_sent": send.t_inv, "t_enter": t, "t_exit": t, "settle": Settle.ACK}
        values |= {"s_out": SettlementOutcome.OK, "s_inv": t, "s_ok": t, "head64": send.head64}
        values |= {"session": STAGE, "consumer": STAGE, "sub": STAGE, **columns}
        self.rows.append(DeliveryRow(ridx=len(self.rows), uid=number, **values))

    def again(self, seq: int, t: int, **columns: Any) -> None:
        """A second delivery that says so."""
        self.row(seq, t, **{"redelivered": True, "count": 2, **columns})

    def event(self, event: Event, t: int, arg: int = -1) -> None:
        """An event of the session at t."""
        self.events.append(Happening(STAGE, self.begin + t, event, arg))


OPEN = {"settle": Settle.NONE, "s_out": SettlementOutcome.NONE, "s_inv": -1, "s_ok": -1}


def _d01(stage: Stage) -> None:
    stage.sub()
    stage.send()


def _d02(stage: Stage) -> None:
    stage.sub()
    stage.row(7, 1)


def _d03(stage: Stage) -> None:
    stage.sub()
    stage.send(fate=SendFate.NEVER)
    stage.row(0, 1)


def _d04(stage: Stage) -> None:
    stage.sub()
    stage.send(match=~8)
    stage.row(0, 1)


def _d05(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1)
    stage.again(0, 2, **OPEN)


def _d06(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, settle=Settle.NACK)
    stage.row(0, 2)


def _d07(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, **OPEN)
    stage.again(0, 2)


def _d08(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1)
    stage.again(0, 1)


def _d09(stage: Stage) -> None:
    stage.sub(ordering=Ordering.PRODUCER)
    stage.send(0)
    stage.send(1, 1)
    stage.row(1, 2)
    stage.row(0, 3)


def _d10(stage: Stage) -> None:
    stage.sub(ordering=Ordering.KEY, exclusive=True)
    for seq in range(3):
        stage.send(seq, seq, key=4)
    stage.row(0, 5)
    stage.row(2, 6)


def _d11(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, count=2, redelivered=True)


def _d12(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, redelivered=True)


def _d13(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, intact=5)


def _d14(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, intact=0, head64=77)


def _d15(stage: Stage) -> None:
    stage.sub()
    stage.send(deliver_at=stage.begin + 6 + stage.epsilon)
    stage.row(0, 5)


def _d16(stage: Stage) -> None:
    stage.sub()
    stage.send(expire_at=stage.begin + 4)
    stage.row(0, 5 + stage.epsilon)


def _d17(stage: Stage) -> None:
    stage.sub()
    for seq in range(2):
        stage.send(seq, seq, tx=STAGE, t_visible=stage.begin + 5)
    stage.row(1, 6)


def _d18(stage: Stage) -> None:
    stage.sub()
    stage.send(tx=STAGE, t_visible=stage.begin + 5)
    stage.row(0, 4)


def _d19(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, settle=Settle.NACK)


def _d20(stage: Stage) -> None:
    stage.sub()
    for seq in range(2):
        stage.send(seq)
    stage.row(0, 1, t_exit=stage.begin + 3)
    stage.row(1, 2)


def _d21(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, settle=Settle.CLIENT_ACK)
    stage.again(0, 2, settle=Settle.CLIENT_ACK)


def _d22(stage: Stage) -> None:
    stage.sub(grouped=True)
    for seq in range(2):
        stage.send(seq, key=4, gseq=seq)
        stage.row(seq, 1 + seq, session=STAGE + seq, consumer=STAGE + seq)


def _d23(stage: Stage) -> None:
    stage.sub(grouped=True)
    for seq in range(2):
        stage.send(seq, key=4, gseq=1 - seq)
        stage.row(seq, 1 + seq)


def _d24(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, sub=-1 - STAGE)


def _d25(stage: Stage) -> None:
    stage.sub(max_deliveries=1, t_dlq_drained=stage.begin + 100)
    stage.send()
    stage.row(0, 1, settle=Settle.NACK)


def _d26(stage: Stage) -> None:
    stage.sub(max_deliveries=1, t_dlq_drained=stage.begin + 100)
    stage.send()
    stage.row(0, 1, settle=Settle.LAZY)
    stage.row(0, 2, sub=-1 - STAGE)


def _d27(stage: Stage) -> None:
    stage.sub(t_drained=-1)
    stage.send(0, mid64=STAGE)
    stage.send(1, mid64=STAGE)


def _d28(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.row(0, 1, **OPEN)


def _d29(stage: Stage) -> None:
    stage.sub()
    stage.send()
    stage.event(Event.START, 0)
    stage.event(Event.STOP, 1)
    stage.row(0, 1)


def _d30(stage: Stage) -> None:
    stage.sub(exclusive=True)
    for seq in range(3):
        stage.send(seq)
    stage.row(0, 1, settle=Settle.RECOVER, s_inv=stage.begin + 4)
    stage.row(1, 2, settle=Settle.RECOVER, s_inv=stage.begin + 4)
    stage.event(Event.RECOVER, 3)
    stage.row(2, 3)


def _d31(stage: Stage) -> None:
    stage.sub(through=True)
    stage.send()
    stage.row(0, 1)


def _d32(stage: Stage) -> None:
    stage.sub()
    stage.send(0, priority=3)
    stage.send(1, priority=4)
    stage.row(0, 2)
    stage.row(1, 3)


OFFENCES: dict[str, Callable[[Stage], None]] = {
    function.__name__[1:].upper(): function
    for function in (
        *(_d01, _d02, _d03, _d04, _d05, _d06, _d07, _d08, _d09, _d10, _d11, _d12, _d13, _d14),
        *(_d15, _d16, _d17, _d18, _d19, _d20, _d21, _d22, _d23, _d24, _d25, _d26, _d27, _d28),
        *(_d29, _d30, _d31, _d32),
    )
}


def injected(history: SmallHistory, check: str) -> SmallHistory:
    """The history with one offence against a check; what it needs of the history is granted.

    D31 is judged where every subscription was drained, D32 with a small slack.
    """
    times = [row.t_enter for row in history.deliveries] + [event.t for event in history.events]
    times += [row.s_ok for row in history.deliveries] + [send.t_inv for send in history.sends]
    stage = Stage(max(times, default=0) + 10, history.epsilon)
    OFFENCES[check](stage)
    sessions = {(row.consumer, row.session) for row in stage.rows}
    subs = history.subscriptions
    truncated = history.truncated
    if check == "D31":
        subs = tuple(replace(at, t_drained=max(at.t_drained, 0)) for at in subs)
        truncated = {}
    return as_recorded(
        replace(
            history,
            sends=(*history.sends, *stage.sends),
            deliveries=(*history.deliveries, *stage.rows),
            subscriptions=(*subs, *stage.subs),
            events=(*history.events, *stage.events),
            consumers=(
                *history.consumers,
                *(ConsumerRow(consumer, session, STAGE) for consumer, session in sorted(sessions)),
            ),
            priority_slack=0 if check == "D32" else history.priority_slack,
            truncated=truncated,
        )
    )
