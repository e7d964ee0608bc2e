"""Random changes of small histories: what a wrong client, broker or recorder's loss would leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from random import Random
from typing import Any

from histories.dense_changes import DENSE
from jms_histories.checks.small_history import ConsumerRow, DeliveryRow, SmallHistory


def as_recorded(history: SmallHistory) -> SmallHistory:
    """The same, with what a recorder guarantees whatever the provider does.

    Deliveries of a session are numbered in the order in which they came, no call returns before it
    began, no message is sent twice.
    """
    received: dict[int, int] = {}
    deliveries = []
    for row in sorted(history.deliveries, key=lambda row: (row.t_enter, row.session, row.ridx)):
        index = received.get(row.session, 0)
        received[row.session] = index + 1
        deliveries.append(
            replace(
                row,
                ridx=index,
                t_exit=max(row.t_exit, row.t_enter) if row.t_exit >= 0 else -1,
                s_ok=max(row.s_ok, row.s_inv) if row.s_ok >= 0 else -1,
            )
        )
    sends = {
        send.uid: replace(send, t_ok=max(send.t_ok, send.t_inv) if send.t_ok >= 0 else -1)
        for send in history.sends
    }
    return replace(history, sends=tuple(sends.values()), deliveries=tuple(deliveries))


TIMES = {"t_inv", "t_ok", "deliver_at", "expire_at", "t_visible", "t_sent", "t_enter", "t_exit"}
TIMES |= {"s_inv", "s_ok", "t_from", "t_to", "t_drained", "t_dlq_drained", "t"}
FLAGS = {"redelivered", "durable", "shared", "exclusive", "no_local", "grouped", "through"}
CHOICES: dict[str, tuple[int, ...]] = {
    "priority": (0, 4, 9),
    "mode": (1, 2),
    "fate": (0, 1, 2),
    "settle": (0, 1, 2, 3, 4, 5, 6),
    "s_out": (0, 1, 2, 3),
    "intact": (0, 1, 2, 3, 4, 5, 6, 7),
    "count": (-1, 0, 1, 2, 3, 32767),
    "ordering": (0, 1, 2),
    "max_deliveries": (-1, 0, 1, 2, 3),
    "event": (0, 1, 2, 3, 4, 5, 6, 7, 8),
    "body64": (-1, 7, 8),
    "head64": (-1, 7, 8),
    "mid64": (-1, 7, 8),
    "match": (0, -1, 1),
    "bit": (0, 1, 62),
}
SETTLED = ("settle", "s_out", "s_inv", "s_ok")
KEPT = {"selector_id", "dest", "durable", "shared", "no_local"}


def near(random: Random, times: Sequence[int]) -> int:
    """None, or a time at or next to one that occurs in the history."""
    if random.random() < 0.1 or not times:
        return -1
    return max(0, random.choice(times) + random.choice((-1, 0, 0, 1)))


def _times(history: SmallHistory) -> list[int]:
    times = [t for row in history.deliveries for t in (row.t_enter, row.t_sent, row.s_ok)]
    times += [send.t_inv for send in history.sends] + [event.t for event in history.events]
    return [t for t in times if t >= 0]


def _value(
    random: Random, name: str, value: Any, alike: Sequence[Any], times: Sequence[int]
) -> Any:
    if name in TIMES:
        return near(random, times)
    if name in FLAGS:
        return not value
    if name in CHOICES and random.random() < 0.7:
        return random.choice(CHOICES[name])
    return getattr(random.choice(alike), name)


def _with(rows: Sequence[Any], place: int, row: Any) -> tuple[Any, ...]:
    return (*rows[:place], row, *rows[place + 1 :])


def change_field(history: SmallHistory, random: Random, table: str) -> SmallHistory:
    """Another value in one row."""
    rows = getattr(history, table)
    if not rows:
        return history
    place = random.randrange(len(rows))
    row = rows[place]
    names = [field.name for field in fields(row) if field.name not in KEPT]
    if table in ("sends", "subscriptions"):
        names = [name for name in names if name not in ("uid", "sub")]
    name = random.choice(names)
    value = _value(random, name, getattr(row, name), rows, _times(history))
    changes: dict[str, Any] = {table: _with(rows, place, replace(row, **{name: value}))}
    return replace(history, **changes)


def drop_row(history: SmallHistory, random: Random, table: str) -> SmallHistory:
    """Without one row."""
    rows = getattr(history, table)
    if not rows:
        return history
    place = random.randrange(len(rows))
    changes: dict[str, Any] = {table: (*rows[:place], *rows[place + 1 :])}
    return replace(history, **changes)


def repeat_delivery(history: SmallHistory, random: Random) -> SmallHistory:
    """A delivery once more, a little later or elsewhere."""
    if not history.deliveries:
        return history
    row, other = random.choice(history.deliveries), random.choice(history.deliveries)
    again = replace(row, t_enter=max(row.t_enter, near(random, _times(history))), ridx=row.ridx + 1)
    if random.random() < 0.5:
        again = replace(again, session=other.session, consumer=other.consumer)
    if random.random() < 0.3:
        again = replace(again, sub=random.choice((other.sub, -1 - row.sub)))
    if random.random() < 0.5:
        again = replace(again, redelivered=True, count=min(row.count + 1, 32767))
    return replace(history, deliveries=(*history.deliveries, again))


def settle_otherwise(history: SmallHistory, random: Random) -> SmallHistory:
    """A delivery settled as another one was."""
    if not history.deliveries:
        return history
    place = random.randrange(len(history.deliveries))
    other = random.choice(history.deliveries)
    settled = {name: getattr(other, name) for name in SETTLED}
    row = replace(history.deliveries[place], **settled)
    return replace(history, deliveries=_with(history.deliveries, place, row))


def unknown_uid(history: SmallHistory, random: Random) -> SmallHistory:
    """A delivery of a message that nobody sent, or of another one."""
    if not history.deliveries:
        return history
    place = random.randrange(len(history.deliveries))
    row = history.deliveries[place]
    other = random.choice(history.deliveries)
    uid = random.choice((-1, 0, other.uid, row.uid + 1, row.uid + 100, 1 << 62, 12345 << 40))
    return replace(history, deliveries=_with(history.deliveries, place, replace(row, uid=uid)))


def change_event(history: SmallHistory, random: Random) -> SmallHistory:
    """One more event, as one that is there."""
    if not history.events:
        return history
    event = random.choice(history.events)
    t = max(0, near(random, _times(history)))
    kind = random.choice((event.event, *CHOICES["event"]))
    place = random.randint(0, len(history.events))
    new = replace(event, t=t, event=kind)
    return replace(history, events=(*history.events[:place], new, *history.events[place:]))


def cut_producer(history: SmallHistory, random: Random) -> SmallHistory:
    """A producer whose record ends early."""
    if not history.sends:
        return history
    uid = random.choice(history.sends).uid
    cut = (uid & ((1 << 40) - 1)) + random.choice((0, 0, 1))
    truncated = {**history.truncated, uid >> 40: cut}
    if random.random() < 0.5:
        return replace(history, truncated=truncated)
    sends = [send for send in history.sends if send.uid >> 40 != uid >> 40 or send.uid < uid]
    return replace(history, sends=tuple(sends), truncated=truncated)


def change_limits(history: SmallHistory, random: Random) -> SmallHistory:
    """Other limits of the whole history."""
    return replace(
        history, epsilon=random.choice((0, 1, 3)), priority_slack=random.choice((0, 1, 3, 1 << 40))
    )


def other_consumer(history: SmallHistory, random: Random) -> SmallHistory:
    """A delivery that another consumer received."""
    if not history.deliveries or not history.consumers:
        return history
    place = random.randrange(len(history.deliveries))
    reader: ConsumerRow = random.choice(history.consumers)
    row: DeliveryRow = history.deliveries[place]
    row = replace(row, session=reader.session, consumer=reader.consumer)
    if random.random() < 0.3:
        row = replace(row, sub=reader.sub)
    return replace(history, deliveries=_with(history.deliveries, place, row))


def same_time(history: SmallHistory, random: Random) -> SmallHistory:
    """Two deliveries at the same time."""
    if not history.deliveries:
        return history
    place = random.randrange(len(history.deliveries))
    t = random.choice(history.deliveries).t_enter
    row = replace(history.deliveries[place], t_enter=t)
    return replace(history, deliveries=_with(history.deliveries, place, row))


def unreadable(history: SmallHistory, random: Random) -> SmallHistory:
    """A delivery that says nothing of itself; by some other means its message may be known."""
    if not history.deliveries:
        return history
    place = random.randrange(len(history.deliveries))
    row = history.deliveries[place]
    row = replace(
        row,
        uid=row.uid if random.random() < 0.8 else -1,
        intact=0,
        dest=-1,
        priority=-1,
        mode=-1,
        t_sent=-1,
        key=-1,
        gseq=-1,
        deliver_at=-1,
        expire_at=-1,
    )
    return replace(history, deliveries=_with(history.deliveries, place, row))


def touch(history: SmallHistory, random: Random) -> SmallHistory:
    """A delivery at, or just beside, a time that some check compares its times with."""
    if not history.deliveries:
        return history
    place = random.randrange(len(history.deliveries))
    row = history.deliveries[place]
    alike = [
        other
        for other in history.deliveries
        if other.session == row.session or (other.uid, other.sub) == (row.uid, row.sub)
    ]
    other = random.choice(alike)
    times = [other.t_enter, other.t_exit, other.s_inv, other.s_ok]
    times += [row.deliver_at - history.epsilon, row.expire_at + history.epsilon]
    times += [send.t_visible for send in history.sends if send.uid == row.uid]
    times = [t for t in times if t >= 0]
    name = random.choice(("t_enter", "t_enter", "t_sent", "s_inv"))
    if history.events and random.random() < 0.4:
        times = [random.choice(history.events).t]
    t = max(0, random.choice(times) + random.choice((-1, 0, 0, 1)))
    changes: dict[str, Any] = {name: t}
    return replace(history, deliveries=_with(history.deliveries, place, replace(row, **changes)))


def touch_subscription(history: SmallHistory, random: Random) -> SmallHistory:
    """A subscription that begins, ends or is drained at, or just beside, some message's time."""
    if not history.subscriptions or not history.sends:
        return history
    place = random.randrange(len(history.subscriptions))
    send = random.choice(history.sends)
    times = [send.t_inv, send.t_ok, send.t_visible, send.deliver_at]
    if history.deliveries:
        row = random.choice(history.deliveries)
        times += [row.t_enter, row.s_inv]
    times = [t for t in times if t >= 0]
    name = random.choice(("t_from", "t_to", "t_drained", "t_drained", "t_dlq_drained"))
    if name == "t_dlq_drained" or random.random() < 0.1:
        times = [0]
    t = max(0, random.choice(times) + random.choice((-1, 0, 0, 1)))
    changes: dict[str, Any] = {name: t}
    sub = replace(history.subscriptions[place], **changes)
    return replace(history, subscriptions=_with(history.subscriptions, place, sub))


def dead_letter_policy(history: SmallHistory, random: Random) -> SmallHistory:
    """Another limit of failed deliveries, and a dead-letter queue emptied early, late or never."""
    if not history.subscriptions:
        return history
    place = random.randrange(len(history.subscriptions))
    drained = random.choice((-1, -1, 0, max(_times(history), default=0)))
    limit = random.choice((-1, 0, 0, 1, 2))
    sub = replace(history.subscriptions[place], max_deliveries=limit, t_dlq_drained=drained)
    return replace(history, subscriptions=_with(history.subscriptions, place, sub))


CHANGES: tuple[Callable[[SmallHistory, Random], SmallHistory], ...] = (
    *(partial(change_field, table="deliveries") for _ in range(4)),
    *(partial(change_field, table="sends") for _ in range(3)),
    *(partial(change_field, table="subscriptions") for _ in range(2)),
    partial(drop_row, table="deliveries"),
    partial(drop_row, table="sends"),
    partial(drop_row, table="events"),
    partial(drop_row, table="consumers"),
    partial(drop_row, table="subscriptions"),
    *(repeat_delivery, repeat_delivery, settle_otherwise, unknown_uid, change_event, cut_producer),
    *(touch, touch, touch, touch_subscription, touch_subscription, unreadable),
    dead_letter_policy,
    *DENSE,
    *(change_limits, other_consumer, other_consumer, same_time),
)


def changed(history: SmallHistory, random: Random, times: int) -> SmallHistory:
    """A history after so many random changes, still as a recorder could have written it."""
    for _ in range(times):
        history = random.choice(CHANGES)(history, random)
    return as_recorded(history)
