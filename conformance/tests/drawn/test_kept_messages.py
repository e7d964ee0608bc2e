"""Drawn programs notice clients that lose what a session left, or what a subscriber recovers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from drawn.sessions_in_memory import Call, InMemory, Wrong, declared_by, hunted, right
from jms_model.delivery.backlog import Backlog, MessageState
from jms_model.delivery.session import Session
from jms_scenarios.core.redelivery import test_drawn_programs as test_redelivery
from touchstone.drawn.sessions.program import Step

DECLARED = declared_by(test_redelivery.test_drawn_programs_on_messages_that_are_kept)
SUBJECTS = ("kept messages",)


def _forgets(session: Session, which: Callable[[Backlog], bool]) -> None:
    """What it got of some is settled."""
    for backlog, copy in session.held:
        if which(backlog):
            copy.becomes(MessageState.SETTLED, [], "")
    session.held[:] = [each for each in session.held if not which(each[0])]


def _sessions(app: InMemory, step: Step) -> Sequence[Session]:
    """Those that a close ends, without transactions."""
    if step.method != "close":
        return []
    target = app.objects.get(step.on)
    ended = [target] if isinstance(target, Session) else []
    if step.on.startswith("c"):
        sessions = [each for each in app.objects.values() if isinstance(each, Session)]
        ended = [each for each in sessions if each.connection is target]
    return [each for each in ended if not (each.transacted or each.closed_by)]


def close_settles_of_queues(app: InMemory, step: Step, call: Call) -> object:
    """What was received of queues is gone with the session."""
    for session in _sessions(app, step):
        _forgets(session, lambda backlog: backlog.is_queue)
    return call()


def close_settles_of_durable_subscriptions(app: InMemory, step: Step, call: Call) -> object:
    """What was received of durable subscriptions is gone with the session."""
    for session in _sessions(app, step):
        _forgets(session, lambda backlog: backlog.is_durable and not backlog.is_queue)
    return call()


def recover_settles_of_topics(app: InMemory, step: Step, call: Call) -> object:
    """What came of subscriptions that are not durable does not come again."""
    if step.method == "recover" and not app.objects[step.on].closed_by:
        _forgets(app.objects[step.on], lambda backlog: not backlog.is_durable)
    return call()


WRONG: Sequence[tuple[Wrong, str]] = (
    (close_settles_of_queues, "JMS-REDL-012"),
    (close_settles_of_durable_subscriptions, "JMS-REDL-013"),
    (close_settles_of_durable_subscriptions, "JMS-REDL-016"),
    (recover_settles_of_topics, "JMS-REDL-015"),
)
"""Each with the statement that it breaks."""


@pytest.mark.parametrize(("wrong", "id_"), WRONG)
def test_it_is_noticed(wrong: Wrong, id_: str) -> None:
    hunt = hunted(wrong, DECLARED, SUBJECTS, id_)
    assert [id_ in each.ids for each in hunt.against(id_)[:1]] == [True]


def test_a_right_client_is_accused_of_nothing_and_all_is_decided() -> None:
    hunt = hunted(right, DECLARED, SUBJECTS)
    assert [str(each) for each in hunt.found.values()] == []
    assert sorted(id_ for id_ in DECLARED if not hunt.driver.decided[id_]) == []
