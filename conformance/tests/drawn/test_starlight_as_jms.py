"""Drawn programs judge what Starlight's documents say as JMS does, by their own statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from drawn import resources_in_memory
from drawn.resources_in_memory import InMemory as Resources
from drawn.sessions_in_memory import Call, InMemory, Wrong, declared_by, hunted, right
from drawn.wrong_listeners import called_at_once_again, called_while_stopped
from jms_scenarios.starlight.listeners import test_drawn_programs as test_listeners
from jms_scenarios.starlight.nolocal import test_drawn_programs as test_nolocal
from jms_scenarios.starlight.selectors import test_drawn_programs as test_selectors
from jms_scenarios.starlight.temporary import test_drawn_programs as test_temporary
from jmsapi.errors import JMSException

pytestmark = pytest.mark.thorough

LISTENING: Final = declared_by(test_listeners.test_drawn_programs_on_listeners_and_start)
NO_LOCAL: Final = declared_by(test_nolocal.test_drawn_programs_on_messages_of_the_own_connection)
TEMPORARY: Final = declared_by(
    test_temporary.test_drawn_programs_on_temporary_destinations_at_the_broker
)
SELECTORS: Final = declared_by(test_selectors.test_drawn_programs_on_texts_that_are_no_selectors)
SESSIONS: Final = {"listeners": LISTENING, "own messages": NO_LOCAL}
RESOURCES: Final = {"temporary destinations": TEMPORARY, "consumers": SELECTORS}


def leaves_out_all(app: InMemory, step: Any, call: Call) -> object:
    """noLocal consumers get nothing that others send."""
    answer = call()
    if step.method == "send":
        for backlogs in app.model.topics.values():
            for backlog in backlogs:
                if backlog.no_local:
                    backlog.copies.pop(app.model.sent, None)
    return answer


def leaves_out_nothing(app: InMemory, step: Any, call: Call) -> object:
    """noLocal consumers get what their own connection sends."""
    answer = call()
    made = app.objects.get(step.makes)
    if "no_local" in step.method and made is not None:
        made.backlog.no_local = False
    return answer


WRONG: Final[Sequence[tuple[str, str, Wrong]]] = (
    ("listeners", "SLJ-LSN-002", called_at_once_again),
    ("listeners", "SLJ-LSN-004", called_while_stopped),
    ("listeners", "SLJ-LSN-005", called_while_stopped),
    ("own messages", "SLJ-NLOC-001", leaves_out_nothing),
    ("own messages", "SLJ-NLOC-002", leaves_out_all),
)


@pytest.mark.parametrize(("subject", "id_", "wrong"), WRONG, ids=[each[1] for each in WRONG])
def test_a_wrong_session_is_noticed(subject: str, id_: str, wrong: Wrong) -> None:
    assert hunted(wrong, SESSIONS[subject], [subject], id_, "SLJ").against(id_)


@pytest.mark.parametrize("subject", SESSIONS)
def test_a_right_session_is_accused_of_nothing_and_all_is_decided(subject: str) -> None:
    declared = SESSIONS[subject]
    hunt = hunted(right, declared, [subject], document="SLJ")
    assert hunt.found == {}
    assert sorted(id_ for id_ in declared if not hunt.driver.decided[id_]) == []


def stays_at_the_broker(_: Resources, step: Any, call: Call) -> object:
    """A temporary destination outlives its connection."""
    answer = call()
    return False if step.method == "is_gone" else answer


def is_not_there(app: Resources, step: Any, call: Call) -> object:
    """The broker knows of no temporary destination."""
    answer = call()
    return False if step.method == "is_there" else answer


def takes_every_text(app: Resources, step: Any, call: Call) -> object:
    """Whatever is no selector is taken for one."""
    try:
        return call()
    except JMSException as error:
        if type(error).__name__.startswith("InvalidSelector"):
            return None
        raise


OTHERS: Final[Sequence[tuple[str, str, Any]]] = (
    ("temporary destinations", "SLJ-TEMP-001", is_not_there),
    ("temporary destinations", "SLJ-TEMP-002", is_not_there),
    ("temporary destinations", "SLJ-TEMP-003", stays_at_the_broker),
    ("consumers", "SLJ-SEL-007", takes_every_text),
)


@pytest.mark.parametrize(("subject", "id_", "wrong"), OTHERS, ids=[each[1] for each in OTHERS])
def test_a_wrong_destination_or_consumer_is_noticed(subject: str, id_: str, wrong: Any) -> None:
    hunt = resources_in_memory.hunted(wrong, subject, frozenset([id_]))
    assert hunt.against(id_)


@pytest.mark.parametrize("subject", RESOURCES)
def test_right_ones_are_accused_of_nothing_and_all_is_decided(subject: str) -> None:
    declared = RESOURCES[subject]
    hunt = resources_in_memory.hunted(resources_in_memory.right, subject, declared)
    assert hunt.found == {}
    assert sorted(id_ for id_ in declared if not hunt.driver.decided[id_]) == []
