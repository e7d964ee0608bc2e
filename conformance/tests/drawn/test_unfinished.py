"""Sessions that end before they are done, or ask in vain: wrong ones are noticed."""

from __future__ import annotations

import math
from typing import Any
from unittest.mock import patch

import pytest

from drawn.listed_programs import ListedHunt
from drawn.sessions_in_memory import CLIENTS, Call, InMemory, Wrong, declared_by, right
from drawn.test_listeners import session_of
from jms_model.delivery.backlog import MessageState
from jms_model.delivery.session import CLIENT, Consumer
from jms_scenarios.core.sessions import test_drawn_programs as test_sessions
from jmsapi.errors import JMSException
from touchstone.drawn import driving
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.judging import besides
from touchstone.drawn.sessions.program import Step, without

HOLDING, LISTENERS = "holding", "listeners"
IN_VAIN = ("receive_no_wait", "receive_briefly")
DECLARED = {
    HOLDING: declared_by(test_sessions.test_drawn_programs_on_held_messages),
    LISTENERS: declared_by(test_sessions.test_drawn_programs_on_listeners),
}


def hunted(wrong: Wrong, subject: str) -> ListedHunt:
    """What is found in such a client by the few that are drawn besides, alone."""
    with patch.object(driving, "is_raised_by_client", lambda error: isinstance(error, CLIENTS)):
        runs = SessionDriver(lambda program: InMemory(program, wrong))
        hunt = ListedHunt(runs, DECLARED[subject], without=without, slips=True, trips=math.inf)
        for programs, count in besides(subject):
            hunt.draw(programs, count, 0)
    return hunt


def unflagged_for_others(app: InMemory, step: Step, call: Call) -> object:
    """What recover() gave back, and was not received again, comes to others as new."""
    answer = call()
    if step.method == "close" and step.on in ("s0", "c0", "k0"):
        for backlog in (
            *app.model.queues.values(),
            *(d.backlog for d in app.model.durable.values()),
        ):
            for copy in backlog.waiting():
                if copy.words == "that recover gave back" or not copy.ids:
                    copy.deliveries = 0
    return answer


def closed_consumers_are_forgotten(app: InMemory, step: Step, call: Call) -> object:
    """acknowledge() leaves what closed consumers had delivered."""
    if step.method != "acknowledge":
        return call()
    session = session_of(app, step.on)
    left = [pair for pair in session.held if pair[1].taker.closed_by]
    answer = call()
    for backlog, copy in left:
        session.holds(backlog, copy)
    return answer


def close_gives_back(app: InMemory, step: Step, call: Call) -> object:
    """What a closed consumer had delivered comes to the next one."""
    consumer: Any = app.objects.get(step.on)
    if step.method == "close" and step.on.startswith("k") and not consumer.closed_by:
        session = consumer.session
        given = [pair for pair in session.held if pair[0] is consumer.backlog]
        session.held = [pair for pair in session.held if pair not in given]
        for _, copy in given:
            copy.becomes(MessageState.WAITING, [], "")
    return call()


def dies_of_closed_consumers(app: InMemory, step: Step, call: Call) -> object:
    """acknowledge() fails where a consumer was closed that had delivered something."""
    session = session_of(app, step.on)
    is_left = step.method == "acknowledge" and any(copy.taker.closed_by for _, copy in session.held)
    if is_left and session.mode == CLIENT:
        raise JMSException("changed meanwhile")
    return call()


def settles_nothing_behind_a_vain_receive(app: InMemory, step: Step, call: Call) -> object:
    """acknowledge() of a context that has asked for more has forgotten what it got."""
    in_vain = app.objects.setdefault("in vain", set())
    session: Any = session_of(app, step.on)
    if step.method in IN_VAIN:
        in_vain.add(session)
    if step.method == "receive":
        in_vain.discard(session)
    if step.method != "acknowledge" or session not in in_vain:
        return call()
    left = [*session.held]
    answer = call()
    for backlog, copy in left:
        session.holds(backlog, copy)
    return answer


def gives_the_last_again(app: InMemory, step: Step, call: Call) -> object:
    """Where nothing waits, the message comes that was received last."""
    answer = call()
    held = getattr(session_of(app, step.on), "held", ())
    of = [copy for backlog, copy in held if backlog is getattr(app.objects[step.on], "backlog", 0)]
    return of[-1].sent.number if step.method in IN_VAIN and of else answer


def late_sessions_deliver(app: InMemory, step: Step, call: Call) -> object:
    """A session that is made on a stopped connection has its listeners called."""
    late: Any = app.objects.get("late")
    if step.method != "start" or late is None or late.connection.started:
        return call()
    waiting = [
        (name, copy)
        for name, consumer in app.model.of_kind(Consumer).items()
        if consumer.session is late
        for copy in consumer.backlog.waiting()
    ]
    answer = call()
    return next(((name, copy.sent.number) for name, copy in waiting), answer)


WRONG: list[tuple[Wrong, str, str]] = [
    (unflagged_for_others, HOLDING, "JMS-REDL-001"),
    (unflagged_for_others, LISTENERS, "JMS-REDL-001"),
    (closed_consumers_are_forgotten, HOLDING, "JMS-ACK-001"),
    (close_gives_back, HOLDING, "JMS-CONS-006"),
    (dies_of_closed_consumers, HOLDING, "JMS-ACK-001"),
    (settles_nothing_behind_a_vain_receive, HOLDING, "API-CTX-014"),
    (gives_the_last_again, HOLDING, "JMS-REDL-009"),
    (late_sessions_deliver, LISTENERS, "JMS-CONN-008"),
]
"""Each with the subject, and the statement that it breaks."""


@pytest.mark.parametrize(("wrong", "subject", "id_"), WRONG)
def test_it_is_noticed(wrong: Wrong, subject: str, id_: str) -> None:
    hunt = hunted(wrong, subject)
    assert hunt.against(id_), [*map(str, hunt.found.values())]


@pytest.mark.parametrize("subject", DECLARED)
def test_a_right_client_is_accused_of_nothing(subject: str) -> None:
    assert [str(each) for each in hunted(right, subject).found.values()] == []
