"""Small histories as files: what the tests of engines read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from histories.history_changes import changed
from histories.injections import OFFENCES, injected
from histories.small_histories import deliveries_of, joined, sends_of, spec_of
from jms_histories.checks.small_history import SmallHistory
from jms_histories.columns import Columns, take
from jms_histories.definitions import CHECKS
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.writer import HistoryWriter
from jms_histories.values import SEQUENCE_BITS
from tiny_provider import NUMBERS_OF_ONE, legal


def changed_table(count: int, seed: int) -> SmallHistory:
    """So many small histories with random changes, and an offence against each check, as one.

    A seed gives the same rows. Every third history has faults: in the whole they meet in time, so
    that findings that may be shoulds are.
    """
    made = []
    for number in range(count):
        random = Random(f"{seed}/{number}")
        history = legal(random, faults=number % 3 == 0, numbers=number * NUMBERS_OF_ONE)
        made.append(changed(history, random, number % 7))
    for number, check in enumerate(OFFENCES, start=count):
        made.append(moved(injected(SmallHistory(), check), number * NUMBERS_OF_ONE))
    return replace(numbered(joined(made)), priority_slack=0)


def numbered(history: SmallHistory) -> SmallHistory:
    """The same with subscriptions numbered from 0 without holes, as recorders number them."""
    named = {row.sub if row.sub >= 0 else -1 - row.sub for row in history.deliveries}
    named |= {at.sub for at in history.subscriptions} | {
        consumer.sub for consumer in history.consumers
    }
    number = {sub: place for place, sub in enumerate(sorted(named))}
    return replace(
        history,
        deliveries=tuple(
            replace(row, sub=number[row.sub] if row.sub >= 0 else -1 - number[-1 - row.sub])
            for row in history.deliveries
        ),
        subscriptions=tuple(replace(at, sub=number[at.sub]) for at in history.subscriptions),
        consumers=tuple(
            replace(consumer, sub=number[consumer.sub]) for consumer in history.consumers
        ),
    )


def moved(history: SmallHistory, by: int) -> SmallHistory:
    """The same with other numbers for all that has one: it shares nothing with the original."""

    def of(number: int) -> int:
        return number + by if number >= 0 else number

    def message(number: int) -> int:
        return number + (by << SEQUENCE_BITS) if number >= 0 else number

    return replace(
        history,
        sends=tuple(
            replace(
                send,
                uid=message(send.uid),
                cause=message(send.cause),
                dest=of(send.dest),
                tx=of(send.tx),
            )
            for send in history.sends
        ),
        deliveries=tuple(
            replace(
                row,
                uid=message(row.uid),
                session=of(row.session),
                consumer=of(row.consumer),
                sub=of(row.sub) if row.sub >= 0 else row.sub - by,
                dest=of(row.dest),
                tx=of(row.tx),
            )
            for row in history.deliveries
        ),
        subscriptions=tuple(
            replace(at, sub=of(at.sub), dest=of(at.dest)) for at in history.subscriptions
        ),
        events=tuple(
            replace(event, session=of(event.session), arg=of(event.arg)) for event in history.events
        ),
        consumers=tuple(
            replace(
                consumer,
                consumer=of(consumer.consumer),
                session=of(consumer.session),
                sub=of(consumer.sub),
            )
            for consumer in history.consumers
        ),
        truncated={producer + by: cut for producer, cut in history.truncated.items()},
    )


def write(history: SmallHistory, folder: Path, *, files: int = 2, row_group: int = 256) -> Path:
    """The history as files: producers and sessions are dealt out to so many files of a table."""
    spec = spec_of(history)
    sends, deliveries = sends_of(history), deliveries_of(history)
    by_uid = take(sends, np.argsort(sends["uid"], kind="stable"))
    by_session = take(deliveries, np.lexsort((deliveries["ridx"], deliveries["session"])))
    with HistoryWriter(folder, run=folder.name, row_group=row_group) as writer:
        for part in _dealt(by_uid, by_uid["uid"] >> 40, files):
            writer.sends().write(part)
        for part in _dealt(by_session, by_session["session"], files):
            writer.deliveries().write(part)
        writer.table("subscription", spec.subscriptions)
        writer.table("session", spec.events)
        writer.finish(
            epsilon=spec.epsilon,
            priority_slack=spec.priority_slack,
            checks=sorted(CHECKS),
            consumers=[
                ConsumerPlace(consumer.consumer, consumer.session, consumer.sub)
                for consumer in history.consumers
            ],
            truncated=dict(spec.truncated),
        )
    return folder


def _dealt(
    rows: Columns, numbers: np.ndarray[tuple[int], np.dtype[np.int64]], files: int
) -> list[Columns]:
    return [take(rows, numbers % files == file) for file in range(files)]
