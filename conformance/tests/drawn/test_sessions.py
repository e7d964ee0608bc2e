"""Drawn programs on sessions notice wrong clients, by the statement that they break."""

from __future__ import annotations

from typing import Any

import pytest

from drawn.sessions_in_memory import CLIENTS, Call, InMemory, Wrong, declared_by, hunted, right
from jms_model.delivery.backlog import MessageState
from jms_model.delivery.choosing import X_IS_1
from jms_scenarios.core.redelivery import test_drawn_programs as test_redelivery
from jms_scenarios.core.sessions import test_drawn_programs as test_sessions
from jmsapi.errors import (
    InvalidDestinationException,
    InvalidDestinationRuntimeException,
    UnsupportedOperationException,
)
from touchstone.drawn import driving
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.program import Program, Step, without
from touchstone.outcomes.endings import Withheld

DECLARED = declared_by(test_sessions.test_drawn_programs_on_sessions)
KEPT = declared_by(test_redelivery.test_drawn_programs_on_messages_that_are_kept)
SUBJECTS = ("acknowledgement", "transactions", "subscriptions")


@pytest.fixture(autouse=True)
def _errors_are_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client in memory is code of these tests."""
    monkeypatch.setattr(driving, "is_raised_by_client", lambda error: isinstance(error, CLIENTS))


def target(app: InMemory, step: Step) -> Any:
    return app.objects[step.on]


def rollback_settles(app: InMemory, step: Step, call: Call) -> object:
    """What was received is gone."""
    if step.method == "rollback" and not target(app, step).closed_by:
        target(app, step).settles([], "")
    return call()


def recover_turns_round(app: InMemory, step: Step, call: Call) -> object:
    """The last message comes first."""
    answer = call()
    if step.method == "recover":
        for backlog in app.model.queues.values():
            backlog.restarted.reverse()
    return answer


def second_recover_is_none(app: InMemory, step: Step, call: Call) -> object:
    """What came again once is settled by the next recover."""
    if step.method == "recover":
        for _, copy in target(app, step).held:
            if copy.deliveries > 1:
                copy.becomes(MessageState.SETTLED, [], "")
        target(app, step).held[:] = [
            (of, copy) for of, copy in target(app, step).held if copy.deliveries < 2
        ]
    return call()


def no_flag(_: InMemory, step: Step, call: Call) -> object:
    """JMSRedelivered is always false."""
    answer = call()
    return (False, answer[1]) if step.method == "delivery" and answer else answer  # type: ignore[index]


def count_stands_still(_: InMemory, step: Step, call: Call) -> object:
    """It never gets beyond 2."""
    answer = call()
    return (answer[0], min(answer[1], 2)) if step.method == "delivery" and answer else answer  # type: ignore[index]


def acknowledge_settles_one(app: InMemory, step: Step, call: Call) -> object:
    """Only the message on which it is called."""
    if step.method == "acknowledge" and step.on.startswith("m"):
        message = target(app, step)
        rest = [pair for pair in message.session.held if pair[1] is not message.copy]
        answer = call()
        if message.session.mode == 2 and not message.session.closed_by:
            for of, copy in rest:
                message.session.holds(of, copy)
        return answer
    return call()


def commit_sends_but_the_last(app: InMemory, step: Step, call: Call) -> object:
    """Of several messages the last one is forgotten."""
    if step.method == "commit" and len(target(app, step).produced) > 1:
        target(app, step).produced.pop()
    return call()


def rollback_sends(app: InMemory, step: Step, call: Call) -> object:
    """What was sent is delivered for all that."""
    if step.method == "rollback":
        for each in target(app, step).produced:
            app.model.delivers(each.backlogs, each.sent, [], "")
    return call()


def sends_at_once(app: InMemory, step: Step, call: Call) -> object:
    """What a transaction sends is there before its commit."""
    answer = call()
    if step.method == "send":
        session = target(app, step)
        for each in session.produced:
            app.model.delivers(each.backlogs, each.sent, [], "")
        session.produced.clear()
    return answer


def close_settles(app: InMemory, step: Step, call: Call) -> object:
    """What a session got is gone with it."""
    if step.method == "close" and step.on.startswith("s"):
        target(app, step).settles([], "")
    return call()


def close_takes_what_waits(app: InMemory, step: Step, call: Call) -> object:
    """What a consumer has not delivered is gone with it."""
    if step.method == "close" and step.on.startswith("k") and not target(app, step).closed_by:
        for copy in target(app, step).backlog.waiting():
            copy.becomes(MessageState.SETTLED, [], "")
    return call()


def stop_is_none(app: InMemory, step: Step, call: Call) -> object:
    """Messages come as before."""
    answer = call()
    if step.method == "stop":
        target(app, step).started = True
    return answer


def selector_of_a_queue_is_none(app: InMemory, step: Step, call: Call) -> object:
    """All messages come."""
    answer = call()
    if step.method == "create_consumer" and step.makes in app.objects:
        app.objects[step.makes].selector = None
    return answer


def durable_is_not(app: InMemory, step: Step, call: Call) -> object:
    """It takes nothing in while nobody consumes."""
    answer = call()
    for durable in app.model.durable.values() if step.method == "send" else ():
        copy = durable.backlog.copies.get(app.model.sent)
        if copy is not None and not durable.backlog.is_read:
            copy.becomes(MessageState.SETTLED, [], "")
    return answer


def second_consumer_is_taken(_: InMemory, step: Step, call: Call) -> object:
    """Of a durable subscription."""
    try:
        return call()
    except Exception:
        if step.method == "create_durable_consumer":
            return None
        raise


def unsubscribes_always(_: InMemory, step: Step, call: Call) -> object:
    """Also where there is a consumer."""
    try:
        return call()
    except (InvalidDestinationException, InvalidDestinationRuntimeException):
        raise
    except Exception:
        if step.method == "unsubscribe":
            return None
        raise


def change_is_kept(app: InMemory, step: Step, call: Call) -> object:
    """What an application wrote into its copy comes again."""
    answer = call()
    if step.method == "change":
        app.objects.setdefault("changed", set()).add(id(target(app, step).copy))
    if step.method == "text" and id(target(app, step).copy) in app.objects.get("changed", ()):
        return "changed"
    return answer


def reply_destination_is_kept(app: InMemory, step: Step, call: Call) -> object:
    """Of what an application wrote into its copy that alone comes again."""
    answer = call()
    if step.method == "change":
        app.objects.setdefault("changed", set()).add(id(target(app, step).copy))
    if step.method != "content" or not isinstance(answer, tuple):
        return answer
    if id(target(app, step).copy) in app.objects.get("changed", ()):
        return (*answer[:4], True, answer[5])
    return answer


def refused_body_is_lost(app: InMemory, step: Step, call: Call) -> object:
    """A message that receiveBody could not give is gone."""
    if step.method != "receive_body_as_map":
        return call()
    consumer = target(app, step)
    [copy] = consumer.backlog.next(consumer)
    try:
        return call()
    finally:
        if consumer.session.settles_itself:
            copy.becomes(MessageState.SETTLED, [], "")


def closed_consumer_gives_null(app: InMemory, step: Step, call: Call) -> object:
    """It is not refused."""
    if step.method == "receive" and target(app, step).closed_by == "consumer":
        return None
    return call()


def browser_leaves_the_last_out(_: InMemory, step: Step, call: Call) -> object:
    """Of several."""
    answer = call()
    return answer[:-1] if step.method == "browse" and answer and len(answer) > 1 else answer  # type: ignore[index,arg-type]


def wrong_mode_is_taken(_: InMemory, step: Step, call: Call) -> object:
    """commit and recover do nothing where they make no sense."""
    try:
        return call()
    except Exception:
        if step.method in ("commit", "recover"):
            return None
        raise


WRONG: dict[Wrong, str] = {
    rollback_settles: "JMS-TX-004",
    recover_turns_round: "JMS-REDL-006",
    second_recover_is_none: "JMS-REDL-006",
    no_flag: "JMS-REDL-001",
    count_stands_still: "JMS-REDL-003",
    acknowledge_settles_one: "JMS-ACK-001",
    commit_sends_but_the_last: "JMS-TX-001",
    rollback_sends: "JMS-TX-003",
    sends_at_once: "JMS-TX-002",
    close_settles: "JMS-ACK-008",
    close_takes_what_waits: "JMS-CONS-008",
    stop_is_none: "JMS-CONN-006",
    selector_of_a_queue_is_none: "JMS-SEL-003",
    durable_is_not: "JMS-SUB-008",
    second_consumer_is_taken: "JMS-SUB-026",
    unsubscribes_always: "JMS-SUB-014",
    change_is_kept: "JMS-REDL-014",
    reply_destination_is_kept: "JMS-REDL-014",
    refused_body_is_lost: "JMS-CTX-012",
    closed_consumer_gives_null: "API-CONS-002",
    browser_leaves_the_last_out: "JMS-BRW-002",
    wrong_mode_is_taken: "JMS-ERR-001",
}
"""Each with the statement that it breaks."""


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_it_is_noticed(wrong: Wrong) -> None:
    hunt = hunted(wrong, DECLARED, SUBJECTS, WRONG[wrong])
    disagreements = hunt.against(WRONG[wrong])
    assert [len(each.program.steps) <= 18 for each in disagreements[:1]] == [True], [
        *map(str, hunt.found.values())
    ]


@pytest.mark.thorough
def test_a_right_client_is_accused_of_nothing_and_all_is_decided() -> None:
    hunt = hunted(right, DECLARED, SUBJECTS)
    assert [str(each) for each in hunt.found.values()] == []
    decided = hunt.driver.decided
    assert sorted(id_ for id_ in DECLARED if not decided[id_]) == []
    assert sorted(decided.keys() - DECLARED - KEPT) == []


def test_without_a_step_what_came_of_it_is_gone() -> None:
    program = Program(
        False,
        [
            Step("factory", "create_connection", (None,), "c0"),
            Step("c0", "create_session", (1,), "s0"),
            Step("s0", "create_consumer", ("q0", None), "k0"),
            Step("c0", "start"),
            Step("k0", "receive", (), "m0"),
            Step("m0", "text"),
        ],
    )
    shown = "c0 = create_connection(); s0 = c0.create_session(AUTO_ACKNOWLEDGE); c0.start()"
    assert str(without(program, 2)) == f"by sessions; {shown}"


def test_a_program_ends_where_the_broker_keeps_what_it_has() -> None:
    def is_kept(app: InMemory, step: Step, call: Call) -> object:
        if step.method == "receive":
            raise Withheld("the broker keeps 1 message")
        return call()

    runs = SessionDriver(lambda program: InMemory(program, is_kept))
    program = Program(
        False,
        [
            Step("factory", "create_connection", (None,), "c0"),
            Step("c0", "create_session", (1,), "s0"),
            Step("s0", "create_consumer", ("q0", None), "k0"),
            *(Step("c0", "start"), Step("s0", "send", ("q0", "5", 1, "producer"))),
            *(Step("k0", "receive", (), "m0"), Step("s0", "commit")),
        ],
    )
    assert [*runs.disagreements(program)] == []
    assert runs.steps == 6
    assert not runs.decided["JMS-ERR-001"]


def test_an_order_that_recover_turns_round_is_no_matter_of_the_flag() -> None:
    runs = SessionDriver(lambda program: InMemory(program, recover_turns_round))
    sends = [Step("s0", "send", ("q0", "5", 1, "producer"))] * 2
    receives = [Step("k0", "receive", (), f"m{number}") for number in range(2)]
    program = Program(
        False,
        [
            Step("factory", "create_connection", ("a",), "c0"),
            Step("c0", "create_session", (2,), "s0"),
            Step("s0", "create_consumer", ("q0", None), "k0"),
            *(Step("c0", "start"), *sends, *receives, Step("s0", "recover")),
            Step("k0", "receive", (), "m2"),
        ],
    )
    [disagreement] = runs.disagreements(program)
    assert disagreement.ids == {"JMS-REDL-006"}


OPENED = (
    Step("factory", "create_connection", ("a",), "c0"),
    Step("c0", "create_session", (2,), "s0"),
    Step("c0", "start"),
)


def test_a_count_that_is_wrong_behind_recover_is_no_matter_of_the_order() -> None:
    runs = SessionDriver(lambda program: InMemory(program, no_flag))
    steps = [
        *(*OPENED, Step("s0", "create_consumer", ("q0", None), "k0")),
        Step("s0", "send", ("q0", "5", 1, "producer")),
        *(Step("k0", "receive", (), "m0"), Step("s0", "recover")),
        *(Step("k0", "receive", (), "m1"), Step("m1", "delivery")),
    ]
    [disagreement] = runs.disagreements(Program(False, steps))
    assert disagreement.ids == {"JMS-REDL-001", "JMS-REDL-005"}


def test_a_client_may_have_no_selectors_of_queues() -> None:
    def none(_: InMemory, step: Step, call: Call) -> object:
        if step.method == "create_consumer" and step.args[1] is not None:
            raise UnsupportedOperationException("no selectors of queues")
        return call()

    runs = SessionDriver(lambda program: InMemory(program, none))
    steps = [*OPENED, Step("s0", "create_consumer", ("q0", X_IS_1), "k0"), Step("k0", "close")]
    assert list(runs.disagreements(Program(False, steps))) == []
    assert runs.steps == 4
