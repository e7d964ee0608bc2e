"""Callbacks: which are made, with what, where and in which order (JMS 2.0, 7.3.2 to 7.3.9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from jms_model.answers import (
    Answer,
    Expectation,
    Gave,
    Permitted,
    Raised,
    gives,
    gives_what,
    raises,
)
from jms_model.async_sends.state import (
    BARE,
    COMPLETED,
    FAILED,
    LARGE,
    NESTED,
    READS,
    REFUSED_ACTS,
    REFUSES,
    SENDS,
    SPARED,
    THROWS,
    Listener,
    MessageFate,
    ModelApplication,
    Producer,
    SendCall,
    Session,
)
from jmsapi.errors import IllegalStateException, IllegalStateRuntimeException, JMSException

ANOTHER_BODY: Final = "told of another body"
HEADERS: Final = (
    "JMSMessageID",
    "JMSTimestamp",
    "JMSDestination",
    "JMSDeliveryMode",
    "JMSPriority",
    "JMSExpiration",
    "JMSDeliveryTime",
)
"""What a send sets, in the order in which it is read."""


def callback_method(app: ModelApplication, send: SendCall) -> Expectation | None:
    """The method of its listener that is called; somebody waits for it."""
    if not send.is_async or send.listener is None or (app.of_vendor and send.ended):
        return None
    situation, reports = _situation_of(app, send), app.reports

    def complete() -> None:
        send.told = COMPLETED

    def fail() -> None:
        send.told, send.fate = FAILED, MessageFate.NOWHERE

    completes = gives(COMPLETED, complete)
    unknown = [raises()] if send.ended else []  # whoever ended it is to blame
    if send.what[0] == LARGE:
        ways = [completes, gives(FAILED, fail)]
        return Expectation(
            ways, reports, "of a large message", instead=["JMS-ASY-004"], betrays=[], name=str
        )
    if send.producer.session.transacted and send.fate is MessageFate.NOWHERE:
        return Expectation(
            [completes, gives(FAILED, fail), *unknown], reports, "of what was rolled back", name=str
        )
    if send.producer.session.spared:
        situation, reports = SPARED, [REFUSES]
    ways = [completes, *unknown]
    return Expectation(ways, reports, situation, name=str)


def _situation_of(app: ModelApplication, send: SendCall) -> str:
    thrown = any(
        each.listener is not None and each.listener.act == THROWS and each is not send
        for each in app.of_session(send.producer.session)
    )
    return "behind a callback that threw" if thrown else ""


def failure(_: ModelApplication, send: SendCall) -> Expectation | None:
    """Whether the listener got an exception, and the message that was sent."""
    if send.told != FAILED:
        return None
    return Expectation([gives((True, True))], ["JMS-ASY-004"], name=lambda _: "gave less")


def message(app: ModelApplication, send: SendCall) -> Expectation | None:
    """Whether the callback had the message of the send, with its number and body."""
    if not send.is_async or not send.told:
        return None
    ways = [gives("its own"), *([gives(ANOTHER_BODY)] if send.touched else [])]
    return Expectation(
        ways, app.reports, "of a bare body" if send.what[0] == BARE else "", name=str
    )


def times(app: ModelApplication, send: SendCall) -> Expectation | None:
    """How often listeners were called for it, when nothing is outstanding any more."""
    if send.refused:
        ids = ["JMS-ASY-003"]
        if send.refused == "of null":
            ids += ["API-PROD-012"] if send.listener is not None else []
        return Expectation([gives(0)], ids, f"of a send that was refused, {send.refused}")
    if not send.is_async:
        return Expectation([gives(0)], [], "of a synchronous send")
    if not send.told:
        return None
    return Expectation([gives(1)], app.reports, name=lambda _: "gave another number")


def does(app: ModelApplication, send: SendCall) -> Expectation | None:
    """How the call ended that its callback made."""
    if not send.is_async or send.listener is None:
        return None
    act, session = send.listener.act, send.producer.session
    if act != SENDS and act not in REFUSED_ACTS:
        return None

    def end() -> None:
        send.told = COMPLETED
        session.busy = False

    def end_and_send() -> None:
        end()
        number = NESTED + send.number
        nested = SendCall(
            number, send.producer, send.queue, dict(send.producer.settings), ("text", "a")
        )
        nested.listener = Listener(READS)
        nested.fate = MessageFate.IN_TRANSACTION if session.transacted else MessageFate.SENT
        app.sends.append(nested)
        app.objects[f"a{number}"] = nested

    if act == SENDS:
        ways = [gives("sent", end_and_send), Permitted("a refusal", _is_refused, end)]
        return Expectation(ways, [], name=str)
    kind = IllegalStateRuntimeException if app.simplified else IllegalStateException
    words = f"of a callback that {act}"

    def refuse() -> None:
        end()
        session.spared = True

    return Expectation(
        [gives(kind.__name__, refuse)], [REFUSES], words,
        instead=app.reports, betrays=[], name=str,
    )  # fmt: skip


def _is_refused(answer: Answer) -> bool:
    return isinstance(answer, Gave) and answer.value != "sent"


def touch(app: ModelApplication, send: SendCall, what: str) -> Expectation | None:
    """The message is read or changed before its callback."""
    if not send.is_async or send.told or send.ended or send.what[0] != "text":
        return None
    if not app.has_held_before(send):
        return None

    def touched() -> None:
        send.touched = send.touched or what.startswith(("set", "clear"))

    ways = [
        Permitted("anything", lambda answer: isinstance(answer, Gave), touched),
        Permitted("JMSException", _is_checked, touched),
    ]
    return Expectation(ways, ["JMS-ASY-014"], f"by {what}")


def _is_checked(answer: Answer) -> bool:
    return isinstance(answer, Raised) and isinstance(answer.error, JMSException)


def headers(app: ModelApplication, send: SendCall) -> Expectation | None:
    """Header fields in the callback, on the sender's message later, and where it was received."""
    if app.was_sent_again(send):
        return None
    if send.told != COMPLETED or not send.received or not send.is_async or send.touched:
        return None
    known = _known_headers(send)

    def is_right(value: object) -> bool:
        return not wrong(value)

    def wrong(value: object) -> Sequence[str]:
        rows = dict(zip(HEADERS, value, strict=True)) if isinstance(value, tuple) else {}
        return [name for name, row in rows.items() if _is_wrong(name, row, known)]

    return Expectation(
        [gives_what("the same in the callback, later and where it arrives", is_right)],
        ["JMS-ASY-009"],
        name=lambda value: f"gave another {(*wrong(value), 'form')[0]}",
    )


def _known_headers(send: SendCall) -> dict[str, object]:
    known: dict[str, object] = {
        "JMSDestination": send.queue,
        "JMSDeliveryMode": send.options["delivery_mode"],
        "JMSPriority": send.options["priority"],
    }
    if not send.options["time_to_live"]:
        known["JMSExpiration"] = 0
    return known


def _is_wrong(name: str, row: Any, known: dict[str, object]) -> bool:
    """Where the callback shows what it has to, others are at fault; so is who receives another."""
    called, later, received = row
    if later != called:
        return True
    if name in known:
        return bool(called != known[name] and called != received)
    return called is None or called != received


def turns(app: ModelApplication, producer: Producer) -> Expectation | None:
    """The numbers of its asynchronous sends, in the order in which they were reported."""
    sends = [each for each in app.sends if each.producer is producer and each.is_async]
    if len(sends) < 2 or not all(each.told for each in sends):
        return None
    numbers = [each.number for each in sends]
    return Expectation([gives(numbers)], ["JMS-ASY-012"], name=lambda _: "gave another order")


def overlaps(app: ModelApplication, session: Session) -> Expectation | None:
    """Whether two callbacks of the session ran at a time."""
    if not any(each.is_async for each in app.of_session(session)):
        return None
    return Expectation([gives(False)], ["JMS-ASY-011"])


def runs_on_the_sending_thread(app: ModelApplication, session: Session) -> Expectation | None:
    """Whether a callback ran on the thread that sends."""
    if not any(each.is_async for each in app.of_session(session)):
        return None
    return Expectation([gives(False)], ["JMS-ASY-013"])
