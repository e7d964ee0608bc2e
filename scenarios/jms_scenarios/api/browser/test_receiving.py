"""QueueBrowser: what it tells of itself, its enumerations, and what a closed one does."""

from itertools import islice

import pytest

from jms_scenarios.api.selectors import SELECTORS
from jms_scenarios.core.exchange import named
from jms_scenarios.refusals import refused_as
from jms_scenarios.traffic import numbered, texts
from touchstone.api import CLIENT_FAILURES, requirement


@pytest.fixture
def session(jms):
    """A session of a started connection."""
    return jms.session()


@requirement("API-BRW-001")
def test_browser_tells_its_queue(session, queue):
    """With and without a selector."""
    browsers = [session.create_browser(queue), session.create_browser(queue, "n = 1")]

    assert [named(each.queue) for each in browsers] == [named(queue)] * 2


@requirement("API-BRW-002")
def test_browser_tells_its_selector(session, queue):
    """None where there is none or an empty one."""
    told = {given: session.create_browser(queue, *given).message_selector for given in SELECTORS}

    assert told == SELECTORS


def is_at_its_end(enumeration):
    """Whether there is no other, as often as that is asked, and the next one is refused."""
    if any(enumeration.has_more_elements() for _ in range(3)):
        return False
    try:
        next(enumeration)
    except StopIteration:
        return not enumeration.has_more_elements()
    return False


@requirement("API-BRW-003")
def test_enumeration_of_nothing_has_no_elements(session, full_queue):
    """Neither by its word nor by a next one."""
    enumeration = session.create_browser(full_queue(0)).enumeration

    assert is_at_its_end(enumeration)


@requirement("API-BRW-004")
def test_enumeration_ends_behind_the_last(session, full_queue):
    """To ask for more moves nothing, until there is none."""
    queue = full_queue(3)
    enumeration = session.create_browser(queue).enumeration
    messages = []

    for _ in range(3):
        assert [enumeration.has_more_elements() for _ in range(3)] == [True] * 3
        messages.append(next(enumeration))

    assert texts(messages) == numbered(3, queue.queue_name)
    assert is_at_its_end(enumeration)


@requirement("API-BRW-005")
def test_new_enumeration_begins_with_the_first(session, full_queue):
    """Also while another is on its way."""
    queue = full_queue(3)
    browser = session.create_browser(queue)
    first = browser.enumeration
    assert texts(islice(first, 1)) == numbered(3, queue.queue_name)[:1]

    assert texts(list(browser.enumeration)) == numbered(3, queue.queue_name)


@requirement("API-BRW-006")
def test_closed_browser_refuses_all(session, full_queue):
    """Each getter raises IllegalStateException."""
    browser = session.create_browser(full_queue(1))
    names = ("queue", "message_selector", "enumeration")
    for name in names:
        getattr(browser, name)
    browser.close()

    answers = {name: refused_as(getattr, browser, name, by=CLIENT_FAILURES) for name in names}

    assert answers == dict.fromkeys(names, "IllegalStateException")


@requirement("API-BRW-007")
def test_closed_browser_is_closed_again(session, full_queue):
    """Nothing happens, and the session goes on."""
    queue = full_queue(1)
    browser = session.create_browser(queue)
    for _ in range(3):
        browser.close()

    again = session.create_browser(queue).enumeration
    assert texts(list(again)) == numbered(1, queue.queue_name)
