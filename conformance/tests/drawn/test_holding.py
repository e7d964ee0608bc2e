"""Drawn programs that fill a session first notice what goes wrong with several consumers alone."""

from __future__ import annotations

import pytest

from drawn.sessions_in_memory import Call, InMemory, Wrong, declared_by, hunted, right
from jms_model.delivery.backlog import Backlog, MessageState
from jms_scenarios.core.sessions import test_drawn_programs as test_sessions
from touchstone.drawn.sessions.program import Step

DECLARED = declared_by(test_sessions.test_drawn_programs_on_held_messages)
SUBJECTS = ("holding",)


def _loses(app: InMemory, name: str, which: slice) -> None:
    """Of several queues and subscriptions that a session got messages of some are settled."""
    session = app.objects[name]
    backlogs: list[Backlog] = [*dict.fromkeys(backlog for backlog, _ in session.held)]
    lost = backlogs[which] if len(backlogs) > 1 else []
    for backlog, copy in session.held:
        if backlog in lost:
            copy.becomes(MessageState.SETTLED, [], "")
    session.held[:] = [each for each in session.held if each[0] not in lost]


def gives_back_of_the_last_consumer(app: InMemory, step: Step, call: Call) -> object:
    """rollback() and recover() forget what others got."""
    if step.method in ("rollback", "recover") and not app.objects[step.on].closed_by:
        _loses(app, step.on, slice(-1))
    return call()


def settles_of_the_first_consumer(app: InMemory, step: Step, call: Call) -> object:
    """commit() leaves what others got as it was."""
    if step.method != "commit" or app.objects[step.on].mode:
        return call()
    session = app.objects[step.on]
    of = {id(backlog) for backlog, _ in session.held[:1]}
    later = [each for each in session.held if id(each[0]) not in of]
    answer = call()
    for backlog, copy in later:
        session.holds(backlog, copy)
    return answer


def close_settles_of_the_second_consumer(app: InMemory, step: Step, call: Call) -> object:
    """What it got is gone with the session."""
    if step.method == "close" and step.on == "c0" and "s0" in app.objects:
        _loses(app, "s0", slice(1, None))
    return call()


def rollback_sends_behind_a_receive(app: InMemory, step: Step, call: Call) -> object:
    """What a transaction sent is there after its rollback, if it got something, too."""
    if step.method == "rollback" and app.objects[step.on].held:
        for each in app.objects[step.on].produced:
            app.model.delivers(each.backlogs, each.sent, [], "")
    return call()


WRONG: dict[Wrong, str] = {
    gives_back_of_the_last_consumer: "JMS-TX-004",
    settles_of_the_first_consumer: "JMS-TX-001",
    close_settles_of_the_second_consumer: "JMS-ACK-007",
    rollback_sends_behind_a_receive: "JMS-TX-003",
}
"""Each with the statement that it breaks."""


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_it_is_noticed(wrong: Wrong) -> None:
    hunt = hunted(wrong, DECLARED, SUBJECTS, WRONG[wrong])
    disagreements = hunt.against(WRONG[wrong])
    assert [len(each.program.steps) <= 22 for each in disagreements[:1]] == [True], [
        *map(str, hunt.found.values())
    ]


@pytest.mark.thorough
def test_a_right_client_is_accused_of_nothing_and_all_is_decided() -> None:
    hunt = hunted(right, DECLARED, SUBJECTS)
    assert [str(each) for each in hunt.found.values()] == []
    assert sorted(id_ for id_ in DECLARED if not hunt.driver.decided[id_]) == []
