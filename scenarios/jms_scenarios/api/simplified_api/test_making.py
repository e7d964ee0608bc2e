"""JMSContext and ConnectionFactory: modes, what is made for nothing, and what a closed one does."""

from operator import methodcaller

import pytest

from jms_scenarios.api.modes import MAKES, MODES, NO_MODES
from jms_scenarios.api.rows import by_method
from jms_scenarios.refusals import refusal
from jmsapi import (
    IllegalStateRuntimeException,
    InvalidDestinationRuntimeException,
    JMSRuntimeException,
    SessionMode,
)
from touchstone.api import requirement


@pytest.fixture
def identified(context_of, client_id):
    """`identified()`: a context with a client identifier."""

    def identified():
        context = context_of()
        context.client_id = client_id
        return context

    return identified


@requirement("API-CTX-001")
def test_context_tells_its_mode(context_of):
    """Each of the four, and each that one of these makes."""
    contexts = {mode: context_of(mode) for mode in MODES}
    made = {
        (maker, mode): context.create_context(mode)
        for maker, context in contexts.items()
        for mode in MODES
    }

    assert [context.session_mode for context in contexts.values()] == MODES
    wrong = [key for key, context in made.items() if context.session_mode != key[1]]
    assert wrong == []


@requirement("API-CTX-002")
def test_context_tells_whether_it_is_transacted(context_of):
    """One of the four modes is."""
    told = {mode: context_of(mode).transacted for mode in MODES}

    assert told == {mode: mode == SessionMode.SESSION_TRANSACTED for mode in MODES}


@requirement("API-CTX-003")
def test_context_tells_whether_it_starts_by_itself(context_of):
    """It does at first, and then what was set last."""
    context = context_of()
    told = [context.auto_start]

    for value in (False, True, False):
        context.auto_start = value
        told.append(context.auto_start)

    assert told == [True, False, True, False]


@requirement("API-CTX-004")
@pytest.mark.parametrize("first", MODES[:2], ids=lambda mode: mode.name.lower())
def test_context_makes_one_of_another_mode(context_of, first):
    """Each of the four, whatever its own is."""
    context = context_of(first)
    made = [context.create_context(mode) for mode in MODES]

    assert [each.session_mode for each in made] == MODES
    assert context.session_mode == first
    for each in made:
        each.close()


@requirement("API-CTX-005")
def test_context_makes_none_of_no_mode(context_of):
    """It raises JMSRuntimeException, and a right mode is taken."""
    context = context_of()

    errors = [refusal(context.create_context, mode) for mode in NO_MODES]

    with context.create_context(SessionMode.CLIENT_ACKNOWLEDGE) as made:
        assert made.session_mode == SessionMode.CLIENT_ACKNOWLEDGE
    assert [isinstance(error, JMSRuntimeException) for error in errors] == [True] * 2


@requirement("API-CF-001")
def test_factory_makes_no_context_of_no_mode(context_of):
    """It raises JMSRuntimeException, and a right mode is taken."""
    errors = [refusal(context_of, mode) for mode in NO_MODES]

    made = context_of(SessionMode.CLIENT_ACKNOWLEDGE)
    assert made.session_mode == SessionMode.CLIENT_ACKNOWLEDGE
    assert [isinstance(error, JMSRuntimeException) for error in errors] == [True] * 2


@requirement("API-CTX-006")
def test_unknown_subscription_is_not_ended_by_a_context(identified, topic):
    """It raises the runtime form; one that is there is ended by the same call."""
    context = identified()
    context.create_durable_consumer(topic, "known").close()

    error = refusal(context.unsubscribe, "unknown")

    context.unsubscribe("known")
    assert type(error) is InvalidDestinationRuntimeException


NOTHING = {
    method: (7 + at, MAKES[method])
    for at, method in enumerate(each for each in MAKES if each != "createDurableSubscriber")
}


@by_method("API-CTX", NOTHING, "make")
def test_context_makes_nothing_for_null(identified, make):
    """It raises the runtime form, with a selector as well."""
    context = identified()
    errors = [type(refusal(make, context, None, rest)) for rest in ((), ("n = 1",))]

    assert errors == [InvalidDestinationRuntimeException] * 2


KINDS = ("message", "bytes_message", "map_message", "object_message", "stream_message")
CLOSED = {
    **{f"create_{kind}": methodcaller(f"create_{kind}") for kind in KINDS},
    "create_text_message": lambda each: each.create_text_message("a text"),
    "create_queue": lambda each: each.create_queue("late"),
    "create_topic": lambda each: each.create_topic("late"),
    "create_temporary_queue": lambda each: each.create_temporary_queue(),
    "create_temporary_topic": lambda each: each.create_temporary_topic(),
    "create_context": lambda each: each.create_context(1),
    "start": lambda each: each.start(),
    "stop": lambda each: each.stop(),
    "commit": lambda each: each.commit(),
    "rollback": lambda each: each.rollback(),
    "recover": lambda each: each.recover(),
    "unsubscribe": lambda each: each.unsubscribe("late"),
    "meta_data": lambda each: each.meta_data,
    "client_id": lambda each: each.client_id,
}


@requirement("API-CTX-012")
def test_closed_context_refuses_all(context_of, queue):
    """Each call raises IllegalStateRuntimeException."""
    context = context_of()
    calls = {
        **CLOSED,
        "create_consumer": lambda each: each.create_consumer(queue),
        "create_browser": lambda each: each.create_browser(queue),
    }
    context.close()

    answers = {name: refusal(call, context) for name, call in calls.items()}

    assert {
        name: type(error).__name__
        for name, error in answers.items()
        if not isinstance(error, IllegalStateRuntimeException)
    } == {}


@requirement("API-CTX-013")
def test_closed_context_is_closed_again(context_of):
    """Nothing happens, and it stays closed."""
    context = context_of()

    for _ in range(3):
        context.close()

    assert refusal(context.create_message) is not None
