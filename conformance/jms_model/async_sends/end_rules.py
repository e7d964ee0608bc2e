"""Ends: of transactions, producers, sessions and connections (JMS 2.0, section 7.3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from jms_model.answers import Effect, Expectation, Permitted, gives, gives_what, succeeds
from jms_model.async_sends.state import MessageFate, ModelApplication, Producer, SendCall, Session

WAITED: Final = "waited"
LATE: Final = "left a callback behind"
NEVER: Final = "left a callback out"
"""What an end gives: whether it returned behind the last callback."""


def commit(app: ModelApplication, session: Session) -> Expectation | None:
    """What the transaction has sent is there."""
    return _ends_transaction(app, session, MessageFate.SENT)


def rollback(app: ModelApplication, session: Session) -> Expectation | None:
    """What it has sent is nowhere."""
    return _ends_transaction(app, session, MessageFate.NOWHERE)


def _ends_transaction(
    app: ModelApplication, session: Session, fate: MessageFate
) -> Expectation | None:
    if session.closed or session.busy or not session.transacted:
        return None
    sends = app.of_session(session)

    def end() -> None:
        _decides(sends, fate)
        _have_ended(sends)

    return _waits(end, ["JMS-ASY-006"], "", has_sends=_is_any_outstanding(sends))


def close_producer(app: ModelApplication, producer: Producer) -> Expectation | None:
    """The producer alone; that of a context cannot be closed."""
    session = producer.session
    if app.simplified or session.busy or session.closed:
        return None
    sends = [each for each in app.sends if each.producer is producer]

    def end() -> None:
        producer.closed = True
        _have_ended(sends)

    return _waits(end, ["JMS-ASY-007"], "of a producer", has_sends=_is_any_outstanding(sends))


def close_session(app: ModelApplication, session: Session) -> Expectation | None:
    """The session, or the context: to close that again is for programs on sessions."""
    if session.busy or (session.closed and app.simplified):
        return None
    sends = app.of_session(session)
    what = "of a context" if app.simplified else "of a session"
    end = partial(_closes, app, [session])
    if app.of_vendor:
        return Expectation([succeeds(end)], ["SLJ-ASY-002"], what)
    return _waits(end, ["JMS-ASY-007"], what, has_sends=_is_any_outstanding(sends))


def close_connection(app: ModelApplication) -> Expectation | None:
    """The connection, with its sessions; contexts are closed one by one."""
    sessions = app.of_kind(Session)
    if app.simplified or any(each.busy for each in sessions):
        return None

    def end() -> None:
        _closes(app, sessions)
        app.closed = True

    has_sends = _is_any_outstanding(app.sends)
    return _waits(end, ["JMS-ASY-007"], "of a connection", has_sends=has_sends)


def _closes(app: ModelApplication, sessions: Sequence[Session]) -> None:
    for session in sessions:
        session.closed = True
        _decides(app.of_session(session), MessageFate.NOWHERE)
        _have_ended(app.of_session(session))


def _decides(sends: Sequence[SendCall], fate: MessageFate) -> None:
    for each in sends:
        if each.fate is MessageFate.IN_TRANSACTION:
            each.fate = fate


def _have_ended(sends: Sequence[SendCall]) -> None:
    for each in sends:
        each.ended = True


def _is_any_outstanding(sends: Sequence[SendCall]) -> bool:
    return any(each.is_async and not each.told and not each.ended for each in sends)


def _waits(end: Effect, ids: Sequence[str], what: str, *, has_sends: bool) -> Expectation:
    if not has_sends:
        return Expectation([gives(WAITED, end)], [], what)
    permitted: list[Permitted] = [gives_what(WAITED, lambda given: given == WAITED, end)]
    return Expectation(
        permitted,
        ids,
        what,
        name=str,
    )
