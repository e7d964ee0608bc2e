"""Drawn programs on consumers side by side notice wrong clients, by the statement they break."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

import pytest

from drawn.sessions_in_memory import CLIENTS, Call, InMemory, Wrong, declared_by, hunted, right
from jms_model.delivery import backlog as backlogs
from jms_model.delivery.backlog import Backlog, Copy, MessageState
from jms_model.delivery.choosing import chooses
from jms_model.delivery.session import Consumer, Subscription
from jms_scenarios.core.sessions import test_drawn_programs as test_sessions
from jmsapi.errors import JMSException, JMSRuntimeException
from touchstone.drawn import driving
from touchstone.drawn.sessions.program import Step

DECLARED = declared_by(test_sessions.test_drawn_programs_on_consumers_side_by_side)
SUBJECTS = ("side by side",)


@pytest.fixture(autouse=True)
def _errors_are_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client in memory is code of these tests."""
    monkeypatch.setattr(driving, "is_raised_by_client", lambda error: isinstance(error, CLIENTS))


def of(app: InMemory, step: Step) -> Any:
    return app.objects[step.on]


def opened(app: InMemory, step: Step) -> Consumer | None:
    """The consumer that a step has made."""
    consumer = app.objects.get(step.makes) if "_consumer" in step.method else None
    return consumer if isinstance(consumer, Consumer) else None


def ended(app: InMemory, step: Step) -> bool:
    """Whether a step is about to close a consumer."""
    target = app.objects.get(step.on)
    return step.method == "close" and isinstance(target, Consumer) and not target.closed_by


def selectors_choose_all(app: InMemory, step: Step, call: Call) -> object:
    """A consumer of a queue ignores its selector."""
    answer = call()
    if (made := opened(app, step)) and made.backlog.is_queue:
        made.selector = None
    return answer


def unknown_is_true(app: InMemory, step: Step, call: Call) -> object:
    """A consumer gets messages without the property that its selector compares."""
    with patch.object(backlogs, "chooses", lambda of, kind: kind == 3 or chooses(of, kind)):
        return call()


def empty_chooses_none(app: InMemory, step: Step, call: Call) -> object:
    """With "" as its selector a consumer gets nothing."""
    answer = call()
    if (made := opened(app, step)) and made.selector == "":
        made.backlog.readers.remove(made)
        made.backlog = Backlog(is_queue=True)
    return answer


def left_out_is_lost(app: InMemory, step: Step, call: Call) -> object:
    """What the selector of a queue's consumer leaves out is gone when that receives."""
    answer = call()
    if step.method in ("receive", "receive_from") and isinstance(answer, int | tuple):
        consumer = app.objects[answer[0] if isinstance(answer, tuple) else step.on]
        for copy in consumer.backlog.waiting():
            if consumer.backlog.is_queue and not chooses(consumer.selector, copy.sent.kind):
                copy.becomes(MessageState.SETTLED, [], "")
    return answer


def subscription_takes_all(app: InMemory, step: Step, call: Call) -> object:
    """The selector of a durable subscription is forgotten."""
    answer = call()
    if (made := opened(app, step)) and "durable" in step.method and made.backlog.selector:
        made.backlog.selector = made.selector = None
    return answer


def shared_subscription_takes_all(app: InMemory, step: Step, call: Call) -> object:
    """So is that of a shared one that is not durable."""
    answer = call()
    if (made := opened(app, step)) and step.method == "create_shared_consumer":
        made.backlog.selector = made.selector = None
    return answer


def copies(app: InMemory, step: Step, call: Call, method: str) -> object:
    """Each of several consumers gets a message of its own."""
    answer = call()
    if step.method == "receive_from" and isinstance(answer, tuple):
        backlog: Backlog = of(app, step).backlog
        kind = {(True, True): "queue", (False, True): "durable"}
        if kind.get((backlog.is_queue, backlog.is_durable), "other") == method:
            copy = backlog.copies[answer[1]]
            if copy.deliveries == 1:
                backlog.copies[-copy.sent.number] = Copy(copy.sent, [], "")
    return answer


def queue_is_a_topic(app: InMemory, step: Step, call: Call) -> object:
    """Another consumer of a queue gets what one has got."""
    return copies(app, step, call, "queue")


def durable_subscription_is_two(app: InMemory, step: Step, call: Call) -> object:
    """Each consumer of a shared durable subscription has one of its own."""
    return copies(app, step, call, "durable")


def shared_subscription_is_two(app: InMemory, step: Step, call: Call) -> object:
    """So has each of one that is not durable."""
    return copies(app, step, call, "other")


def first_close_ends_all(app: InMemory, step: Step, call: Call) -> object:
    """A shared subscription goes with the first of its consumers."""
    is_one = ended(app, step)
    answer = call()
    if is_one and of(app, step).backlog.is_shared and not of(app, step).backlog.is_durable:
        for copy in of(app, step).backlog.waiting():
            copy.becomes(MessageState.SETTLED, [], "")
    return answer


def has_the_old_too(
    app: InMemory, step: Step, call: Call, method: str, known: Mapping[Any, Subscription]
) -> object:
    """A subscription that a consumer opens anew has what the one before had."""
    before = {key: each.backlog for key, each in known.items()}
    answer = call()
    made = opened(app, step)
    if made and step.method == method:
        old = before.get((made.session.connection.client_id, step.args[1]))
        if old is not None and old is not made.backlog:
            made.backlog.copies = {**old.copies, **made.backlog.copies}
    return answer


def outlives_its_last(app: InMemory, step: Step, call: Call) -> object:
    """A shared subscription that is not durable has what it had when it is opened again."""
    return has_the_old_too(app, step, call, "create_shared_consumer", app.model.shared)


def shared_durable_keeps_nothing(app: InMemory, step: Step, call: Call) -> object:
    """A shared durable subscription has nothing of what was sent while it had no consumer."""
    answer = call()
    for durable in app.model.durable.values() if step.method in ("send", "commit") else ():
        if durable.backlog.is_shared and not durable.backlog.is_read:
            durable.backlog.copies.clear()
    return answer


def what_was_fetched_ahead_is_lost(app: InMemory, step: Step, call: Call) -> object:
    """A consumer that is closed beside another takes along what it has not delivered."""
    if ended(app, step) and len(of(app, step).backlog.readers) > 1:
        for copy in of(app, step).backlog.next(of(app, step))[:1]:
            copy.becomes(MessageState.SETTLED, [], "")
    return call()


def turned_round(app: InMemory, step: Step, call: Call) -> object:
    """One of several consumers gets the last message first."""
    with patch.object(Backlog, "_share", lambda self, reader: self.waiting(reader.selector)[::-1]):
        return call()


def refusals_are_none(*methods: str) -> Wrong:
    """These refuse nothing."""

    def taken(_: InMemory, step: Step, call: Call) -> object:
        try:
            return call()
        except (JMSException, JMSRuntimeException):
            if step.method in methods:
                return None
            raise

    taken.__name__ = f"{methods[0]} refuses nothing"
    return taken


def idle_one_stays(app: InMemory, step: Step, call: Call) -> object:
    """Another selector does not make a shared durable subscription anew."""
    return has_the_old_too(app, step, call, "create_shared_durable_consumer", app.model.durable)


def given_back_is_lost(app: InMemory, step: Step, call: Call) -> object:
    """What one of several consumers got is gone with the connection."""
    if step.method == "close" and step.on.startswith("c"):
        for session in app.model.sessions_of(of(app, step)):
            if any(backlog.had_several for backlog, _ in session.held):
                session.settles([], "")
    return call()


WRONG: tuple[tuple[Wrong, str], ...] = (
    (selectors_choose_all, "JMS-SEL-003"),
    (unknown_is_true, "JMS-SEL-003"),
    (unknown_is_true, "JMS-SEL-068"),
    (empty_chooses_none, "JMS-CONS-002"),
    (left_out_is_lost, "JMS-SEL-067"),
    (subscription_takes_all, "JMS-SEL-068"),
    (shared_subscription_takes_all, "JMS-SUB-021"),
    (queue_is_a_topic, "JMS-DEST-004"),
    (durable_subscription_is_two, "JMS-SUB-010"),
    (shared_subscription_is_two, "JMS-SUB-019"),
    (first_close_ends_all, "JMS-SUB-020"),
    (outlives_its_last, "JMS-SUB-020"),
    (shared_durable_keeps_nothing, "JMS-SUB-007"),
    (what_was_fetched_ahead_is_lost, "JMS-CONS-008"),
    (turned_round, "JMS-ORD-005"),
    (refusals_are_none("create_shared_consumer"), "JMS-SUB-022"),
    (refusals_are_none("create_shared_durable_consumer"), "JMS-SUB-024"),
    (refusals_are_none("create_shared_durable_consumer"), "JMS-SUB-028"),
    (refusals_are_none("create_durable_consumer"), "JMS-SUB-027"),
    (idle_one_stays, "JMS-SUB-025"),
    (given_back_is_lost, "JMS-ACK-007"),
)
"""Each with the statement that it breaks."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("wrong", "id_"), WRONG, ids=[f"{wrong.__name__}-{id_}" for wrong, id_ in WRONG]
)
def test_it_is_noticed(wrong: Wrong, id_: str) -> None:
    hunt = hunted(wrong, DECLARED, SUBJECTS, id_)
    disagreements = hunt.against(id_)
    assert [len(each.program.steps) <= 20 for each in disagreements[:1]] == [True], [
        *map(str, hunt.found.values())
    ]


def last_one_last_message(app: InMemory, step: Step, call: Call) -> object:
    """What several consumers share out is shared in another way, which is as right."""
    if step.method != "receive_from" or app.asks(step) is None:
        return call()
    names = [each for each in (step.on, *step.args) if each in app.objects]
    for name in reversed(names):
        consumer = app.objects[name]
        if copy := consumer.backlog.next(consumer):
            return app.answers(step, (name, copy[-1].sent.number))
    return call()


@pytest.mark.thorough
@pytest.mark.parametrize("sharing", [right, last_one_last_message], ids=lambda each: each.__name__)
def test_how_messages_are_shared_out_is_no_matter(sharing: Wrong) -> None:
    hunt = hunted(sharing, DECLARED, SUBJECTS)
    assert [str(each) for each in hunt.found.values()] == []


@pytest.mark.thorough
def test_all_is_decided() -> None:
    hunt = hunted(right, DECLARED, SUBJECTS)
    assert sorted(id_ for id_ in DECLARED if not hunt.driver.decided[id_]) == []
