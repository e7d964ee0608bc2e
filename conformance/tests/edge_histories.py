"""Small histories at the edges of what kernels keep: high numbers, many blocks, disorder."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from slow_history import Consumer, Delivery, Happening, Send, SmallHistory, Subscription
from touchstone.history.values import Event, Outcome, Settle, uid

NUMBERS = (*[0] * 12, 32_764, 32_765, 70_000, 2_000_000)
"""Least numbers of histories: about the last that are screened as bits, and far beyond them."""


def disordered(history: SmallHistory, random: Random) -> SmallHistory:
    """Some deliveries change places in their sessions: they were not received in order of time."""
    rows = list(history.deliveries)
    for _ in range(min(len(rows), 4)):
        one, other = random.sample(range(len(rows)), 2) if len(rows) > 1 else (0, 0)
        if rows[one].session == rows[other].session:
            places = rows[other].ridx, rows[one].ridx
            rows[one], rows[other] = (
                replace(rows[place], ridx=ridx)
                for place, ridx in zip((one, other), places, strict=True)
            )
    return replace(history, deliveries=tuple(rows))


def recovering(random: Random) -> SmallHistory:
    """A session with much that is not settled recovers often; rows came in no order of time."""
    times = [10 + 2 * place for place in range(14)]
    for place in random.sample(range(13), random.randint(0, 3)):
        times[place], times[place + 1] = times[place + 1], times[place]
    called = [random.randint(8, 40) for _ in range(6)]
    rows = []
    for ridx, t in enumerate(times):
        ends = [t + random.randint(0, 9), *(end for end in called if end >= t)]
        s_inv = random.choice((-1, *ends * 3))
        message = uid(1, random.randrange(5))
        row = Delivery(0, ridx, 0, 0, message, t_enter=t, t_exit=t, settle=Settle.RECOVER)
        rows.append(replace(row, s_out=Outcome.INFO, s_inv=s_inv))
    recovers = tuple(Happening(0, t, Event.RECOVER) for t in called)
    return SmallHistory((), tuple(rows), (Subscription(0, exclusive=True),), recovers)


def wide(random: Random, producers: int = 200) -> SmallHistory:
    """Each message is of a producer of its own; some are lost, some come twice, in any order."""
    subs = tuple(Subscription(sub, t_drained=1 << 20, exclusive=True, ordering=1) for sub in (0, 1))
    sends = tuple(
        Send(uid(producer, seq), t_inv=producer, t_ok=producer, t_visible=producer, mid64=producer)
        for producer in range(1, producers + 1)
        for seq in range(random.choice((1, 1, 2)))
    )
    rows: list[Delivery] = []
    for sub in (0, 1):
        came = [send for send in sends if random.random() < 0.95]
        came += random.sample(came, len(came) // 20)
        random.shuffle(came)
        for ridx, send in enumerate(came):
            t = 2 * producers + ridx
            done: dict[str, Any] = {
                "settle": Settle.ACK,
                "s_out": Outcome.OK,
                "s_inv": t,
                "s_ok": t,
            }
            row = Delivery(sub, ridx, sub, sub, send.uid, t_enter=t, t_exit=t, **done)
            rows.append(replace(row, t_sent=send.t_inv))
    return SmallHistory(sends, tuple(rows), subs, consumers=(Consumer(0, 0, 0), Consumer(1, 1, 1)))
