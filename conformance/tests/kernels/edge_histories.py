"""Small histories at the edges of what kernels keep: large numbers, blocks, disorder, crowds."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from histories.history_changes import as_recorded
from jms_histories.checks.small_history import (
    NEVER,
    ConsumerRow,
    DeliveryRow,
    Happening,
    SendRow,
    SmallHistory,
    SubscriptionRow,
)
from jms_histories.values import Event, FaultKind, Settle, SettlementOutcome, uid

NUMBERS = (*[0] * 12, 32_764, 32_765, 70_000, 2_000_000)
"""Least numbers of histories: about the last that are screened as bits, and far beyond them."""


def disordered(history: SmallHistory, random: Random) -> SmallHistory:
    """Some deliveries change places in their sessions: they were not received in order of time."""
    rows = list(history.deliveries)
    for _ in range(min(len(rows), 4)):
        first, other = random.sample(range(len(rows)), 2) if len(rows) > 1 else (0, 0)
        if rows[first].session == rows[other].session:
            places = rows[other].ridx, rows[first].ridx
            rows[first], rows[other] = (
                replace(rows[place], ridx=ridx)
                for place, ridx in zip((first, other), places, strict=True)
            )
    return replace(history, deliveries=tuple(rows))


def recovering(random: Random) -> SmallHistory:
    """A session with much that is not settled recovers often; rows came in no order of time."""
    times = [10 + 2 * place for place in range(14)]
    for place in random.sample(range(13), random.randint(0, 3)):
        times[place], times[place + 1] = times[place + 1], times[place]
    called = [random.randint(8, 40) for _ in range(6)]
    at_once = random.choice((0.0, 0.9))
    rows = []
    for ridx, t in enumerate(times):
        ends = [t + random.randint(0, 9), *(end for end in called if end >= t)]
        s_inv = random.choice((-1, *ends * 3))
        if random.random() < at_once:
            s_inv = t + random.randint(0, 3)
        message = uid(1, random.randrange(5))
        row = DeliveryRow(0, ridx, 0, 0, message, t_enter=t, t_exit=t, settle=Settle.RECOVER)
        rows.append(replace(row, s_out=SettlementOutcome.INFO, s_inv=s_inv))
    for place in random.sample(range(len(rows)), random.choice((0, 3))):
        rows[place] = replace(rows[place], settle=Settle.CLIENT_ACK)
    recovers = tuple(Happening(0, t, Event.RECOVER) for t in called)
    return SmallHistory((), tuple(rows), (SubscriptionRow(0, exclusive=True),), recovers)


def wide(random: Random, producers: int = 200) -> SmallHistory:
    """Each message is of a producer of its own; some are lost, some come twice, in any order."""
    subs = tuple(
        SubscriptionRow(sub, t_drained=1 << 20, exclusive=True, ordering=1) for sub in (0, 1)
    )
    sends = tuple(
        SendRow(
            uid(producer, seq), t_inv=producer, t_ok=producer, t_visible=producer, mid64=producer
        )
        for producer in range(1, producers + 1)
        for seq in random.choice(((0,), (0,), (0, 1), (0, 1 << 16)))
    )
    rows: list[DeliveryRow] = []
    for sub in (0, 1):
        came = [send for send in sends if random.random() < 0.95]
        came += random.sample(came, len(came) // 20)
        random.shuffle(came)
        for ridx, send in enumerate(came):
            t = 2 * producers + ridx
            done: dict[str, Any] = {
                "settle": Settle.ACK,
                "s_out": SettlementOutcome.OK,
                "s_inv": t,
                "s_ok": t,
            }
            row = DeliveryRow(sub, ridx, sub, sub, send.uid, t_enter=t, t_exit=t, **done)
            rows.append(replace(row, t_sent=send.t_inv))
    return SmallHistory(
        sends, tuple(rows), subs, consumers=(ConsumerRow(0, 0, 0), ConsumerRow(1, 1, 1))
    )


def outermost() -> SmallHistory:
    """The first message of all; one that also comes from the first subscription without bits.

    All are received in the least priority that there may be. A third, which comes, is sent when its
    subscription, the first, was drained. A fourth comes in spite of a selector. Three are being
    sent when the subscription is made, and one of them for ever: it comes, and one of the others.
    """
    kept = (2, 2, -1)
    kinds = (kept, kept, (7, 7, -1), (2, 2, 0), (1, 2, -1), (1, 2, -1), (1, -1, -1))
    sends = tuple(
        SendRow(uid(0, seq), t_inv=t_inv, t_ok=t_ok, match=match)
        for seq, (t_inv, t_ok, match) in enumerate(kinds)
    )
    done: dict[str, Any] = {
        "settle": Settle.ACK,
        "s_out": SettlementOutcome.OK,
        "s_inv": 8,
        "s_ok": 8,
    }
    done["priority"] = -128
    places = ((0, 0), (1, 0), (1, 32_767), (2, 0), (3, 0), (4, 0), (6, 0))
    rows = tuple(DeliveryRow(0, 0, 0, sub, uid(0, seq), t_enter=8, **done) for seq, sub in places)
    return as_recorded(SmallHistory(sends, rows, (SubscriptionRow(0, t_from=2, t_drained=4),)))


def skipping(random: Random) -> SmallHistory:
    """Consumers in order miss messages, each of some scopes: priorities, modes, keys, sessions."""
    kinds = [(random.choice((4, 4, 3)), random.choice((2, 2, 1)), random.choice((0, 0, -1, 1)))]
    kinds.append((kinds[0][0], kinds[0][1], random.choice((0, 1))))
    kinds.append((kinds[0][0] + random.randint(0, 1), random.choice((1, 2)), kinds[0][2]))
    sends, rows = [], []
    for seq in range(12):
        priority, mode, key = random.choice(kinds)
        kind: dict[str, Any] = {"priority": priority, "mode": mode, "key": key}
        number = uid(random.choice((1, 1, 1, 2)), seq)
        sends.append(SendRow(number, t_inv=seq, t_ok=seq, t_visible=seq, **kind))
        for sub in (0, 1):
            if random.random() < 0.7:
                session, consumer = random.choice(((0, 0), (0, 0), (0, 1), (1, 0), (1, 1)))
                t = 20 + seq + sub
                row = DeliveryRow(session, 0, consumer, sub, number, t_enter=t, t_exit=t, **kind)
                rows.append(replace(row, t_sent=seq))
    for place in random.sample(range(len(rows)), 2):
        rows[place] = replace(rows[place], t_enter=20 + random.randrange(14))
    orderings = random.choice(((1, 2), (2, 1), (2, 2)))
    subs = tuple(
        SubscriptionRow(sub, t_drained=99, exclusive=True, ordering=ordering)
        for sub, ordering in enumerate(orderings)
    )
    return as_recorded(SmallHistory(tuple(sends), tuple(rows), subs))


def tied(random: Random) -> SmallHistory:
    """Two consumers in order, which miss the same messages in scopes of one width."""
    readers = random.choice((((0, 1), (1, 0)), ((0, 1), (0, 0)), ((1, 0), (0, 1))))
    first, width = random.randint(0, 3), random.randint(5, 7)
    sends = tuple(SendRow(uid(1, seq), t_inv=seq, t_ok=seq, t_visible=seq) for seq in range(12))
    rows = []
    for place, (session, consumer) in enumerate(readers):
        for seq in (first + place, first + place + 1, first + place + width):
            row = DeliveryRow(session, 0, consumer, 0, uid(1, seq), t_sent=seq)
            t = 20 + 20 * place + seq
            rows.append(replace(row, t_enter=t, t_exit=t))
    sub = SubscriptionRow(0, t_drained=99, exclusive=True, ordering=1)
    return as_recorded(SmallHistory(sends, tuple(rows), (sub,)))


def overtaken(random: Random) -> SmallHistory:
    """Messages of all priorities that there may be overtake others at a few consumers."""
    levels = random.choice(((4, 5), (0, 1, 2), (-128, -1, 127), (127, 126), (3, 4, 9)))
    rows = []
    for place in range(random.randint(6, 14)):
        consumer, t = random.choice((0, 0, 1)), place + random.choice((0, 0, 1))
        row = DeliveryRow(0, 0, consumer, consumer, uid(1, place), priority=random.choice(levels))
        delayed = random.choice((-1, -1, max(t - random.randint(0, 3), 0)))
        times: dict[str, Any] = {"t_sent": max(t - random.randint(0, 6), 0), "deliver_at": delayed}
        rows.append(replace(row, **times, t_enter=t, t_exit=t, count=random.choice((-1, 1, 1, 2))))
    subs = (SubscriptionRow(0), SubscriptionRow(1))
    slack = random.choice((0, 0, 1, 2))
    return as_recorded(SmallHistory((), tuple(rows), subs, priority_slack=slack))


def grouping(random: Random) -> SmallHistory:
    """Consumers of a group come and go, and messages of few keys reach them nearly in order."""
    rows, most, near = [], random.choice((3, 12)), random.choice(((0, 0, 1), (-20, -9, 9)))
    for gseq in range(24):
        sent = gseq * 2 + random.randint(-3, 3)
        t = max(sent, 0) + random.randint(0, 9)
        consumer = random.choice((0, 0, 1, 2, gseq // 6))
        session = random.choice((consumer, random.randrange(2)))
        row = DeliveryRow(session, 0, consumer, 0, uid(1, gseq), key=random.choice((0, 0, 0, 1)))
        times: dict[str, Any] = {"t_sent": max(sent, 0), "t_enter": t, "t_exit": t}
        rows.append(replace(row, gseq=max(gseq + random.choice((-4, -1, 0, *near)), 0), **times))
    kinds = (Event.CONSUMER_OPEN, Event.CONSUMER_CLOSE, Event.CLOSE, Event.FAULT_BEGIN)
    events = tuple(
        Happening(random.randrange(4), random.randrange(60), random.choice(kinds), consumer)
        for consumer in random.choices(range(4), k=random.randint(0, most))
    )
    after = random.choice((None, Event.FAULT_BEGIN, Event.FAULT_END))
    if after is not None:
        events += (Happening(-1, 90, after, random.choice((FaultKind.LOST_RECORD, FaultKind.CUT))),)
    consumers = tuple(ConsumerRow(number, number, 0) for number in range(4))
    sub = SubscriptionRow(0, grouped=True)
    return as_recorded(SmallHistory((), tuple(rows), (sub,), events, consumers))


def dying(random: Random) -> SmallHistory:
    """Messages fail, as often as they may or nearly; copies come from dead-letter queues."""
    sends, rows = [], []
    for seq in range(4):
        kind: dict[str, Any] = {
            "mode": random.choice((1, 2, 2)),
            "expire_at": random.choice((-1, -1, -1, 9)),
        }
        t_ok = seq + 2 * (seq % 3)
        sends.append(SendRow(uid(1, seq), t_inv=seq, t_ok=t_ok, t_visible=seq, **kind))
        for sub in (0, 1):
            t = seq + random.randint(0, 3)
            for _ in range(random.choice((0, 1, 1, 2, 3))):
                t += random.randint(0, 3)
                settled: dict[str, Any] = {
                    "settle": random.choice((*[Settle.NACK] * 8, *Settle)),
                    "s_out": random.choice((0, 0, 0, 1, 2)),
                    "s_inv": t + random.choice((0, 1, 1, 2)),
                }
                row = DeliveryRow(random.randrange(2), 0, 0, sub, uid(1, seq), **kind, **settled)
                rows.append(replace(row, t_sent=seq, t_enter=t, s_ok=row.s_inv + 1, t_exit=t))
            for _ in range(random.choice((0, 0, 1, 2))):
                copy = DeliveryRow(2, 0, 9, -1 - sub, uid(1, seq), **kind, t_sent=seq)
                rows.append(replace(copy, t_enter=t + random.randint(-1, 3)))
    subs = tuple(
        SubscriptionRow(
            sub,
            max_deliveries=random.choice((0, 1, 1, 2, 2, -1)),
            t_drained=random.choice((random.randint(4, 12), 30)),
            t_dlq_drained=random.choice((-1, 0, 30, 30)),
        )
        for sub in (0, 1)
    )
    begin = random.randint(0, 14)
    fault = (
        Happening(-1, begin, Event.FAULT_BEGIN, 0),
        Happening(-1, begin + random.randint(0, 3), Event.FAULT_END, 0),
    )
    events = fault if random.random() < 0.6 else ()
    return as_recorded(SmallHistory(tuple(sends), tuple(rows), subs, events))


def crossing(random: Random) -> SmallHistory:
    """A group reaches several consumers, each in order, while one more has come; all is settled."""
    sends: list[SendRow] = []
    rows: list[DeliveryRow] = []
    for gseq in range(10):
        t = gseq // 4
        send = SendRow(uid(1, gseq), key=0, gseq=gseq, t_inv=t, t_ok=t, t_visible=t)
        consumer, last = random.randrange(3), 10 + gseq
        for row in rows:
            last = max(last, row.t_enter + 1) if row.consumer == consumer else last
        t = last + random.choice((0, 1, 5, 20))
        done: dict[str, Any] = {
            "settle": Settle.ACK,
            "s_out": SettlementOutcome.OK,
            "s_inv": t,
            "s_ok": t,
        }
        row = DeliveryRow(consumer, 0, consumer, 0, send.uid, key=0, gseq=gseq, **done)
        rows.append(replace(row, t_sent=send.t_inv, t_enter=t, t_exit=t))
        sends.append(send)
    consumers = tuple(ConsumerRow(number, number, 0) for number in range(3))
    opened = tuple(
        Happening(reader.session, 4 + reader.session, Event.CONSUMER_OPEN, reader.consumer)
        for reader in consumers
    )
    subs = (SubscriptionRow(0, shared=True, grouped=True),)
    return as_recorded(SmallHistory(tuple(sends), tuple(rows), subs, opened, consumers))


def piping(random: Random) -> SmallHistory:
    """What is consumed causes outputs, of which none, one or more are seen; a record may be cut."""
    sends: list[SendRow] = []
    rows: list[DeliveryRow] = []
    done: dict[str, Any] = {"settle": Settle.ACK, "s_out": SettlementOutcome.OK}
    for seq in range(4):
        sends.append(SendRow(uid(1, seq)))
        rows.append(DeliveryRow(0, seq, 0, 0, uid(1, seq), **done))
        for _ in range(random.choice((0, 1, 2, 3))):
            output = uid(2, len(sends))
            sends.append(SendRow(output, dest=1, cause=uid(1, seq)))
            if random.random() < 0.8:
                rows.append(DeliveryRow(1, 0, 1, 1, output, **done))
    subs = (
        SubscriptionRow(0, through=True, t_drained=random.choice((0, 0, 9))),
        SubscriptionRow(1, dest=1, t_drained=random.choice((-1, 0, 0, 0))),
    )
    truncated = random.choice(({}, {2: 99}, {2: len(sends) - 2}))
    return as_recorded(SmallHistory(tuple(sends), tuple(rows), subs, truncated=truncated))


MOMENTS = 10
"""So few that whatever may begin, end, come or be called at one time does."""


def crowded(random: Random) -> SmallHistory:
    """All happens within a few moments: times are equal, or next to each other, everywhere."""
    return as_recorded(
        SmallHistory(
            tuple(_send(random, uid(seq % 2, seq)) for seq in range(6)),
            tuple(_delivery(random) for _ in range(random.randint(1, 24))),
            tuple(_subscription(random, sub) for sub in range(3)),
            tuple(_happening(random) for _ in range(random.randint(0, 8))),
            tuple(ConsumerRow(number, number % 2, number % 3) for number in range(4)),
            epsilon=random.choice((0, 0, 1)),
            priority_slack=random.choice((0, 1, 3)),
        )
    )


def _moment(random: Random, *others: int) -> int:
    return random.choice((random.randrange(MOMENTS), random.randrange(MOMENTS), *others))


def _send(random: Random, number: int) -> SendRow:
    limits = {name: random.choice((-1, -1, -1, _moment(random))) for name in LIMITS}
    t = _moment(random)
    return SendRow(
        number,
        dest=random.choice((0, 0, 0, 1)),
        key=random.choice((-1, 0, 0, 1)),
        priority=random.choice((4, 4, 5)),
        mode=random.choice((1, 2)),
        t_inv=t,
        t_ok=_moment(random, -1, t),
        fate=random.choice((0, 1, 2, 2, 2)),
        tx=random.choice((-1, -1, 0, 1)),
        t_visible=_moment(random, -1, t),
        mid64=random.choice((-1, NEAR_NONE, number)),
        cause=random.choice((-1, -1, -1, uid(0, 0), uid(1, 1))),
        match=random.choice((-1, -1, 0, 1, 2)),
        **limits,
    )


LIMITS = ("deliver_at", "expire_at")
NEAR_NONE = -1_018_231_460_777_725_124
"""A message id that has the fingerprint of -1, which is none."""


def _delivery(random: Random) -> DeliveryRow:
    seq, t, session = random.randrange(6), _moment(random), random.randrange(2)
    limits = {name: random.choice((-1, -1, -1, _moment(random))) for name in LIMITS}
    s_inv = _moment(random, -1, t)
    return DeliveryRow(
        session=session,
        ridx=0,
        consumer=random.choice((session, session, random.randrange(4))),
        sub=random.choice((*[0] * 6, 1, 2, -1, -2, 3, 4, -6)),
        uid=random.choice((uid(seq % 2, seq), uid(0, 2 * (seq // 2)), uid(0, 0))),
        key=random.choice((-1, *[0] * 6, 1)),
        gseq=random.choice((-1, 0, 1, 2, 3)),
        priority=random.choice((4, 4, 4, 5)),
        mode=random.choice((1, 2, 2, 2)),
        t_sent=_moment(random, t),
        t_enter=t,
        t_exit=_moment(random, t, t),
        redelivered=random.random() < 0.3,
        count=random.choice((-1, 1, 1, 1, 2, 3)),
        settle=random.choice((*Settle, Settle.ACK, Settle.CLIENT_ACK, Settle.CLIENT_ACK)),
        s_out=random.choice((0, 0, 0, 1, 2, 3)),
        s_inv=s_inv,
        s_ok=random.choice((-1, s_inv, _moment(random))),
        **limits,
    )


def _subscription(random: Random, sub: int) -> SubscriptionRow:
    return SubscriptionRow(
        sub,
        dest=random.choice((0, 0, 1)),
        t_from=random.choice((0, 0, _moment(random))),
        t_to=random.choice((NEVER, NEVER, _moment(random))),
        t_drained=random.choice((-1, _moment(random), MOMENTS, MOMENTS)),
        t_dlq_drained=random.choice((-1, 0, MOMENTS)),
        exclusive=random.random() < 0.5,
        grouped=random.random() < 0.5,
        through=random.random() < 0.3,
        ordering=random.randrange(3),
        bit=random.choice((0, 1, 63)),
        max_deliveries=random.choice((-1, -1, 0, 1, 2)),
    )


def _happening(random: Random) -> Happening:
    event = random.choice((*Event, Event.FAULT_BEGIN, Event.FAULT_END, Event.RECOVER))
    arg = random.randrange(2 if event in (Event.FAULT_BEGIN, Event.FAULT_END) else 4)
    return Happening(random.randrange(2), _moment(random), event, arg)


EDGES = (
    *((8, recovering), (3, crowded), (8, skipping), (12, tied)),
    *((8, overtaken), (8, grouping), (8, dying), (24, piping)),
)
"""Kinds of small histories, each with how many random ones there are for one of its own."""
