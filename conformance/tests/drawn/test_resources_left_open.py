"""Clients that do in one of several ways what JMS leaves open are accused of nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from drawn.resources_in_memory import Call, InMemory, hunted, is_closed, is_context, is_open
from drawn.sessions_in_memory import declared_by
from jms_model.resources.things import Connection, Session
from jms_scenarios.core.connections import test_drawn_programs as scenarios
from jmsapi.errors import (
    IllegalStateException,
    IllegalStateRuntimeException,
    JMSException,
    JMSRuntimeException,
)
from touchstone.drawn.resources.drawing import CLIENTS, CONSUMED, OTHER_DOMAIN
from touchstone.drawn.resources.making import WITH_NAMES
from touchstone.drawn.resources.program import Step

pytestmark = pytest.mark.thorough


def gives_up_when_an_id_is_refused(app: InMemory, step: Step, call: Call) -> object:
    """A connection whose client id was refused fails."""
    target: Any = app.objects.get(step.on)
    connection = getattr(target, "connection", target)
    is_open = isinstance(connection, Connection) and not connection.closed
    is_failed = is_open and connection.was_rejected and not is_closed(target, step)
    if is_failed and step.method in ("get_exception_listener", "create_session", "create_queue"):
        simplified = connection.simplified
        raise (IllegalStateRuntimeException if simplified else IllegalStateException)("failed")
    return call()


def refused_calls_are_actions(app: InMemory, step: Step, call: Call) -> object:
    """A connection whose context has refused something cannot be given a client id."""
    target: Any = app.objects.get(step.on)
    is_late = step.method == "set_client_id" and is_context(target, step) and not target.closed_by
    if is_late and target.connection in app.refusing:
        raise IllegalStateRuntimeException("late")
    try:
        return call()
    except JMSRuntimeException:
        app.refusing.add(getattr(target, "connection", None))
        raise


def auto_start_is_an_action(app: InMemory, step: Step, call: Call) -> object:
    """A context on which setAutoStart() was called cannot be given a client id."""
    target: Any = app.objects.get(step.on)
    if not is_context(target, step) or target.closed_by:
        return call()
    if step.method == "set_auto_start":
        app.refusing.add(target.connection)
    if step.method == "set_client_id" and target.connection in app.refusing:
        raise IllegalStateRuntimeException("late")
    return call()


def empty_is_an_id(app: InMemory, step: Step, call: Call) -> object:
    """A connection with an empty client id can have durable subscriptions."""
    target: Any = app.objects.get(step.on)
    try:
        return call()
    except IllegalStateException:
        is_vague = isinstance(target, Session) and target.connection.is_vague
        if is_vague and step.method == "create_durable_consumer" and not target.closed_by:
            return None
        raise


def unusual_ids_have_no_subscriptions(app: InMemory, step: Step, call: Call) -> object:
    """A client id of unusual letters makes no name of a subscription."""
    target: Any = app.objects.get(step.on)
    if step.method in WITH_NAMES and is_open(app, step):
        client_id = target.connection.client_id
        if client_id is not None and not client_id.is_plain:
            simplified = target.simplified
            raise (JMSRuntimeException if simplified else JMSException)("not to be read")
    return call()


def keeps_what_it_refused(app: InMemory, step: Step, call: Call) -> object:
    """A name of a subscription that was refused once, by whatever exception, is in the way."""
    if step.method not in WITH_NAMES:
        return call()
    name = step.args[1]
    try:
        answer = call()
    except (JMSException, JMSRuntimeException):
        app.refusing.add(name)
        raise
    if name in app.refusing and is_open(app, step):
        simplified = is_context(app.objects[step.on], step)
        raise (JMSRuntimeException if simplified else JMSException)("there is one")
    return answer


def has_no_newer_calls(app: InMemory, step: Step, call: Call) -> object:
    """A session for topics alone has what its interface declares, and no call of JMS 2.0."""
    session: Any = app.objects.get(step.on)
    is_newer = step.method in WITH_NAMES and step.method != "create_durable_subscriber"
    if is_newer and session.domain == "topics" and is_open(app, step):
        raise IllegalStateException("not of a session for topics")
    return call()


@pytest.mark.parametrize(
    "permitted",
    [
        gives_up_when_an_id_is_refused,
        refused_calls_are_actions,
        auto_start_is_an_action,
        empty_is_an_id,
        unusual_ids_have_no_subscriptions,
        keeps_what_it_refused,
        has_no_newer_calls,
    ],
    ids=lambda permitted: permitted.__name__,
)
def test_what_jms_leaves_open_is_accused_of_nothing(
    permitted: Callable[[InMemory, Step, Call], object],
) -> None:
    subject, scenario = CLIENTS, scenarios.test_drawn_programs_on_client_ids
    if permitted is keeps_what_it_refused:
        subject, scenario = CONSUMED, scenarios.test_drawn_programs_on_consumers_and_browsers
    elif permitted is has_no_newer_calls:
        subject, scenario = OTHER_DOMAIN, scenarios.test_drawn_programs_on_calls_of_the_other_domain
    hunt = hunted(permitted, subject, declared_by(scenario))
    assert [str(each) for each in hunt.found.values()] == []
