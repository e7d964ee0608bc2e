"""When messages come to consumers: neither too early, nor expired, nor too late."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from jms_model.answers import Expectation, Gave, Permitted
from jms_model.times.headers import shows_another_delay
from jms_model.times.sent import LATE, LEARNED, TICK, ReceivedMessage, TimedLook, TimedMessage
from jms_model.times.statements import Statements

EARLY: Final = "came early"
EXPIRED: Final = "came when it had expired"
TOO_LATE: Final = "came late"
NEVER: Final = "did not come"
IN_TIME: Final = "came in time"
GONE: Final = "did not come, as it had expired"
CAME: Final = "came"
ABSENT: Final = "is not there"
_FEW: Final = 2
"""Of so many expired messages not all may come."""


def _look(
    method: str,
    numbers: Sequence[int],
    situation: str,
    seen: str,
    permitted: str,
    ids: Sequence[str],
    broken: Sequence[str] = (),
) -> TimedLook:
    """A look that decides `ids`, or, if it saw something else, breaks `broken`."""
    expectation = Expectation(
        [Permitted(permitted, lambda answer: answer == Gave(permitted))],
        ids,
        situation,
        accuse=lambda _: broken,
        name=str,
    )
    return TimedLook(method, numbers, expectation, Gave(seen))


def arrival(
    sent: TimedMessage, seen: ReceivedMessage | None, ended: int, slack: int, document: Statements
) -> Iterator[TimedLook]:
    """Whether a message came when it may: looks of one of them, or none where all is open.

    `ended`: when nobody waited any more; `slack`: what a busy machine may have taken.
    """
    if sent.outlet in document.at_once:
        yield from _at_once(sent, seen, ended, slack, document)
        return
    if seen is None:
        yield from _missing(sent, ended, slack, document)
        return
    wrong_arrival, ids = _right_arrival(sent, seen, slack, document)
    if wrong_arrival:
        yield _look("arrival", [sent.number], _situation(sent), wrong_arrival, wrong_arrival, ids)
        return
    wrong_arrival, ids = _wrong_arrival(sent, seen, slack, document)
    if wrong_arrival:
        yield _look(
            "arrival", [sent.number], _situation(sent), wrong_arrival, _words(sent), ids, ids
        )


def _words(sent: TimedMessage) -> str:
    return GONE if sent.lives and sent.lives <= sent.delay else IN_TIME


def _right_arrival(
    sent: TimedMessage, seen: ReceivedMessage, slack: int, document: Statements
) -> tuple[str, Sequence[str]]:
    """That it came in time, and what this decides."""
    if _wrong_arrival(sent, seen, slack, document)[0] or seen.again:
        return "", ()
    is_late = seen.at > sent.last + LATE
    if is_late or not document.early.get(sent.outlet):
        return "", ()
    ids: list[str] = []
    if sent.delay:
        ids += [*document.early[sent.outlet], *document.applies]
        ids += document.delay_in_transaction if sent.is_held else ()
    elif any(sent.earlier):
        ids += document.applies
    ids += document.order if sent.is_behind and not sent.delay else ()
    ids += document.lasting if sent.is_beside and not sent.lives else ()
    return IN_TIME, ids


def _wrong_arrival(
    sent: TimedMessage, seen: ReceivedMessage, slack: int, document: Statements
) -> tuple[str, Sequence[str]]:
    """What is wrong with how it came, and the statements that this breaks."""
    if seen.at < sent.first and not seen.again:
        ids = [*document.early.get(sent.outlet, ())]
        if seen.at < sent.first - TICK and shows_another_delay(sent, _read(seen, sent)):
            ids += document.applies
        return EARLY, ids
    if sent.expired is not None and seen.asked > sent.expired:
        return EXPIRED, _of_expired(sent, seen, document)
    if seen.missed > sent.last + LATE + slack and not seen.again:
        return TOO_LATE, _of_late(sent, seen, document)
    return "", ()


def _read(seen: ReceivedMessage, sent: TimedMessage) -> object:
    if sent.delivery_time is not None:
        return sent.delivery_time
    return seen.delivery_time.value if isinstance(seen.delivery_time, Gave) else None


def _of_expired(sent: TimedMessage, seen: ReceivedMessage, document: Statements) -> Sequence[str]:
    """In a transaction what is expired by every way to count breaks both."""
    if sent.is_held and sent.committed is not None and sent.expiration != 0:
        if seen.asked > sent.committed[1] + sent.delay + sent.lives:
            return [*document.lives_in_transaction, *document.expired]
        is_of_delivery = seen.asked <= sent.after + sent.delay + sent.lives
        return () if is_of_delivery else document.lives_in_transaction
    return document.expired


def _of_late(sent: TimedMessage, seen: ReceivedMessage, document: Statements) -> Sequence[str]:
    """What is wrong with what came late, as far as one can know."""
    if sent.delay:
        if sent.is_behind:
            return ()
        if sent.is_held and sent.committed is not None:
            is_of_commit = seen.at >= sent.committed[0] + sent.delay
            return document.delay_in_transaction if is_of_commit else ()
        return document.applies
    if shows_another_delay(sent, _read(seen, sent)):
        return document.applies
    return document.order if sent.is_behind and sent.committed is None else ()


def _of_lost(sent: TimedMessage, document: Statements) -> Sequence[str]:
    """The same of what did not come at all; what outlives others may be taken for them."""
    if sent.delay:
        is_open = sent.is_behind or sent.is_beside or sent.committed is not None
        return () if is_open else document.applies
    if shows_another_delay(sent, sent.delivery_time):
        return document.applies
    if sent.delivery_time is None and any(sent.earlier):
        return ()
    if sent.ready > sent.after + LEARNED:
        is_lasting = sent.is_beside and not sent.lives and not sent.is_behind
        return document.lasting if is_lasting else ()
    return document.order if sent.is_behind and sent.committed is None else ()


def _missing(
    sent: TimedMessage, ended: int, slack: int, document: Statements
) -> Iterator[TimedLook]:
    """A message that did not come: it expired, is not due yet, or is lost."""
    if sent.expired is not None and _is_outlived(sent):
        ids = [*document.expired, *(document.lives_in_transaction if sent.is_held else ())]
        yield _look("arrival", [sent.number], _situation(sent), GONE, GONE, ids)
        return
    is_brief = sent.lives and sent.before + sent.lives <= sent.last + LATE + slack
    if is_brief:
        return
    if ended < sent.first:
        if sent.delay:
            ids = [*document.early.get(sent.outlet, ())]
            yield _look("arrival", [sent.number], _situation(sent), IN_TIME, IN_TIME, ids)
        return
    if ended > sent.last + LATE + slack:
        ids = [*_of_lost(sent, document)]
        yield _look("arrival", [sent.number], _situation(sent), NEVER, IN_TIME, ids, ids)


def _is_outlived(sent: TimedMessage) -> bool:
    """Whether it was expired before anybody might have it."""
    assert sent.expired is not None
    return sent.ready > sent.expired or sent.before + sent.delay > sent.expired


def _situation(sent: TimedMessage) -> str:
    parts = [
        "delayed" if sent.delay else "",
        "expiring" if sent.lives else "",
        "message",
        sent.situation,
    ]
    return f"of a {' '.join(filter(None, parts))}".replace("a e", "an e")


def _at_once(
    sent: TimedMessage, seen: ReceivedMessage | None, ended: int, slack: int, document: Statements
) -> Iterator[TimedLook]:
    """What ignores delays: a message with a long one comes well before it is due."""
    if sent.expired is not None and seen is not None and seen.asked > sent.expired:
        ids = document.expired
        yield _look("arrival", [sent.number], _situation(sent), EXPIRED, GONE, ids, ids)
    if sent.expired is not None and seen is None and sent.ready > sent.expired:
        yield _look("arrival", [sent.number], _situation(sent), GONE, GONE, document.expired)
    is_open = sent.lives or sent.delay <= 2 * LATE + slack or sent.committed is not None
    if is_open or (seen is not None and seen.again):
        return
    until = max(sent.after, sent.ready) + LATE + slack
    ids = document.at_once[sent.outlet]
    if seen is not None and seen.at <= until:
        yield _look("arrival", [sent.number], _situation(sent), CAME, CAME, ids)
    elif (ended if seen is None else seen.at) > until:
        yield _look("arrival", [sent.number], _situation(sent), NEVER, CAME, ids, ids)


def looks_at_ignored_limits(
    sends: Sequence[TimedMessage], came: frozenset[int], document: Statements
) -> Iterator[TimedLook]:
    """Of the expired messages of one kind, not all come as if they had no time to live.

    `came`: the numbers of those that came when they had expired.
    """
    if not document.ignored:
        return
    groups: dict[str, list[TimedMessage]] = defaultdict(list)
    for sent in sends:
        if sent.expired is None or sent.is_held:
            continue
        if sent.ready > sent.expired + sent.delay:
            groups["of a queue" if sent.outlet == "queue" else "of topics"].append(sent)
            groups[sent.form or "by a MessageProducer"].append(sent)
    for words, group in groups.items():
        numbers = [sent.number for sent in group]
        if len(group) < _FEW:
            continue
        arrival_words = "came all" if came.issuperset(numbers) else "came in part at most"
        yield _look(
            "expired_messages",
            numbers,
            words,
            arrival_words,
            "came in part at most",
            document.ignored,
            document.ignored,
        )


def later_subscriber(
    sent: TimedMessage, came: bool, opened: int, ended: int, document: Statements
) -> Iterator[TimedLook]:
    """What a subscription does not get that was made when a delayed message had been sent."""
    if not sent.delay or sent.committed is not None or sent.after >= opened:
        return
    if came or ended > sent.last + LATE:
        arrival_words = CAME if came else ABSENT
        ids = document.later
        situation = "of a delayed message to a later subscription"
        yield _look("arrival", [sent.number], situation, arrival_words, ABSENT, ids, ids)


def looks_at_browse(
    sent: TimedMessage,
    shown: bool,
    asked: int,
    at: int,
    slack: int,
    document: Statements,
) -> Iterator[TimedLook]:
    """What a browser shows that was asked when nobody had consumed anything."""
    if not sent.delay:
        return
    situation = "of a delayed message"
    ids = document.browsed
    if at < sent.first:
        shown_words = "is shown early" if shown else ABSENT
        yield _look("browse", [sent.number], situation, shown_words, ABSENT, ids, ids)
    elif asked > sent.last + LATE + slack and not sent.lives:
        shown_words = "is shown" if shown else ABSENT
        yield _look("browse", [sent.number], situation, shown_words, "is shown", ids, ids)
