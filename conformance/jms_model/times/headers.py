"""JMSDeliveryTime and JMSExpiration: what a sender reads, and a receiver (JMS 2.0, 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jms_model.answers import Answer, Expectation, Gave, gives, gives_what, kind_of_answer
from jms_model.provider_fields import number_between
from jms_model.times.sent import ReceivedMessage, TimedLook, TimedMessage
from jms_model.times.statements import Statements

_SENDER = "of a message that was sent"
_RECEIVER = "of a received message"


def after_send(sent: TimedMessage, document: Statements) -> Iterator[TimedLook]:
    """What the sender reads."""
    if sent.delivery_time is not None and document.delivery_time:
        yield _delivery_time(sent, document)
    if sent.expiration is not None and document.expiration:
        yield _expiration(sent, document)


def shows_another_delay(sent: TimedMessage, value: object) -> bool:
    """Whether JMSDeliveryTime shows a delay that the producer had before."""
    earlier = {each for each in sent.earlier if each != sent.delay}
    is_right = _is_after(sent, value, sent.delay)
    if is_right or not sent.is_told:
        return False
    return any(_is_after(sent, value, delay) for delay in earlier)


def is_delivery_time(sent: TimedMessage, value: object) -> bool:
    """Whether a value is the time of sending plus the delay."""
    return _is_after(sent, value, sent.delay)


def _delivery_time(sent: TimedMessage, document: Statements) -> TimedLook:
    is_set = sent.delay or any(sent.earlier)

    def accuse(value: object) -> Sequence[str]:
        stale = document.applies if shows_another_delay(sent, value) else ()
        return [*document.delivery_time, *stale]

    def name(value: object) -> str:
        if shows_another_delay(sent, value):
            return "gave that of another delay"
        return "gave 0" if value == 0 else kind_of_answer(Gave(value))

    expectation = Expectation(
        [
            gives_what(
                f"{sent.before} to {sent.after}, and {sent.delay} more",
                number_between(sent.before + sent.delay, sent.after + sent.delay),
            )
        ],
        [*document.delivery_time, *(document.applies if is_set else ())],
        f"{_SENDER} {_situation(sent)}".rstrip(),
        accuse=accuse,
        name=name,
    )
    return TimedLook("get_jms_delivery_time", [sent.number], expectation, Gave(sent.delivery_time))


def _expiration(sent: TimedMessage, document: Statements) -> TimedLook:
    permitted = gives(0)
    if sent.lives:
        permitted = gives_what(
            f"{sent.before} to {sent.after}, and {sent.lives} more",
            number_between(sent.before + sent.lives, sent.after + sent.lives),
        )
    ids = document.expiration if sent.lives else document.lasting

    def name(value: object) -> str:
        if sent.delay and _is_after(sent, value, sent.lives + sent.delay):
            return "gave that of the delivery time"
        return "gave 0" if value == 0 else kind_of_answer(Gave(value))

    expectation = Expectation([permitted], ids, f"{_SENDER} {_situation(sent)}".rstrip(), name=name)
    return TimedLook("get_jms_expiration", [sent.number], expectation, Gave(sent.expiration))


def _situation(sent: TimedMessage) -> str:
    given = [
        "with a delay" if sent.delay else "",
        "that expires" if sent.lives else "",
        sent.form,
    ]
    return " ".join(filter(None, given))


def of_received(
    sent: TimedMessage, seen: ReceivedMessage, document: Statements
) -> Iterator[TimedLook]:
    """What a receiver reads: the sender's values, if these are right; nothing where none is."""
    if document.delivery_time_received and seen.delivery_time is not None:
        yield from _looks_at_same_field(
            sent,
            "get_jms_delivery_time",
            seen,
            seen.delivery_time,
            sent.delivery_time if is_delivery_time(sent, sent.delivery_time) else None,
            sent.delay,
            document.delivery_time_received,
            document.delay_in_transaction,
        )
    if document.expiration_received:
        is_right = sent.lives == sent.expiration == 0 or _is_after(
            sent, sent.expiration, sent.lives
        )
        yield from _looks_at_same_field(
            sent,
            "get_jms_expiration",
            seen,
            seen.expiration,
            sent.expiration if is_right else None,
            sent.lives,
            document.expiration_received,
            document.lives_in_transaction if sent.lives else (),
        )


def _looks_at_same_field(
    sent: TimedMessage,
    method: str,
    seen: ReceivedMessage,
    answer: Answer,
    expected: int | None,
    time: int,
    ids: Sequence[str],
    of_transaction: Sequence[str],
) -> Iterator[TimedLook]:
    """One field, which counts from the send, though the commit was much later."""

    def is_of_commit(value: object) -> bool:
        if not sent.is_held or sent.committed is None:
            return False
        first, last = sent.committed
        is_instant = number_between(seen.asked, seen.at)(value)
        return number_between(first + time, last + time)(value) and not is_instant

    if expected is None:
        if not (isinstance(answer, Gave) and is_of_commit(answer.value)):
            return
        expected, ids = sent.before + time, ()
    situation = f"{_RECEIVER} {'that comes again' if seen.again else ''}".strip()
    held = of_transaction if sent.is_held else ()
    expectation = Expectation(
        [gives(expected)],
        [*ids, *held],
        f"{situation} in a transaction" if sent.committed else situation,
        accuse=lambda value: [*ids, *(held if is_of_commit(value) else ())],
        name=lambda value: (
            "gave that of the commit"
            if is_of_commit(value)
            else "gave 0"
            if value == 0
            else kind_of_answer(Gave(value))
        ),
    )
    yield TimedLook(method, [sent.number], expectation, answer)


def _is_after(sent: TimedMessage, value: object, time: int) -> bool:
    return number_between(sent.before + time, sent.after + time)(value)
