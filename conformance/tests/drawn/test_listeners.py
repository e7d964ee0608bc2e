"""Drawn programs on listeners notice wrong clients, by the statement that they break."""

from __future__ import annotations

from typing import Any

import pytest

from drawn.sessions_in_memory import Call, InMemory, Wrong, declared_by, hunted, right
from drawn.wrong_listeners import called_at_once_again, called_while_stopped
from jms_model.delivery.backlog import MessageState
from jms_model.delivery.session import CLIENT, TRANSACTED
from jms_scenarios.core.sessions import test_drawn_programs as test_sessions
from jmsapi.errors import JMSException

DECLARED = declared_by(test_sessions.test_drawn_programs_on_listeners)
SUBJECT = "listeners"


def session_of(app: InMemory, on: str) -> Any:
    """The session of a message or a consumer, or what it is itself."""
    target = app.objects.get(on)
    return getattr(target, "session", target)


def never_called(_: InMemory, step: Any, call: Call) -> object:
    """The listener hears of nothing."""
    answer = call()
    return None if step.method == "hear" else answer


def settles_before_the_call(app: InMemory, step: Any, call: Call) -> object:
    """What settles itself has done so when the listener is called."""
    answer = call()
    session = session_of(app, step.on)
    if step.method == "hear" and session.settles_itself:
        session.settles([], "")
    return answer


def throwing_settles(app: InMemory, step: Any, call: Call) -> object:
    """A message is gone, however its listener ended."""
    session = session_of(app, step.on)
    if step.method == "throws" and session.settles_itself:
        session.settles([], "")
    return call()


def throwing_gives_back(app: InMemory, step: Any, call: Call) -> object:
    """A message comes again in every mode."""
    session, answer = session_of(app, step.on), call()
    if step.method == "throws" and session.mode == CLIENT:
        session.starts_again([], "")
    return answer


def throwing_rolls_back(app: InMemory, step: Any, call: Call) -> object:
    """The transaction ends with the listener."""
    session, answer = session_of(app, step.on), call()
    if step.method == "throws" and session.mode == TRANSACTED:
        session.starts_again([], "")
    return answer


def own_consumer_stays(app: InMemory, step: Any, call: Call) -> object:
    """A listener cannot close its own consumer."""
    if step.method == "close" and getattr(session_of(app, step.on), "handled", None):
        raise JMSException("not from here")
    return call()


def recover_forgets_the_last(app: InMemory, step: Any, call: Call) -> object:
    """What a listener is called with does not come again by its own recover()."""
    session = session_of(app, step.on)
    if step.method == "recover" and session.handled and len(session.held) > 1:
        session.handled.copy.becomes(MessageState.SETTLED, [], "")
        session.held = [pair for pair in session.held if pair[1] is not session.handled.copy]
    return call()


def message_settles_itself(app: InMemory, step: Any, call: Call) -> object:
    """A message's acknowledge() settles it in its listener, whatever the mode."""
    session = session_of(app, step.on)
    if step.method == "acknowledge" and session.handled is app.objects.get(step.on):
        session.settles([], "")
    return call()


def context_settles_itself(app: InMemory, step: Any, call: Call) -> object:
    """A context's acknowledge() settles what its listener has, whatever the mode."""
    target: Any = app.objects.get(step.on)
    if step.method == "acknowledge" and getattr(target, "handled", None):
        target.settles([], "")
    return call()


WRONG: dict[Wrong, str] = {
    never_called: "JMS-LSN-001",
    called_at_once_again: "JMS-LSN-002",
    settles_before_the_call: "JMS-ACK-004",
    throwing_settles: "JMS-LSN-004",
    throwing_gives_back: "JMS-LSN-005",
    throwing_rolls_back: "JMS-LSN-006",
    called_while_stopped: "JMS-CONN-008",
    own_consumer_stays: "JMS-CONS-005",
    recover_forgets_the_last: "JMS-REDL-005",
    message_settles_itself: "JMS-ACK-006",
    context_settles_itself: "API-CTX-015",
}
"""Each with the statement that it breaks."""


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_it_is_noticed(wrong: Wrong) -> None:
    hunt = hunted(wrong, DECLARED, [SUBJECT], WRONG[wrong])
    disagreements = hunt.against(WRONG[wrong])
    assert [len(each.program.steps) <= 18 for each in disagreements[:1]] == [True], [
        *map(str, hunt.found.values())
    ]


@pytest.mark.thorough
def test_a_right_client_is_accused_of_nothing_and_all_is_decided() -> None:
    hunt = hunted(right, DECLARED, [SUBJECT])
    assert [str(each) for each in hunt.found.values()] == []
    assert sorted(id_ for id_ in DECLARED if not hunt.driver.decided[id_]) == []
