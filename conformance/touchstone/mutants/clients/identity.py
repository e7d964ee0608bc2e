"""Clients that are wrong about client identifiers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch
from weakref import WeakKeyDictionary

from jmsapi import InvalidClientIDException
from pulsar_jms.configuration import Settings
from pulsar_jms.connections import client_ids
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.mapping import subscriptions
from touchstone.mutants.registry import Mutant

_client_id: property = vars(PulsarConnection)["client_id"]
_close = PulsarConnection.close
_refused: WeakKeyDictionary[PulsarConnection, list[str]] = WeakKeyDictionary()
_taken_in: WeakKeyDictionary[object, set[str]] = WeakKeyDictionary()


def _claimed_in_the_factory(connection: PulsarConnection, client_id: str | None) -> None:
    with patch.object(client_ids, "_in_use", _taken_in.setdefault(connection.factory, set())):
        _client_id.__set__(connection, client_id)


def _closed(connection: PulsarConnection) -> None:
    for refused in _refused.pop(connection, ()):
        client_ids.release(refused)
    _close(connection)


def _noted(connection: PulsarConnection, client_id: str | None) -> None:
    try:
        _client_id.__set__(connection, client_id)
    except InvalidClientIDException:
        _refused.setdefault(connection, []).append(str(client_id))
        raise


@contextmanager
def _what_was_refused_is_freed() -> Iterator[None]:
    with (
        patch.object(PulsarConnection, "client_id", _client_id.setter(_noted)),
        patch.object(PulsarConnection, "close", _closed),
    ):
        yield


NAME_BEFORE_CLIENT_ID = Mutant(
    name="name-before-client-id",
    area="identity",
    violates=("SLJ-IDN-003",),
    doc="The broker's subscription name is the given name, an underscore and the client id.",
    apply=partial(
        patch.object,
        subscriptions,
        "broker_name",
        lambda client_id, name: f"{name}_{client_id}" if client_id else name,
    ),
)
UNDERSCORE_WITHOUT_CLIENT_ID = Mutant(
    name="underscore-without-client-id",
    area="identity",
    violates=("SLJ-IDN-004",),
    doc="Without a client id the subscription name begins with an underscore.",
    apply=partial(
        patch.object,
        subscriptions,
        "broker_name",
        lambda client_id, name: f"{client_id or ''}_{name}",
    ),
)
CONFIGURED_CLIENT_ID_IGNORED = Mutant(
    name="configured-client-id-ignored",
    area="identity",
    violates=("SLJ-IDN-002",),
    doc="jms.clientId has no effect.",
    apply=partial(patch.object, Settings, "client_id", None),
)
CLIENT_ID_TAKEN_TWICE = Mutant(
    name="client-id-taken-twice",
    area="identity",
    violates=("SLJ-IDN-006", "SLJ-IDN-007", "JMS-IDN-006"),
    doc="A client id in use is given to another connection of the process.",
    apply=partial(patch.object, client_ids, "claim", lambda client_id: client_id),
)
CLIENT_ID_REGISTRY_OF_A_FACTORY = Mutant(
    name="client-id-registry-of-a-factory",
    area="identity",
    violates=("SLJ-IDN-007",),
    doc="A client id in use is refused by its own factory only.",
    apply=partial(
        patch.object, PulsarConnection, "client_id", _client_id.setter(_claimed_in_the_factory)
    ),
)
CLIENT_ID_NEVER_FREED = Mutant(
    name="client-id-never-freed",
    area="identity",
    violates=("SLJ-IDN-008",),
    doc="The client id of a closed connection stays taken.",
    apply=partial(patch.object, client_ids, "release", lambda client_id: None),
)
NAME_THAT_LOOKS_MAPPED = Mutant(
    name="name-that-looks-mapped",
    area="identity",
    violates=("SLJ-SUB-006", "SLJ-SUB-009", "SLJ-SUB-012", "SLJ-SUB-015"),
    doc="A subscription name that begins with the client id is taken for one already mapped.",
    apply=partial(
        patch.object,
        subscriptions,
        "broker_name",
        lambda client_id, name: (
            f"{client_id}_{name}" if client_id and not name.startswith(client_id) else name
        ),
    ),
)
REFUSED_CLIENT_ID_FREED = Mutant(
    name="refused-client-id-freed",
    area="identity",
    violates=("SLJ-IDN-006",),
    doc="A connection that was refused a client id frees it when it closes, for all.",
    apply=_what_was_refused_is_freed,
)
