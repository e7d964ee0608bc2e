"""Session: its modes, and what it makes nothing for."""

from jms_scenarios.api.modes import MAKES, MODES
from jms_scenarios.api.rows import by_method
from jms_scenarios.refusals import refusal
from jmsapi import InvalidDestinationException, SessionMode
from touchstone.api import durable_consumer, requirement


@requirement("API-SESS-001")
def test_session_tells_whether_it_is_transacted(jms):
    """One of the four modes is."""
    told = {mode: jms.session(mode).transacted for mode in MODES}

    assert told == {mode: mode == SessionMode.SESSION_TRANSACTED for mode in MODES}


@requirement("API-SESS-002")
def test_session_tells_its_mode(jms):
    """Each of the four."""
    assert [jms.session(mode).acknowledge_mode for mode in MODES] == MODES


@requirement("API-SESS-003")
def test_unknown_subscription_is_not_ended(connection, topic):
    """It raises InvalidDestinationException; one that is there is ended by the same call."""
    session = connection.create_session()
    durable_consumer(session, topic, "known").close()

    error = refusal(session.unsubscribe, "unknown")

    session.unsubscribe("known")
    assert type(error) is InvalidDestinationException


NOTHING = {
    method: (4 + at, MAKES[method])
    for at, method in enumerate(each for each in MAKES if each != "createConsumer")
}


@by_method("API-SESS", NOTHING, "make")
def test_session_makes_nothing_for_null(connection, make):
    """It raises InvalidDestinationException, with a selector as well."""
    session = connection.create_session()

    errors = [type(refusal(make, session, None, rest)) for rest in ((), ("n = 1",))]

    assert errors == [InvalidDestinationException] * 2
