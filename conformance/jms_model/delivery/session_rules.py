"""Sessions: what is sent, settled, given back and browsed (JMS 2.0, 6.2 and 8.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from jms_model.answers import Answer, Expectation, Gave, Permitted, gives, raises, succeeds
from jms_model.delivery.backlog import Backlog, Copy, SentMessage
from jms_model.delivery.provider import QUEUE, TOPIC, ModelProvider
from jms_model.delivery.session import (
    AT_COMMIT,
    CLIENT,
    DUPS_OK,
    FLAGGED,
    ORDERED,
    Produced,
    Session,
)
from jms_model.delivery.vendors import INDIVIDUAL
from jmsapi.errors import (
    InvalidDestinationException,
    InvalidDestinationRuntimeException,
    UnsupportedOperationException,
)

ASYNC: Final = "async"
"""The form of sending by a CompletionListener, which not every client has."""

_PRODUCERS: Final = {ASYNC: "producer"}
"""The producer of a form, where it is not its own."""


def send(
    provider: ModelProvider, session: Session, destination: str, text: str, kind: int, form: str
) -> Expectation | None:
    """By a form of sending; what one producer sends keeps its order."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    backlogs = provider.backlogs(destination)
    ids, situation = ["JMS-DEST-001" if destination.startswith(QUEUE) else "JMS-DEST-003"], ""
    if session.transacted:
        situation = "in a transaction"
    elif not session.connection.started:
        ids, situation = ["JMS-CONN-003"], "on a stopped connection"

    def put() -> None:
        provider.sent += 1
        sender = f"{session.name} {_PRODUCERS.get(form, form)}"
        sent = SentMessage(provider.sent, text, kind, sender, session.connection)
        if session.transacted and not provider.emulated:
            provider.absent[sent.number] = (["JMS-TX-002"], "of an open transaction")
            session.produced.append(Produced(destination, list(backlogs), sent))
        else:
            ids, words = _arrival(destination, backlogs)
            at_once = ["SLJ-TX-010", "SLJ-TX-012"] if session.transacted else []
            of_domain = _OF_DOMAIN[provider.domain]
            provider.delivers(backlogs, sent, [*ids, *of_domain, *at_once], words)

    if form == ASYNC:
        return Expectation(
            [succeeds(put), raises(UnsupportedOperationException)], [], "asynchronously"
        )
    return Expectation([succeeds(put)], ids, situation)


_OF_DOMAIN: Final[Mapping[str, Sequence[str]]] = {
    "": (),
    QUEUE: ("JMS-DEST-002",),
    TOPIC: ("JMS-DEST-003", "JMS-PROD-006", "JMS-PROD-007"),
}
"""The statements that what is sent by the interfaces of one domain comes there as well."""


def _arrival(destination: str, backlogs: Sequence[Backlog]) -> tuple[Sequence[str], str]:
    """The statements by which what is sent comes."""
    if not destination.startswith(QUEUE):
        return ["JMS-SUB-001"], "that was published"
    if backlogs[0].is_read:
        return ["JMS-CONS-001", "JMS-CONS-002"], "that was sent"
    return ["JMS-DEST-001"], "that was sent while nobody consumed"


def commit(provider: ModelProvider, session: Session) -> Expectation | None:
    """What was received is settled, and what was sent is delivered."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    if not session.transacted:
        return provider.illegal_state(["JMS-ERR-001"], "in another mode")

    def end() -> None:
        session.settles(["JMS-TX-001", "JMS-REDL-007"], "that commit settled")
        for each in session.produced:
            provider.delivers(each.backlogs, each.sent, ["JMS-TX-001"], "that commit sent")
        session.produced = []

    return Expectation([succeeds(end)], ["JMS-TX-001", "JMS-TX-006"])


def rollback(provider: ModelProvider, session: Session) -> Expectation | None:
    """What was received comes again, and what was sent is not delivered."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    if not session.transacted:
        return None

    def end() -> None:
        provider.destroys(session, ["JMS-TX-003"], "that rollback destroyed")
        provider.counts_unseen(session)
        at_commit = [AT_COMMIT] if provider.emulated else []
        session.starts_again(["JMS-TX-004", *at_commit], "that rollback gave back")

    return Expectation([succeeds(end)], ["JMS-TX-004", "JMS-TX-006"])


def recover(provider: ModelProvider, session: Session) -> Expectation | None:
    """What was received and not settled comes again; what DUPS_OK settles when, is open."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    if session.transacted:
        return provider.illegal_state(["JMS-ACK-010"], "in another mode")
    if session.mode == DUPS_OK:
        return None

    def again() -> None:
        provider.counts_unseen(session)
        session.starts_again([FLAGGED, ORDERED], "that recover gave back")

    return Expectation([succeeds(again)], [FLAGGED])


def acknowledge(provider: ModelProvider, session: Session) -> Expectation | None:
    """JMSContext.acknowledge()."""
    if not provider.simplified:
        return None
    if session.closed_by:
        return provider.refused(session.closed_by)
    if session.mode == INDIVIDUAL or (session.mode == CLIENT and provider.vendor.settles_up_to):
        return None
    if session.mode != CLIENT:
        ids = ["API-CTX-015"]
        return Expectation([succeeds(partial(session.spares, ids))], ids, "in another mode")
    return acknowledge_all(provider, session, "API-CTX-014")


def acknowledge_all(
    provider: ModelProvider, session: Session, id_: str, by: Copy | None = None
) -> Expectation:
    """All that the session got is settled; `by`: by one message."""
    vendor, ids = provider.vendor, [id_, "JMS-REDL-007"]
    settle = partial(session.settles, ids, "that acknowledge settled", by, vendor)
    several = len({id(backlog) for backlog, _ in session.held}) > 1
    own = [*vendor.settles_earlier, *(vendor.settles_of_others if several else ())]
    return Expectation([succeeds(settle)], [id_], besides=own if by in _copies(session) else [])


def _copies(session: Session) -> list[Copy]:
    return [copy for _, copy in session.held]


def unsubscribe(provider: ModelProvider, session: Session, name: str) -> Expectation | None:
    """A durable subscription ends, unless somebody uses it."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    if provider.domain == QUEUE:
        return provider.illegal_state(["JMS-ERR-022"], "of a session for queues")
    client_id = session.connection.client_id
    if client_id is None and not provider.side_by_side:
        return None
    known = provider.durable.get((client_id, name))
    if known is None:
        kind, id_ = (
            (InvalidDestinationRuntimeException, "API-CTX-006")
            if provider.simplified
            else (InvalidDestinationException, "API-SESS-003")
        )
        return Expectation([raises(kind)], [id_], "of a name that there is not")
    if known.backlog.is_read:
        return Expectation([raises()], ["JMS-SUB-014"], "that has a consumer")
    if known.backlog.is_held:
        return Expectation([raises()], ["JMS-SUB-015"], "that is not settled")

    def remove() -> None:
        known.backlog.is_gone = True
        del provider.durable[client_id, name]

    return Expectation([succeeds(remove)], ["JMS-SUB-013"])


def browse(provider: ModelProvider, session: Session, queue: str) -> Expectation | None:
    """The numbers of all messages of a queue, which nobody takes from now."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    [backlog] = provider.backlogs(queue)
    if backlog.is_read or backlog.is_held or not session.connection.started:
        return None
    waiting = backlog.waiting()
    numbers = [copy.sent.number for copy in waiting]
    in_order = len({copy.sent.sender for copy in waiting}) < 2
    in_order = in_order and not any(copy.deliveries for copy in waiting)
    permitted = gives(numbers) if in_order else _in_any_order(numbers)
    return Expectation([permitted], ["JMS-BRW-002"])


def _in_any_order(numbers: Sequence[int]) -> Permitted:
    def holds(answer: Answer) -> bool:
        given = answer.value if isinstance(answer, Gave) else None
        return isinstance(given, list) and sorted(given) == sorted(numbers)

    return Permitted(f"{sorted(numbers)} in any order", holds)
