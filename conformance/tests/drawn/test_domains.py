"""Interfaces of one domain, own messages and emulated transactions: wrong clients are noticed."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from drawn.sessions_in_memory import Call, InMemory, Wrong, declared_by, hunted, right
from jms_model.delivery.backlog import MessageState
from jms_scenarios.core.sessions import test_drawn_programs as test_sessions
from jms_scenarios.starlight.transactions import test_transactions
from jmsapi.errors import IllegalStateException
from touchstone.drawn.sessions.program import Step

ONE_DOMAIN = "queues alone", "topics alone"
OWN = ("own messages",)
EMULATED = ("emulated transactions",)
EMULATED_LISTENERS = ("listeners in emulated transactions",)
SCENARIOS = {
    ONE_DOMAIN: test_sessions.test_drawn_programs_by_interfaces_of_one_domain,
    OWN: test_sessions.test_drawn_programs_on_own_messages,
    EMULATED: test_transactions.test_drawn_programs_on_emulated_transactions,
    EMULATED_LISTENERS: test_transactions.test_drawn_programs_on_emulated_transactions,
}


def subscriber_has_no_selector(app: InMemory, step: Step, call: Call) -> object:
    """Of a TopicSession all come."""
    answer = call()
    if step.method == "create_consumer" and app.model.domain == "t" and step.makes in app.objects:
        app.objects[step.makes].selector = app.objects[step.makes].backlog.selector = None
    return answer


def receiver_takes_a_subscription(app: InMemory, step: Step, call: Call) -> object:
    """Of a QueueSession it gets what is sent from now on."""
    if step.method == "create_consumer" and app.model.domain == "q":
        waiting = app.model.backlogs(step.args[0])[0].waiting()
        answer = call()
        for copy in waiting:
            copy.becomes(MessageState.SETTLED, [], "")
        return answer
    return call()


def queue_session_unsubscribes(_: InMemory, step: Step, call: Call) -> object:
    """Although it has no topics."""
    try:
        return call()
    except IllegalStateException:
        if step.method == "unsubscribe":
            return None
        raise


def _takes_own(app: InMemory, step: Step, *, durable: bool) -> None:
    made: Any = app.objects.get(step.makes)
    if step.method.endswith("_no_local") and made.backlog.is_durable == durable:
        made.backlog.no_local = False


def own_messages_come(app: InMemory, step: Step, call: Call) -> object:
    """To a consumer with noLocal."""
    answer = call()
    _takes_own(app, step, durable=False)
    return answer


def own_messages_come_to_durable_ones(app: InMemory, step: Step, call: Call) -> object:
    """To a durable consumer with noLocal."""
    answer = call()
    _takes_own(app, step, durable=True)
    return answer


def own_messages_never_come(app: InMemory, step: Step, call: Call) -> object:
    """Also without noLocal."""
    answer = call()
    made = app.objects.get(step.makes)
    if step.method == "create_consumer" and made is not None:
        made.backlog.no_local = True
    return answer


def sends_wait_for_commit(app: InMemory, step: Step, call: Call) -> object:
    """As in a real transaction."""
    app.model.emulated = False
    return call()


def rollback_takes_sends_back(app: InMemory, step: Step, call: Call) -> object:
    """What was sent since the last commit is gone."""
    sent = app.objects.setdefault("sent", {})
    answer = call()
    if step.method == "send":
        sent.setdefault(step.on, []).append(app.model.sent)
    if step.method == "commit":
        sent.pop(step.on, None)
    if step.method == "rollback":
        for number in sent.pop(step.on, ()):
            for backlog in chain(app.model.queues.values(), *app.model.topics.values()):
                if number in backlog.copies:
                    backlog.copies[number].becomes(MessageState.SETTLED, [], "")
    return answer


def receipt_settles(app: InMemory, step: Step, call: Call) -> object:
    """What was received does not come again."""
    if step.method == "rollback" and not app.objects[step.on].closed_by:
        app.objects[step.on].settles([], "")
    return call()


def listener_settles(app: InMemory, step: Step, call: Call) -> object:
    """What a listener had does not come again, once it has returned."""
    heard: Any = app.objects.get(step.on)
    answer = call()
    if step.method == "returns" and heard.session.transacted:
        heard.session.settles([], "")
    return answer


WRONG: dict[Wrong, tuple[tuple[str, ...], str]] = {
    subscriber_has_no_selector: (ONE_DOMAIN, "JMS-SUB-017"),
    receiver_takes_a_subscription: (ONE_DOMAIN, "JMS-DEST-002"),
    queue_session_unsubscribes: (ONE_DOMAIN, "JMS-ERR-022"),
    own_messages_come: (OWN, "JMS-NLOC-001"),
    own_messages_come_to_durable_ones: (OWN, "JMS-NLOC-002"),
    own_messages_never_come: (OWN, "JMS-NLOC-003"),
    sends_wait_for_commit: (EMULATED, "SLJ-TX-010"),
    rollback_takes_sends_back: (EMULATED, "SLJ-TX-012"),
    receipt_settles: (EMULATED, "SLJ-TX-011"),
    listener_settles: (EMULATED_LISTENERS, "SLJ-TX-011"),
}
"""Each with the subjects of programs, and the statement that it breaks."""


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_it_is_noticed(wrong: Wrong) -> None:
    subjects, id_ = WRONG[wrong]
    hunt = hunted(wrong, declared_by(SCENARIOS[subjects]), subjects, id_)
    disagreements = hunt.against(id_)
    assert [len(each.program.steps) <= 16 for each in disagreements[:1]] == [True], [
        *map(str, hunt.found.values())
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("subjects", SCENARIOS, ids=", ".join)
def test_a_right_client_is_accused_of_nothing_and_all_is_decided(subjects: tuple[str, ...]) -> None:
    declared = declared_by(SCENARIOS[subjects])
    hunt = hunted(right, declared, subjects)
    assert [str(each) for each in hunt.found.values()] == []
    assert sorted(id_ for id_ in declared if not hunt.driver.decided[id_]) == []
