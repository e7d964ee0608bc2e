"""Destinations: names, and temporary ones until they are gone (JMS 2.0, sections 4.2 and 6.2.2)."""

from __future__ import annotations

from functools import partial

from jms_model.answers import Expectation, gives, gives_what, succeeds
from jms_model.resources.arguments import Of
from jms_model.resources.refusals import RefusalReason, of_a_closed, refuse
from jms_model.resources.session_rules import of_the_other_domain, refuses_domain, succeed_in_making
from jms_model.resources.things import Destination, Session, World
from jmsapi.errors import InvalidDestinationException, JMSException


def create_temporary(
    world: World, session: Session, makes: str, *, is_queue: bool
) -> Expectation | None:
    """A temporary queue or topic."""
    if session.closed_by:
        return refuse(of_a_closed(session), simplified=session.simplified)
    if session.connection.is_doubtful:
        return None
    method = "create_temporary_queue" if is_queue else "create_temporary_topic"
    if fault := of_the_other_domain(session, method):
        return refuses_domain(session, fault)

    def done() -> None:
        session.connection.used(method)
        world.objects[makes] = Destination(is_queue, None, session.connection, session)

    return succeed_in_making(session, succeeds(done))


def get_name(world: World, destination: Destination) -> Expectation:
    """The name it was made by; one of its own, if it is temporary."""
    if not destination.temporary:
        assert destination.name is not None
        ids = ["JMS-DEST-006"] if destination.name.is_plain else []
        return Expectation([gives(destination.name)], ids)

    def is_own(value: object) -> bool:
        if not isinstance(value, str) or not value:
            return False
        known = [name for name, each in world.temporary_names.items() if each is destination]
        if known:
            return known == [value]
        return world.temporary_names.setdefault(value, destination) is destination

    own = gives_what("a name that no other has", is_own)
    return Expectation([own], ["JMS-TEMP-002"], "of a temporary one")


def delete(world: World, destination: Destination) -> Expectation | None:
    """At once, unless somebody consumes from it."""
    if destination.owner is None or destination.gone or destination.owner.is_doubtful:
        return None
    if any(each.queue is destination for each in world.browsers()):
        return None
    if any(each.destination is destination for each in world.consumers()):
        fault = RefusalReason(JMSException, ["JMS-TEMP-008"], "of one that has a consumer")
        return refuse(fault, simplified=False)
    done = partial(setattr, destination, "deleted", True)
    return Expectation([succeeds(done)], ["JMS-TEMP-008"])


def is_there(world: World, destination: Destination) -> Expectation | None:
    """Whether the broker has one that lasts; not each broker can be asked."""
    if destination.owner is None or destination.gone:
        return None
    assert destination.maker is not None
    there = gives_what("true", lambda value: value is not False)
    if not destination.maker.closed_by:
        return Expectation([there], ["SLJ-TEMP-001" if destination.is_queue else "SLJ-TEMP-002"])
    return Expectation([there], [_lasting(destination)], "behind close of its session")


def is_gone(world: World, destination: Destination) -> Expectation | None:
    """Whether the broker does not have it any more."""
    if destination.deleted:
        return Expectation([gives(True)], ["JMS-TEMP-008"], "of one that was deleted")
    if not destination.gone:
        return None
    ids = [_lasting(destination), "SLJ-TEMP-003"]
    return Expectation([gives(True)], ids, "behind close of its connection")


def _lasting(destination: Destination) -> str:
    """The statement that it lasts as long as its connection."""
    return "JMS-TEMP-003" if destination.is_queue else "JMS-TEMP-005"


def send_to(world: World, session: Session, to: Of) -> Expectation | None:
    """A message to a temporary destination that was deleted."""
    target = world.objects.get(to.name)
    if not isinstance(target, Destination) or not target.deleted or session.closed_by:
        return None
    if session.connection.is_doubtful or session.connection.closed or session.domain:
        return None
    ids = ["JMS-TEMP-008", "JMS-ERR-002"]
    fault = RefusalReason(InvalidDestinationException, ids, "to one that was deleted")
    return refuse(fault, simplified=session.simplified)
