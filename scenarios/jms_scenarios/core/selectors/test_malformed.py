"""Texts that are no selectors, handed over wherever a selector is."""

from functools import partial
from random import Random

import pytest

from jms_scenarios.core import selector_trees as trees
from jms_scenarios.core.opening import KINDS, NAMED
from jms_scenarios.core.selectors.damage import BROKEN
from jms_scenarios.refusals import refusal, refused_as
from jmsapi import InvalidSelectorException, InvalidSelectorRuntimeException
from touchstone.api import CLIENT_FAILURES, if_there_is, refuses, requirement, strategies

MALFORMED = ("x =", "(x = 1", "x LIKE 5", "x IN ()")
REFUSALS = {
    "session": InvalidSelectorException.__name__,
    "context": InvalidSelectorRuntimeException.__name__,
}
"""How each API refuses a selector."""


@requirement("JMS-SEL-039")
@pytest.mark.parametrize("opened_by", KINDS)
def test_malformed_selector_is_refused_at_creation(connection, topic, name, queues, opened_by):
    """Each is refused with InvalidSelectorException, and leaves no subscription behind."""
    session, label = connection.create_session(), name("s")

    for selector in MALFORMED:
        with refuses(InvalidSelectorException):
            opened_by(session, topic, label, selector)

    assert queues.subscriptions(topic) in ([], None)


@requirement("JMS-SEL-039")
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_selector_is_refused_however_it_is_malformed(jms, topic, queue, broken):
    """Made of two that are drawn, it is refused to consumers, browsers and those of contexts."""
    random = Random(strategies.run_seed())
    openers = zip(("", " of a context"), [jms.session(), *if_there_is(jms.context)], strict=False)
    forms = {
        f"{form}{by}": partial(make, place)
        for by, opener in openers
        for form, make, place in (
            ("consumer", opener.create_consumer, topic),
            ("browser", opener.create_browser, queue),
        )
    }
    refusals = (InvalidSelectorException, InvalidSelectorRuntimeException)

    taken = [
        f"{form}: {text}"
        for text in (broken(trees.condition(random, 2).text) for _ in range(2))
        for form, made in forms.items()
        if refusal(made, text, by=refusals) is None
    ]

    assert taken == []


@requirement("JMS-SEL-039")
def test_browser_with_a_malformed_selector_is_refused_at_creation(jms, queue):
    """createBrowser throws InvalidSelectorException for each."""
    session = jms.session()

    for selector in MALFORMED:
        with refuses(InvalidSelectorException):
            session.create_browser(queue, selector)


@requirement("JMS-SEL-039")
@pytest.mark.parametrize("opened_by", NAMED)
@pytest.mark.parametrize("api", REFUSALS)
def test_selector_of_a_subscription_is_refused_however_it_is_malformed(
    connection, context_of, topic, name, queues, opened_by, api
):
    """Each way to damage one that is drawn is refused, and none leaves a subscription behind."""
    random = Random(strategies.run_seed())
    if api == "session":
        opening = connection.create_session()
    else:
        opening = context_of()
        opening.client_id = name("client")

    ends = {
        way: refused_as(
            opened_by,
            opening,
            topic,
            name("s"),
            broken(trees.condition(random, 2).text),
            by=CLIENT_FAILURES,
        )
        for way, broken in BROKEN.items()
    }

    assert {way: end for way, end in ends.items() if end != REFUSALS[api]} == {}
    assert queues.subscriptions(topic) in ([], None)
