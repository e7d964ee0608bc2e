"""Client identifiers: when one may be set, and which (JMS 2.0, section 6.1.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from jms_model.answers import Expectation, Permitted, anything, gives, gives_what, raises, succeeds
from jms_model.resources.arguments import Unique
from jms_model.resources.refusals import UNCHECKED, RefusalReason, refuse, refuse_for_any, twin
from jms_model.resources.things import FRESH, SET, TOUCHED, Connection, World
from jmsapi.errors import IllegalStateException, InvalidClientIDException, JMSRuntimeException

_FIRST: Final = "JMS-IDN-002"
_REJECTED: Final = "JMS-IDN-006"
_SHARED: Final = "JMS-CTX-003"
Wanted = Unique | str | None
"""A client id; a plain text is the empty one."""


def get(world: World, connection: Connection) -> Expectation:
    """What was set; nothing is known of an id that was not."""
    if world.administered:
        return Expectation([_as_before(world)], ["JMS-IDN-001"], "that is administered")
    if connection.identity == SET and not connection.is_doubtful:
        shared = [_SHARED] if connection.has_lost_contexts else []
        return Expectation([gives(connection.client_id)], [_FIRST, *shared], "that was set")
    return Expectation([anything(connection.touched)], [])


def _as_before(world: World) -> Permitted:
    key = "client id"

    def holds(value: object) -> bool:
        return isinstance(value, str) and bool(value) and world.told.setdefault(key, value) == value

    return gives_what("the administered client id", holds)


def set_(world: World, connection: Connection, wanted: Wanted) -> Expectation | None:
    """As the first action, and only then."""
    if connection.is_doubtful:
        return None
    is_taken = isinstance(wanted, Unique) and world.others_id(connection, wanted)
    if world.administered:
        return _too_late(
            connection, RefusalReason(IllegalStateException, ["JMS-IDN-001"], "administered")
        )
    if connection.identity not in (FRESH, TOUCHED):
        fault = RefusalReason(IllegalStateException, [_FIRST], f"behind {connection.used_by}")
        return _too_late(connection, fault, is_odd=is_taken or not isinstance(wanted, Unique))
    if is_taken:
        expectation = _refuse_taken(connection)
    elif isinstance(wanted, Unique):
        expectation = _first(connection, wanted)
    else:
        words = "null" if wanted is None else "an empty client id"
        taken = succeeds(partial(_may_have_one, connection))
        expectation = _or_rejected(connection, taken, f"of {words}")
    return _if_first(connection, expectation) if connection.identity == TOUCHED else expectation


def _if_first(connection: Connection, expectation: Expectation) -> Expectation:
    """What was done before may count as an action: then it is too late."""
    kinds = (IllegalStateException, InvalidClientIDException)
    refusal = raises(*(twin(kind, simplified=connection.simplified) for kind in kinds))
    return Expectation([*expectation.permitted, refusal], [])


def _too_late(connection: Connection, fault: RefusalReason, *, is_odd: bool = False) -> Expectation:
    simplified = connection.simplified
    if not is_odd:
        return refuse(fault, simplified=simplified)
    rejected = RefusalReason(InvalidClientIDException, [], "of one that may be rejected")
    return refuse_for_any([fault, rejected], simplified=simplified)


def _refuse_taken(connection: Connection) -> Expectation:
    """It is refused, at the latest when the connection is used."""

    def doubts() -> None:
        connection.identity, connection.used_by = SET, "set_client_id"
        connection.is_doubtful = True

    rejected = twin(InvalidClientIDException, simplified=connection.simplified)
    permitted = [raises(rejected, effect=partial(_leave_open, connection)), succeeds(doubts)]
    return _of_an_api(connection, permitted, [_REJECTED], "of one that another has")


def _first(connection: Connection, wanted: Unique) -> Expectation:
    def done() -> None:
        connection.identity, connection.used_by = SET, "set_client_id"
        connection.client_id = wanted
        connection.is_vague = False

    if wanted.is_plain:
        return _of_an_api(connection, [succeeds(done)], [_FIRST], "of one that nobody has")
    return _or_rejected(connection, succeeds(done), "of unusual letters")


def _or_rejected(connection: Connection, taken: Permitted, situation: str) -> Expectation:
    rejected = twin(InvalidClientIDException, simplified=connection.simplified)
    permitted = [taken, raises(rejected, effect=partial(_leave_open, connection))]
    return _of_an_api(connection, permitted, [_REJECTED], situation)


def _of_an_api(
    connection: Connection, permitted: Sequence[Permitted], ids: Sequence[str], situation: str
) -> Expectation:
    if not connection.simplified:
        return Expectation(permitted, ids, situation)
    return Expectation(
        permitted,
        ids,
        situation,
        betrays=(JMSRuntimeException,),
        instead=[*ids, UNCHECKED],
    )


def _may_have_one(connection: Connection) -> None:
    connection.is_vague = True
    connection.touched()


def _leave_open(connection: Connection) -> None:
    """Whether the connection may be given another, or used at all, is left open."""
    connection.was_rejected = True
    connection.touched()
