"""Drawn programs with browsers notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from drawn.sessions_in_memory import InMemory, Wrong, declared_by, hunted, right
from jms_model.delivery.backlog import MessageState
from jms_model.delivery.browser_rules import PAST, Browser, Enumeration
from jms_scenarios.core.browser import test_drawn_programs as test_browser
from jmsapi import JMSException
from touchstone.drawn.sessions.program import Step

pytestmark = pytest.mark.thorough

DECLARED = declared_by(test_browser.test_drawn_programs_on_browsers)


def target(app: InMemory, step: Step) -> Any:
    return app.objects[step.on]


def looking(app: InMemory, step: Step) -> Enumeration | None:
    """The enumeration that is asked for an element, and is sure of the next one."""
    enumeration = target(app, step) if step.method == "next" else None
    return (
        enumeration
        if enumeration is not None and enumeration.is_open and enumeration.is_certain
        else None
    )


def takes_what_it_shows(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """What was shown is gone, where it was not the first."""
    enumeration, answer = looking(app, step), call()
    if enumeration is not None and len(enumeration.shown) > 1 and answer != PAST:
        enumeration.shown[-1].becomes(MessageState.SETTLED, [], "")
    return answer


def counts_what_it_shows(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """What was shown comes as if it had been delivered."""
    answer = call()
    if step.method == "delivery" and answer is not None:
        copy = target(app, step).copy
        if copy.ids and "JMS-BRW-001" in target(app, step).ids:
            return True, copy.deliveries + 1
    return answer


def leaves_out_the_last(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """Without a selector the last of several is not shown."""
    enumeration = looking(app, step)
    if (
        enumeration is not None
        and not enumeration.browser.selector
        and enumeration.shown
        and len(enumeration.left) == 1
    ):
        return PAST
    return call()


def selector_is_forgotten(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """Everything is shown."""
    enumeration = looking(app, step)
    if enumeration is not None and enumeration.browser.selector:
        for copy in enumeration.browser.backlog.waiting():
            if (
                copy not in enumeration.shown
                and copy not in enumeration.sure
                and not enumeration.shown
            ):
                return copy.sent.number
    return call()


def selector_leaves_out_more(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """What comes behind the first that was chosen is not shown."""
    enumeration = looking(app, step)
    if (
        enumeration is not None
        and enumeration.browser.selector
        and enumeration.shown
        and enumeration.left
    ):
        return PAST
    return call()


def queue_has_another_name(_: InMemory, step: Step, call: Callable[[], object]) -> object:
    """getQueue gives another one."""
    answer = call()
    return "another" if step.method == "queue" and answer is not None else answer


def empty_selector_is_kept(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """getMessageSelector gives ""."""
    answer = call()
    if step.method == "message_selector" and target(app, step).selector == "":
        return ""
    return answer


def empty_queue_has_an_element(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """hasMoreElements is true."""
    answer = call()
    if step.method == "more" and not target(app, step).shown and answer is False:
        return True
    return answer


def empty_queue_shows_what_it_had(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """A browser that had shown something shows it again, once the queue is empty."""
    enumeration = looking(app, step)
    if enumeration is not None and not (
        enumeration.left or enumeration.shown or enumeration.is_first
    ):
        backlog = enumeration.browser.backlog
        settled = [n for n, copy in backlog.copies.items() if copy.state is MessageState.SETTLED]
        if settled:
            return settled[0]
    return call()


def asking_moves_on(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """hasMoreElements, asked twice, skips one."""
    enumeration = looking(app, step)
    if enumeration is not None and enumeration.asked > 1 and len(enumeration.left) > 1:
        return enumeration.left[1].sent.number
    return call()


def later_enumerations_go_on(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """They show what the first left."""
    enumeration = looking(app, step)
    if (
        enumeration is not None
        and not enumeration.is_first
        and len(enumeration.left) > 1
        and not enumeration.shown
    ):
        return enumeration.left[1].sent.number
    return call()


def closed_browser_answers(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """getMessageSelector goes on."""
    of = target(app, step) if step.on in app.objects else None
    if step.method == "message_selector" and isinstance(of, Browser) and of.closed:
        return of.selector
    return call()


def second_close_is_refused(app: InMemory, step: Step, call: Callable[[], object]) -> object:
    """A closed browser raises."""
    of = target(app, step) if step.on in app.objects else None
    if step.method == "close" and isinstance(of, Browser) and of.closed:
        raise JMSException("closed")
    return call()


WRONG: dict[Wrong, str] = {
    takes_what_it_shows: "JMS-BRW-001",
    counts_what_it_shows: "JMS-BRW-001",
    leaves_out_the_last: "JMS-BRW-002",
    selector_is_forgotten: "JMS-SEL-018",
    selector_leaves_out_more: "JMS-BRW-003",
    queue_has_another_name: "API-BRW-001",
    empty_selector_is_kept: "API-BRW-002",
    empty_queue_has_an_element: "API-BRW-003",
    empty_queue_shows_what_it_had: "API-BRW-003",
    asking_moves_on: "API-BRW-004",
    later_enumerations_go_on: "API-BRW-005",
    closed_browser_answers: "API-BRW-006",
    second_close_is_refused: "API-BRW-007",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: each.__name__)
def test_wrong_browser_is_noticed(wrong: Wrong) -> None:
    hunt = hunted(wrong, DECLARED, ["browsers"], WRONG[wrong])
    assert hunt.against(WRONG[wrong]), sorted(hunt.found)


def test_what_a_selector_leaves_out_too_much_was_not_false() -> None:
    hunt = hunted(selector_leaves_out_more, DECLARED, ["browsers"], "JMS-SEL-018")
    assert hunt.against("JMS-SEL-018") == []


def test_right_browser_is_not_accused() -> None:
    hunt = hunted(right, DECLARED, ["browsers"])
    assert {signature: each.shown for signature, each in hunt.found.items()} == {}
    assert sorted(DECLARED - hunt.driver.decided.keys()) == []
