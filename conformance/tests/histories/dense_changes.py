"""Changes of small histories that bring together what seldom meets: groups, faults, ends."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from jms_histories.checks.small_history import Happening, SmallHistory, SubscriptionRow
from jms_histories.values import Event, Mode, SendFate, Settle, SettlementOutcome


def _with_sub(history: SmallHistory, at: SubscriptionRow) -> SmallHistory:
    subs = tuple(
        at if subscription.sub == at.sub else subscription for subscription in history.subscriptions
    )
    return replace(history, subscriptions=subs)


def dense_group(history: SmallHistory, random: Random) -> SmallHistory:
    """Many deliveries of a subscription are of one key, with small numbers, at any consumer."""
    if not history.subscriptions or not history.consumers:
        return history
    at = random.choice(history.subscriptions)
    readers = random.choices(history.consumers, k=random.choice((2, 2, 4)))
    rows = []
    for row in history.deliveries:
        if row.sub == at.sub and random.random() < 0.7:
            reader = random.choice(readers)
            grouped: dict[str, Any] = {"key": 0, "gseq": random.randint(0, 4), "deliver_at": -1}
            grouped |= {"count": 1, "redelivered": False, "consumer": reader.consumer}
            if random.random() < 0.5:
                grouped["session"] = reader.session
            row = replace(row, **grouped)
        rows.append(row)
    history = replace(history, deliveries=tuple(rows))
    return _with_sub(history, replace(at, grouped=True))


def failed_message(history: SmallHistory, random: Random) -> SmallHistory:
    """All deliveries of a message failed, as often as its subscription allows."""
    rows = [row for row in history.deliveries if row.sub in history.subs]
    if not rows:
        return history
    chosen = random.choice(rows)
    last = max(row.t_enter for row in history.deliveries) + 9
    mode = random.choice((Mode.NON_PERSISTENT, Mode.PERSISTENT))
    failed: dict[str, Any] = {
        "settle": Settle.NACK,
        "s_out": SettlementOutcome.OK,
        "expire_at": -1,
        "mode": mode,
    }
    deliveries = tuple(
        replace(row, **failed) if (row.uid, row.sub) == (chosen.uid, chosen.sub) else row
        for row in history.deliveries
    )
    drained = random.choice((0, chosen.t_enter, last))
    at = replace(history.subs[chosen.sub], max_deliveries=1, t_drained=last, t_dlq_drained=drained)
    return _with_sub(replace(history, deliveries=deliveries), at)


def copies_about_a_fault(history: SmallHistory, random: Random) -> SmallHistory:
    """Copies of a message come from a dead-letter queue before and after a fault begins."""
    rows = [row for row in history.deliveries if row.sub >= 0]
    if not rows:
        return history
    row = random.choice(rows)
    begins = [event.t for event in history.events if event.event == Event.FAULT_BEGIN]
    t = random.choice(begins) if begins else row.t_enter
    copies = tuple(
        replace(
            row,
            sub=-1 - row.sub,
            session=row.session + random.choice((0, 100)),
            t_enter=max(0, t + random.choice((-3, -1, 0, 1, 3))),
        )
        for _ in range(random.randint(1, 3))
    )
    return replace(history, deliveries=(*history.deliveries, *copies))


def recovered_session(history: SmallHistory, random: Random) -> SmallHistory:
    """A session with two consumers recovers now and then; some of what it holds is not settled."""
    if not history.deliveries or not history.subscriptions:
        return history
    session = random.choice(history.deliveries).session
    own = [row for row in history.deliveries if row.session == session]
    consumers = [row.consumer for row in random.choices(history.deliveries, k=2)]
    times = [row.t_enter for row in own]
    rows = []
    for row in history.deliveries:
        if row.session == session:
            s_inv = random.choice((-1, -1, row.s_inv, random.choice(times)))
            changes: dict[str, Any] = {"s_inv": s_inv, "s_ok": -1, "expire_at": -1}
            row = replace(row, consumer=random.choice(consumers), **changes)
        rows.append(row)
    recovers = tuple(
        Happening(session, max(0, random.choice(times) + random.choice((0, 1))), Event.RECOVER)
        for _ in range(random.randint(1, 3))
    )
    at = random.choice(history.subscriptions)
    history = replace(history, deliveries=tuple(rows), events=(*history.events, *recovers))
    return _with_sub(history, replace(at, exclusive=True, max_deliveries=-1))


def skipped_messages(history: SmallHistory, random: Random) -> SmallHistory:
    """An exclusive subscription in order, drained, misses messages of several priorities."""
    if not history.subscriptions or not history.deliveries:
        return history
    at = random.choice(history.subscriptions)
    priorities, modes = random.choice((((4,), (2,)), ((3, 4), (1, 2))))
    kinds = {send.uid: (random.choice(priorities), random.choice(modes)) for send in history.sends}
    sends = tuple(
        replace(send, priority=kinds[send.uid][0], mode=kinds[send.uid][1])
        for send in history.sends
    )
    rows = []
    for row in history.deliveries:
        if row.sub != at.sub or random.random() < 0.8:
            priority, mode = kinds.get(row.uid, (row.priority, row.mode))
            rows.append(replace(row, priority=priority, mode=mode))
    last = max(row.t_enter for row in history.deliveries) + 9
    order: dict[str, Any] = {"exclusive": True, "ordering": random.choice((1, 2))}
    at = replace(at, **order, t_drained=last, max_deliveries=-1)
    return _with_sub(replace(history, sends=sends, deliveries=tuple(rows)), at)


def closed_as_it_came(history: SmallHistory, random: Random) -> SmallHistory:
    """A delivery that is never settled comes when its consumer or session ends, and then again."""
    rows = [row for row in history.deliveries if row.sub >= 0]
    if not rows:
        return history
    place = history.deliveries.index(random.choice(rows))
    unsettled: dict[str, Any] = {"settle": Settle.NONE, "s_out": SettlementOutcome.NONE}
    row = replace(history.deliveries[place], **unsettled, s_inv=-1, s_ok=-1)
    end = random.choice((Event.CLOSE, Event.KILLED, Event.CONSUMER_CLOSE))
    t = max(0, row.t_enter + random.choice((-1, 0, 0, 1)))
    closed = Happening(row.session, t, end, row.consumer if end == Event.CONSUMER_CLOSE else -1)
    again = replace(
        random.choice(history.deliveries),
        uid=row.uid,
        sub=row.sub,
        t_enter=row.t_enter + random.choice((0, 1, 1, 2)),
    )
    deliveries = (*history.deliveries[:place], row, *history.deliveries[place + 1 :], again)
    return replace(history, deliveries=deliveries, events=(*history.events, closed))


def unreturned_send(history: SmallHistory, random: Random) -> SmallHistory:
    """A send that is said to be certain, of which no time but that of calling it is known."""
    addressed = [
        (send, at) for send in history.sends for at in history.subscriptions if send.dest == at.dest
    ]
    if not addressed:
        return history
    send, at = random.choice(addressed)
    known = replace(
        send,
        fate=SendFate.MUST,
        t_ok=random.choice((-1, -1, send.t_inv)),
        t_visible=random.choice((-1, send.t_inv)),
        deliver_at=-1,
        expire_at=-1,
        cause=-1,
        tx=random.choice((-1, send.tx)),
        match=-1,
    )
    sends = tuple(known if send is send else send for send in history.sends)
    near = max(0, send.t_inv + random.choice((-1, 0, 0, 1)))
    times: dict[str, Any] = {random.choice(("t_from", "t_to", "t_drained", "t_drained")): near}
    at = replace(at, max_deliveries=-1, **{"t_drained": send.t_inv + 9, **times})
    return _with_sub(replace(history, sends=sends), at)


def same_message_id(history: SmallHistory, random: Random) -> SmallHistory:
    """Some sends have one message id."""
    chosen = {send.uid for send in history.sends if random.random() < 0.3}
    sends = tuple(replace(send, mid64=7) if send.uid in chosen else send for send in history.sends)
    return replace(history, sends=sends)


DENSE = (
    *(recovered_session, recovered_session, skipped_messages, skipped_messages),
    *(dense_group, dense_group, failed_message, failed_message, copies_about_a_fault),
    *(closed_as_it_came, unreturned_send, same_message_id),
)
