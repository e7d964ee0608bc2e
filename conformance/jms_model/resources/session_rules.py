"""Sessions and contexts: what they are, what they make, and their end (JMS 2.0, 6.2 and 6.3)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from jms_model.answers import Expectation, Permitted, gives, raises, succeeds
from jms_model.resources import connection_rules, identity_rules
from jms_model.resources.arguments import FOREIGN, Of, Unique
from jms_model.resources.refusals import RefusalReason, of_a_closed, refuse
from jms_model.resources.things import (
    MODES,
    QUEUES,
    TOPICS,
    TRANSACTED,
    Connection,
    Destination,
    Producer,
    Session,
    World,
)
from jmsapi.errors import (
    IllegalStateException,
    InvalidDestinationException,
    JMSException,
)

REFUSED_OF_QUEUES: Final = {
    "create_durable_subscriber": "JMS-ERR-016",
    "create_durable_consumer": "JMS-ERR-017",
    "create_shared_consumer": "JMS-ERR-018",
    "create_shared_durable_consumer": "JMS-ERR-019",
    "create_temporary_topic": "JMS-ERR-020",
    "create_topic": "JMS-ERR-021",
    "unsubscribe": "JMS-ERR-022",
}
REFUSED_OF_TOPICS: Final = {
    "create_browser": "JMS-ERR-023",
    "create_queue": "JMS-ERR-024",
    "create_temporary_queue": "JMS-ERR-025",
}
"""The calls that sessions of one domain refuse, and the statement on each."""
_REFUSED: Final = {QUEUES: REFUSED_OF_QUEUES, TOPICS: REFUSED_OF_TOPICS}
GOES_ON: Final = "JMS-ERR-012"
"""The statement that a refused call of the other domain leaves its object usable."""


def of_the_other_domain(session: Session, method: str) -> RefusalReason | None:
    """Why a session of one domain refuses a call."""
    id_ = _REFUSED.get(session.domain, {}).get(method)
    if id_ is None:
        return None
    return RefusalReason(IllegalStateException, [id_], f"of a session for {session.domain} alone")


def refuses_domain(session: Session, fault: RefusalReason) -> Expectation:
    """A call of the other domain is refused, and the session goes on."""
    expectation = refuse(fault, simplified=False)
    expectation.permitted = [
        raises(IllegalStateException, effect=partial(setattr, session, "was_refused", True))
    ]
    return expectation


def what_else_is_judged(session: Session) -> tuple[list[str], str]:
    """What else is judged by a call that has to succeed: the statements, and what was before."""
    if session.was_refused:
        return [GOES_ON], "behind a call of the other domain"
    if session.connection.has_lost_contexts:
        return ["JMS-CTX-003"], "behind close of another context"
    return [], ""


def succeed_in_making(session: Session, permitted: Permitted) -> Expectation:
    """A call that makes something has to succeed."""
    ids, situation = what_else_is_judged(session)
    return Expectation([permitted], ids, situation)


def is_transacted(world: World, session: Session) -> Expectation | None:
    """Whether the mode is that of transactions."""
    if session.closed_by:
        return None if session.simplified else _refuse_closed(session)
    id_ = "API-CTX-002" if session.simplified else "API-SESS-001"
    return Expectation([gives(session.mode == TRANSACTED)], [id_])


def acknowledge_mode(world: World, session: Session) -> Expectation | None:
    """The mode of a session."""
    if session.simplified:
        return None
    if session.closed_by:
        return _refuse_closed(session)
    return Expectation([gives(session.mode)], ["API-SESS-002"])


def session_mode(world: World, session: Session) -> Expectation | None:
    """The mode of a context."""
    if not session.simplified or session.closed_by:
        return None
    return Expectation([gives(session.mode)], ["API-CTX-001"])


def get_auto_start(world: World, session: Session) -> Expectation | None:
    """Whether a context starts by itself."""
    if not session.simplified or session.closed_by:
        return None
    return Expectation([gives(session.auto_start)], ["API-CTX-003"])


def set_auto_start(world: World, session: Session, value: bool) -> Expectation | None:
    """Each context has its own."""
    if not session.simplified or session.closed_by:
        return None

    def done() -> None:
        session.auto_start = value
        session.connection.touched()

    return Expectation([succeeds(done)], ["API-CTX-003"])


def create_context(world: World, session: Session, makes: str, mode: int) -> Expectation | None:
    """Another context of the same connection."""
    if not session.simplified:
        return None
    if session.closed_by:
        return _refuse_closed(session) if mode in MODES else None
    if mode not in MODES:
        fault = RefusalReason(JMSException, ["API-CTX-005"], "of a mode that there is not")
        return refuse(fault, simplified=True)

    def done() -> None:
        session.connection.touched()
        world.objects[makes] = Session(session.connection, mode)

    expectation = succeed_in_making(session, succeeds(done))
    expectation.ids = ["API-CTX-004", *expectation.ids]
    return _when_used(session, expectation)


def of_connection(
    rule: Callable[..., Expectation | None],
    world: World,
    session: Session,
    *args: object,
    **named: object,
) -> Expectation | None:
    """What a context has of its connection."""
    if not session.simplified:
        return None
    if session.closed_by:
        return _refuse_closed(session)
    return rule(world, session.connection, *args, **named)


def get_client_id(world: World, session: Session) -> Expectation | None:
    """That of its connection."""
    return of_connection(identity_rules.get, world, session)


def settles(world: World, session: Session) -> Expectation | None:
    """commit(), rollback() and recover() behind close."""
    return _refuse_closed(session) if session.closed_by else None


def create_destination(
    world: World, session: Session, makes: str, name: Unique, *, is_queue: bool
) -> Expectation | None:
    """A queue or topic of a name of the provider's."""
    if session.closed_by:
        return _refuse_closed(session) if session.simplified else None
    method = "create_queue" if is_queue else "create_topic"
    if fault := of_the_other_domain(session, method):
        return refuses_domain(session, fault)

    def done() -> None:
        session.connection.touched()
        world.objects[makes] = Destination(is_queue, name)

    if name.is_plain:
        expectation = succeed_in_making(session, succeeds(done))
        expectation.ids = ["JMS-DEST-006", *expectation.ids]
        return _when_used(session, expectation)
    ends: list[Permitted] = [succeeds(done), raises(JMSException)]
    return None if session.simplified else Expectation(ends, [])


def create_producer(
    world: World, session: Session, makes: str, destination: Of | None = None
) -> Expectation | None:
    """For a destination, or for none."""
    if session.closed_by:
        return _refuse_closed(session) if destination is None else None
    if session.simplified:
        return None
    if destination == FOREIGN:
        fault = RefusalReason(
            InvalidDestinationException, ["JMS-ERR-002"], "of a destination of nobody"
        )
        return refuse(fault, simplified=False)
    target: Destination | None = None
    if destination is not None:
        known = world.objects.get(destination.name)
        if not isinstance(known, Destination) or known.gone:
            return None
        target = known
        if session.domain and target.is_queue != (session.domain == QUEUES):
            return None
    makes_it = partial(world.objects.__setitem__, makes, Producer(session, target))
    return succeed_in_making(session, succeeds(makes_it))


def unsubscribe(world: World, session: Session, name: Unique) -> Expectation | None:
    """End a durable subscription that nobody uses; of others' names there is none."""
    if session.closed_by:
        return _refuse_closed(session)
    if fault := of_the_other_domain(session, "unsubscribe"):
        return refuses_domain(session, fault)
    connection = session.connection
    if connection.is_vague or (connection.identity != "set" and world.administered):
        return None
    key = (connection.client_id, name, True)
    subscription = world.subscriptions.get(key)
    if subscription is None:
        id_ = "API-CTX-006" if session.simplified else "API-SESS-003"
        fault = RefusalReason(InvalidDestinationException, [id_], "of no subscription's name")
        expectation = refuse(fault, simplified=session.simplified)
        if _is_anothers(world, connection, name):
            expectation.situation = "of another client's name"
            expectation.besides = [*expectation.besides, "JMS-SUB-009"]
            expectation.accuse = lambda _: [id_, "JMS-SUB-009"]
        return expectation
    if any(each.subscription is subscription for each in world.consumers()):
        return None

    def done() -> None:
        del world.subscriptions[key]
        world.unsubscribes |= name.is_plain

    is_usual = connection.client_id is None or connection.client_id.is_plain
    ids = names_of(name) if world.unsubscribes and is_usual else []
    return Expectation([succeeds(done)], ids, "of a subscription")


def _is_anothers(world: World, connection: Connection, name: Unique) -> bool:
    """Whether a client with another id has a durable subscription of a name."""
    return any(
        each == name and durable and owner != connection.client_id
        for owner, each, durable in world.subscriptions
    )


def names_of(name: Unique) -> list[str]:
    """The statements that a subscription may have such a name."""
    if name.length:
        return ["JMS-SUB-030"]
    return [] if name.is_plain else ["JMS-SUB-029"]


def close(world: World, session: Session) -> Expectation:
    """With what it has made; the last context ends the connection."""
    if session.closed_by:
        if session.simplified:
            id_ = "API-CTX-013"
        else:
            id_ = "JMS-SESS-006" if session.closed_by == "session" else "JMS-CONN-017"
        again = partial(setattr, session.connection, "closed_twice", True)
        return Expectation([succeeds(again)], [id_], f"behind close of the {session.closed_by}")

    def done() -> None:
        session.closed_by = "session"
        connection = session.connection
        world.release()
        if not session.simplified:
            return
        if world.sessions_of(connection):
            connection.has_lost_contexts = True
        else:
            connection_rules.ends(world, connection)

    return Expectation([succeeds(done)], [])


def _when_used(session: Session, expectation: Expectation) -> Expectation | None:
    return None if session.connection.is_doubtful else expectation


def _refuse_closed(session: Session) -> Expectation:
    return refuse(of_a_closed(session), simplified=session.simplified)
