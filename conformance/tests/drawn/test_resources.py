"""Wrong connections, sessions, consumers and destinations are noticed by drawn programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from drawn.resources_in_memory import (
    Call,
    InMemory,
    hunted,
    is_closed,
    is_context,
    is_open,
    right,
    selector_of,
)
from drawn.sessions_in_memory import declared_by
from jms_model.resources.arguments import FOREIGN, Of, Unique
from jms_model.resources.rules import CONSUMERS, FACTORY, PRODUCER_SETTINGS
from jms_model.resources.things import Browser, Connection, Consumer, Producer
from jms_scenarios.core.connections import test_drawn_programs as scenarios
from jmsapi.errors import (
    IllegalStateException,
    InvalidClientIDException,
    InvalidDestinationException,
    JMSException,
    JMSRuntimeException,
)
from touchstone.drawn.resources.drawing import (
    ADMINISTERED,
    CLIENTS,
    CONNECTION_CONSUMED,
    CONSUMED,
    OBJECTS,
    OTHER_DOMAIN,
    TEMPORARY,
)
from touchstone.drawn.resources.program import Step

pytestmark = pytest.mark.thorough

SCENARIOS = {
    OBJECTS: scenarios.test_drawn_programs_on_connections_and_sessions,
    CONSUMED: scenarios.test_drawn_programs_on_consumers_and_browsers,
    OTHER_DOMAIN: scenarios.test_drawn_programs_on_calls_of_the_other_domain,
    CONNECTION_CONSUMED: scenarios.test_drawn_programs_on_connection_consumers,
    TEMPORARY: scenarios.test_drawn_programs_on_temporary_destinations,
    CLIENTS: scenarios.test_drawn_programs_on_client_ids,
    ADMINISTERED: scenarios.test_drawn_programs_on_administered_client_ids,
}
When = Callable[[Any, Step], bool]
"""Whether the client is wrong in a call: of its target, and of the step."""


@dataclass(frozen=True)
class Wrong:
    """A client that is wrong in one thing."""

    subject: str
    id_: str
    words: str
    method: str | tuple[str, ...]
    when: When = lambda target, step: True
    gives: object = None
    raises: Exception | None = None

    def __call__(self, app: InMemory, step: Step, call: Call) -> object:
        """Give or raise what is wrong, once the right client has answered."""
        methods = (self.method,) if isinstance(self.method, str) else self.method
        is_wrong = step.method in methods and self.when(app.objects.get(step.on), step)
        if is_wrong and self.raises is not None:
            raise self.raises
        try:
            answer = call()
        except Exception:
            if is_wrong:
                return self.gives
            raise
        return self.gives if is_wrong else answer


def malformed(id_: str, holds: Callable[[str], bool]) -> When:
    """A text that is none by a statement."""

    def when(_: Any, step: Step) -> bool:
        selector = selector_of(step)
        others = step.args and step.args[0] in (None, FOREIGN)
        return selector.refused_by == id_ and holds(str(selector.text)) and not others

    return when


def destination_of(app: InMemory, step: Step) -> Any:
    """The destination that a call is given."""
    names = [each.name for each in step.args if isinstance(each, Of)]
    return app.objects.get(names[0]) if names else None


def of_null(*, selected: bool = False) -> When:
    """A call with null as the destination; `selected`: and with a selector."""

    def when(_: Any, step: Step) -> bool:
        is_alone = not selector_of(step).refused_by
        return is_alone and step.args[0] is None and (not selected or len(step.args) > 1)

    return when


def named(holds: Callable[[Unique], bool]) -> When:
    """A call with such a name of a subscription."""
    return lambda _, step: any(isinstance(each, Unique) and holds(each) for each in step.args)


def is_over(producer: Producer) -> bool:
    """Whether a producer is closed, by itself or with its session."""
    return producer.closed or bool(producer.session.closed_by)


def forms(*counts: int) -> When:
    """A call with so many arguments."""
    return lambda _, step: len(step.args) in counts


def is_deleting_while_consumed(app: InMemory, step: Step, call: Call) -> object:
    """delete() goes through although there is a consumer."""
    try:
        return call()
    except JMSException:
        if step.method == "delete":
            return None
        raise


def second_name_is_the_first(app: InMemory, step: Step, call: Call) -> object:
    """All temporary topics have one name."""
    target: Any = app.objects.get(step.on)
    answer = call()
    is_topic = step.method == "get_name" and target.temporary and not target.is_queue
    return "temporary" if is_topic else answer


def goes_with_its_session(app: InMemory, step: Step, call: Call) -> object:
    """A temporary queue cannot be used when its session is closed."""
    target = destination_of(app, step)
    if step.method == "create_consumer" and getattr(target, "temporary", False):
        maker = target.maker
        if target.is_queue and maker.closed_by and not target.gone:
            raise InvalidDestinationException("gone")
    return call()


def anybody_consumes(app: InMemory, step: Step, call: Call) -> object:
    """Another connection gets consumers of temporary topics."""
    target = destination_of(app, step)
    try:
        return call()
    except Exception:
        session: Any = app.objects.get(step.on)
        is_topic = getattr(target, "temporary", False) and not target.is_queue
        if is_topic and step.method in CONSUMERS and target.owner is not session.connection:
            return None
        raise


def session_ends_with_a_refusal(app: InMemory, step: Step, call: Call) -> object:
    """Nothing is made behind a call of the other domain."""
    session: Any = app.objects.get(step.on)
    if step.method in ("create_receiver", "create_subscriber") and session.was_refused:
        raise IllegalStateException("refused")
    return call()


def child_goes_with_its_parent(app: InMemory, step: Step, call: Call) -> object:
    """A context cannot make queues when another of its connection was closed."""
    context: Any = app.objects.get(step.on)
    if step.method == "create_queue" and is_context(context, step):
        connection = context.connection
        if connection.has_lost_contexts and not context.closed_by:
            raise IllegalStateException("closed")
    return call()


def second_close_ends_the_others(app: InMemory, step: Step, call: Call) -> object:
    """A context that is closed twice takes the connection of the others with it."""
    context: Any = app.objects.get(step.on)
    if step.method == "get_transacted" and is_context(context, step):
        is_wrong = context.connection.closed_twice and not context.closed_by
        if is_wrong:
            raise IllegalStateException("closed")
    return call()


def taken_id_is_given(app: InMemory, step: Step, call: Call) -> object:
    """Two connections get one client id."""
    try:
        return call()
    except InvalidClientIDException:
        if step.method == "set_client_id":
            return None
        raise


def others_name_is_ended(app: InMemory, step: Step, call: Call) -> object:
    """unsubscribe ends a subscription of whatever client."""
    try:
        return call()
    except Exception:
        known = {name for _, name, durable in app.world.subscriptions if durable}
        if step.method == "unsubscribe" and step.args[0] in known:
            return None
        raise


def names_are_for_all(app: InMemory, step: Step, call: Call) -> object:
    """A shared subscription of another client is in the way."""
    if step.method == "create_shared_consumer" and is_open(app, step):
        session: Any = app.objects[step.on]
        for client_id, name, durable in app.world.subscriptions:
            if name == step.args[1] and not durable and client_id != session.connection.client_id:
                raise JMSException("in use")
    return call()


def closed_twice_is_refused_otherwise(app: InMemory, step: Step, call: Call) -> object:
    """A context that was closed twice refuses commit() by another exception."""
    context: Any = app.objects.get(step.on)
    if step.method == "commit" and is_context(context, step) and context.connection.closed_twice:
        raise JMSRuntimeException("closed")
    return call()


REFUSED = JMSException("refused")
NULL = TypeError("null")
TABLE = [
    Wrong(OBJECTS, "API-PROD-013", "a producer for none has one", "get_destination",
          lambda producer, _: producer.destination is None and not is_over(producer), gives=""),
    Wrong(OBJECTS, "API-PROD-014", "a closed producer tells", PRODUCER_SETTINGS,
          lambda producer, _: producer.closed and not producer.session.closed_by, gives=4),
    Wrong(OBJECTS, "API-PROD-015", "a producer is not closed again", "close",
          lambda target, _: isinstance(target, Producer) and target.closed,
          raises=IllegalStateException("closed")),
    Wrong(OBJECTS, "API-PROD-015", "nor behind its session", "close",
          lambda target, _: isinstance(target, Producer) and bool(target.session.closed_by),
          raises=IllegalStateException("closed")),
    Wrong(OBJECTS, "API-SESS-001", "transacted of a mode", "get_transacted",
          lambda session, _: session.mode == 0 and not session.simplified, gives=False),
    Wrong(OBJECTS, "API-SESS-002", "lazy is automatic", "get_acknowledge_mode",
          lambda session, _: session.mode == 3, gives=1),
    Wrong(OBJECTS, "API-CTX-001", "lazy context", "get_session_mode",
          lambda session, _: session.mode == 3, gives=1),
    Wrong(OBJECTS, "API-CTX-002", "transacted context", "get_transacted",
          lambda session, _: session.mode == 0 and session.simplified, gives=False),
    Wrong(OBJECTS, "API-CTX-003", "auto start stays", "get_auto_start", gives=True),
    Wrong(OBJECTS, "API-CTX-005", "child of the least mode", "create_context",
          lambda _, step: step.on != FACTORY and step.args == (-(2**31),)),
    Wrong(OBJECTS, "API-CF-001", "the greatest mode", "create_context",
          lambda _, step: step.on == FACTORY and step.args == (2**31 - 1,)),
    Wrong(OBJECTS, "API-CTX-012", "closed context tells its id", "get_client_id",
          lambda *of: is_context(*of) and is_closed(*of), gives="id"),
    Wrong(OBJECTS, "API-CTX-013", "closed twice", "close",
          lambda *of: is_context(*of) and is_closed(*of), raises=REFUSED),
    Wrong(OBJECTS, "JMS-CTX-015", "checked", "create_context",
          lambda _, step: step.on != FACTORY and step.args == (4711,), raises=REFUSED),
    Wrong(OBJECTS, "JMS-CONN-016", "closed and stopped", "stop",
          lambda *of: isinstance(of[0], Connection) and is_closed(*of)),
    Wrong(OBJECTS, "JMS-CONN-019", "closed connection", "close",
          lambda *of: isinstance(of[0], Connection) and is_closed(*of), raises=REFUSED),
    Wrong(OBJECTS, "JMS-SESS-004", "closed session recovers", "recover",
          lambda target, _: target.closed_by == "session" and not target.simplified),
    Wrong(OBJECTS, "JMS-CONN-017", "session of a closed connection", "close",
          lambda target, _: getattr(target, "closed_by", "") == "connection", raises=REFUSED),
    Wrong(OBJECTS, "JMS-CONN-023", "a listener of its own", "get_exception_listener",
          lambda *of: not is_closed(*of), gives=print),
    Wrong(OBJECTS, "JMS-DEST-006", "names in capitals", "get_name", gives="QUEUE"),
    Wrong(OBJECTS, "JMS-DEST-006", "as if capitals were none", "get_name",
          lambda target, _: target.name == Unique("queue0", "a"), gives=Unique("queue0", "A")),
    Wrong(OBJECTS, "JMS-META-001", "one name is missing", "get_jmsx_property_names",
          gives=["JMSXGroupID", "JMSXDeliveryCount"]),
    Wrong(OBJECTS, "JMS-META-002", "one digit", "get_provider_minor_version", gives=1),
    Wrong(CONSUMED, "API-SESS-004", "browser of null", "create_browser", of_null(selected=True)),
    Wrong(CONSUMED, "API-SESS-005", "pointer to null", "create_durable_consumer", of_null(),
          raises=NULL),
    Wrong(CONSUMED, "API-SESS-007", "both of null", "create_shared_durable_consumer", of_null()),
    Wrong(CONSUMED, "API-SESS-008", "the old call", "create_durable_subscriber", of_null(),
          raises=IllegalStateException("null")),
    Wrong(CONSUMED, "API-CTX-008", "context's consumer of null", "create_consumer",
          lambda *of: is_context(*of) and of_null()(*of)),
    Wrong(CONSUMED, "API-CTX-011", "context's of null", "create_shared_durable_consumer",
          lambda *of: is_context(*of) and of_null(selected=True)(*of)),
    Wrong(CONSUMED, "API-CONS-001", "trimmed", "get_message_selector",
          lambda target, _: str(target.selector.text).startswith(" ")
          and isinstance(target, Consumer) and not is_closed(target.session, _)
          and not target.closed, gives="n = 1"),
    Wrong(CONSUMED, "API-JCONS-001", "empty", "get_message_selector",
          lambda target, _: target.selector.text == "" and target.session.simplified, gives=""),
    Wrong(CONSUMED, "API-BRW-001", "another queue", "get_queue", gives="queue"),
    Wrong(CONSUMED, "API-BRW-002", "no selector", "get_message_selector",
          lambda target, _: isinstance(target, Browser)),
    Wrong(CONSUMED, "API-BRW-003", "null behind the end", "next_element"),
    Wrong(CONSUMED, "API-BRW-006", "closed browser", "get_message_selector",
          lambda *of: isinstance(of[0], Browser) and is_closed(*of)),
    Wrong(CONSUMED, "API-BRW-007", "closed twice", "close",
          lambda *of: isinstance(of[0], Browser) and is_closed(*of), raises=REFUSED),
    Wrong(CONSUMED, "API-CONS-003", "consumer closed twice", "close",
          lambda *of: isinstance(of[0], Consumer) and is_closed(*of), raises=REFUSED),
    Wrong(CONSUMED, "JMS-ERR-002", "nobody's destination", "create_producer",
          lambda _, step: step.args == (FOREIGN,)),
    Wrong(CONSUMED, "JMS-SEL-009", "small constants", CONSUMERS,
          malformed("JMS-SEL-009", lambda text: text.startswith("null"))),
    Wrong(CONSUMED, "JMS-SEL-010", "a word by halves", CONSUMERS,
          malformed("JMS-SEL-010", lambda text: "Escape" in text)),
    Wrong(CONSUMED, "JMS-SEL-039", "a comma too many", CONSUMERS,
          malformed("JMS-SEL-039", lambda text: text.endswith(",)"))),
    Wrong(CONSUMED, "JMS-SEL-066", "a comment is left out", CONSUMERS,
          malformed("JMS-SEL-066", lambda text: text.endswith("*/"))),
    Wrong(CONSUMED, "JMS-SUB-029", "letters of ASCII", CONSUMERS,
          named(lambda name: "é" in name.ending), raises=REFUSED),
    Wrong(CONSUMED, "JMS-SUB-030", "127 letters", CONSUMERS,
          named(lambda name: name.length == 128), raises=REFUSED),
    Wrong(CONSUMED, "JMS-IDN-005", "durable context without an id", "create_durable_consumer",
          lambda target, step: target.simplified and target.connection.identity != "set"
          and not selector_of(step).refused_by and step.args[0] is not None),
    Wrong(OTHER_DOMAIN, "JMS-ERR-016", "the old call", "create_durable_subscriber", forms(4)),
    Wrong(OTHER_DOMAIN, "JMS-ERR-018", "with a selector", "create_shared_consumer", forms(3)),
    Wrong(OTHER_DOMAIN, "JMS-ERR-020", "a temporary topic", "create_temporary_topic",
          lambda target, _: target.domain == "queues"),
    Wrong(OTHER_DOMAIN, "JMS-ERR-021", "another refusal", "create_topic",
          lambda target, _: target.domain == "queues", raises=InvalidDestinationException("no")),
    Wrong(OTHER_DOMAIN, "JMS-ERR-021", "by its full name", "create_topic",
          lambda target, step: target.domain == "queues" and "://" in str(step.args[0])),
    Wrong(OTHER_DOMAIN, "JMS-ERR-023", "browsed", "create_browser",
          lambda target, _: target.domain == "topics"),
    Wrong(OTHER_DOMAIN, "JMS-ERR-025", "a temporary queue", "create_temporary_queue",
          lambda target, _: target.domain == "topics"),
    Wrong(CONNECTION_CONSUMED, "JMS-ERR-014", "shared", "create_shared_connection_consumer"),
    Wrong(TEMPORARY, "JMS-TEMP-005", "stays at the broker", "is_gone",
          lambda target, _: not target.is_queue and not target.deleted, gives=False),
    Wrong(TEMPORARY, "JMS-TEMP-007", "pointer to null", "create_durable_consumer", raises=NULL),
    Wrong(CLIENTS, "JMS-IDN-002", "late behind start", "set_client_id",
          lambda target, _: getattr(target, "used_by", "") == "start"),
    Wrong(CLIENTS, "API-SESS-003", "no such name", "unsubscribe",
          lambda target, _: not target.simplified and not target.closed_by),
    Wrong(ADMINISTERED, "JMS-IDN-001", "another id", "set_client_id"),
]  # fmt: skip
"""Clients that answer otherwise in one kind of call."""
FUNCTIONS: dict[Callable[[InMemory, Step, Call], object], tuple[str, str]] = {
    is_deleting_while_consumed: (TEMPORARY, "JMS-TEMP-008"),
    second_name_is_the_first: (TEMPORARY, "JMS-TEMP-002"),
    goes_with_its_session: (TEMPORARY, "JMS-TEMP-003"),
    anybody_consumes: (TEMPORARY, "JMS-TEMP-006"),
    session_ends_with_a_refusal: (OTHER_DOMAIN, "JMS-ERR-012"),
    child_goes_with_its_parent: (OBJECTS, "JMS-CTX-003"),
    second_close_ends_the_others: (OBJECTS, "API-CTX-013"),
    closed_twice_is_refused_otherwise: (OBJECTS, "API-CTX-012"),
    taken_id_is_given: (CLIENTS, "JMS-IDN-006"),
    others_name_is_ended: (CLIENTS, "JMS-SUB-009"),
    names_are_for_all: (CLIENTS, "JMS-SUB-031"),
}
"""Clients that are wrong by what was before, with the subject and the statement."""


@pytest.mark.parametrize("wrong", TABLE, ids=lambda wrong: f"{wrong.id_} {wrong.words}")
def test_it_is_noticed(wrong: Wrong) -> None:
    hunt = hunted(wrong, wrong.subject, frozenset([wrong.id_]))
    disagreements = hunt.against(wrong.id_)
    assert [len(each.program.steps) <= 8 for each in disagreements[:1]] == [True]


@pytest.mark.parametrize("wrong", FUNCTIONS, ids=lambda wrong: wrong.__name__)
def test_what_depends_on_the_past_is_noticed(
    wrong: Callable[[InMemory, Step, Call], object],
) -> None:
    subject, id_ = FUNCTIONS[wrong]
    disagreements = hunted(wrong, subject, frozenset([id_])).against(id_)
    assert [len(each.program.steps) <= 12 for each in disagreements[:1]] == [True]


def test_what_is_wrong_alike_in_both_apis_is_noticed_of_each() -> None:
    ids = frozenset({"API-CONS-001", "API-JCONS-001", "API-BRW-002"})
    wrong = Wrong(
        CONSUMED, "", "in capitals", "get_message_selector",
        lambda *of: not is_closed(of[0].session, of[1]) and not of[0].closed, gives="CAPITALS",
    )  # fmt: skip
    assert hunted(wrong, CONSUMED, ids).broken >= ids


@pytest.mark.parametrize("subject", SCENARIOS)
def test_a_right_client_is_accused_of_nothing_and_all_is_decided(subject: str) -> None:
    declared = declared_by(SCENARIOS[subject])
    hunt = hunted(right, subject, declared)
    assert [str(each) for each in hunt.found.values()] == []
    assert sorted(id_ for id_ in declared if not hunt.driver.decided[id_]) == []
