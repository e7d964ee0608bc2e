"""Clients that are wrong about client identifiers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from jms_clients.mutants.wrong import wrong
from jmsapi import InvalidClientIDException
from pulsar_jms.configuration import Settings
from pulsar_jms.connections import client_ids
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.mapping import subscriptions
from pulsar_jms.mapping.subscriptions import ConsumerKind, NameOf
from wrong_clients.helpers.subscription_rows import row_changed

_client_id: property = vars(PulsarConnection)["client_id"]
_taken_in: WeakKeyDictionary[object, set[str]] = WeakKeyDictionary()
_close = PulsarConnection.close
_refused: WeakKeyDictionary[PulsarConnection, list[str]] = WeakKeyDictionary()


@wrong("JMS-IDN-002", patches=(PulsarConnection, "note_used"))
def client_id_at_any_time(connection: Any) -> None:
    """A client id may be set after the connection was used."""


@wrong("JMS-IDN-005")
def durable_without_a_client_id() -> AbstractContextManager[object]:
    """An unshared durable subscription is made without a client id, too."""
    return row_changed(ConsumerKind.DURABLE, name=NameOf.GIVEN)


@wrong("SLJ-IDN-003", patches=(subscriptions, "broker_name"))
def name_before_client_id(client_id: Any, name: Any) -> Any:
    """The broker's subscription name is the given name, an underscore and the client id."""
    return f"{name}_{client_id}" if client_id else name


@wrong("SLJ-IDN-004", patches=(subscriptions, "broker_name"))
def underscore_without_client_id(client_id: Any, name: Any) -> Any:
    """Without a client id the subscription name begins with an underscore."""
    return f"{client_id or ''}_{name}"


@wrong("SLJ-IDN-002")
def configured_client_id_ignored() -> AbstractContextManager[object]:
    """jms.clientId has no effect."""
    return patch.object(Settings, "client_id", None)


@wrong("SLJ-IDN-006", "SLJ-IDN-007", "JMS-IDN-006", patches=(client_ids, "claim"))
def client_id_taken_twice(client_id: Any) -> Any:
    """A client id in use is given to another connection of the process."""
    return client_id


def _claimed_in_the_factory(connection: PulsarConnection, client_id: str | None) -> None:
    with patch.object(client_ids, "_in_use", _taken_in.setdefault(connection.factory, set())):
        _client_id.__set__(connection, client_id)


@wrong("SLJ-IDN-007")
def client_id_registry_of_a_factory() -> AbstractContextManager[object]:
    """A client id in use is refused by its own factory only."""
    return patch.object(PulsarConnection, "client_id", _client_id.setter(_claimed_in_the_factory))


@wrong("SLJ-IDN-008", patches=(client_ids, "release"))
def client_id_never_freed(client_id: Any) -> None:
    """The client id of a closed connection stays taken."""


@wrong(
    "SLJ-SUB-006",
    "SLJ-SUB-009",
    "SLJ-SUB-012",
    "SLJ-SUB-015",
    patches=(subscriptions, "broker_name"),
)
def name_that_looks_mapped(client_id: Any, name: Any) -> Any:
    """A subscription name that begins with the client id is taken for one already mapped."""
    return f"{client_id}_{name}" if client_id and (not name.startswith(client_id)) else name


def _close_and_forget(connection: PulsarConnection) -> None:
    for refused in _refused.pop(connection, ()):
        client_ids.release(refused)
    _close(connection)


def _note_client_id(connection: PulsarConnection, client_id: str | None) -> None:
    try:
        _client_id.__set__(connection, client_id)
    except InvalidClientIDException:
        _refused.setdefault(connection, []).append(str(client_id))
        raise


@wrong("SLJ-IDN-006")
@contextmanager
def refused_client_id_freed() -> Iterator[None]:
    """A connection that was refused a client id frees it when it closes, for all."""
    with (
        patch.object(PulsarConnection, "client_id", _client_id.setter(_note_client_id)),
        patch.object(PulsarConnection, "close", _close_and_forget),
    ):
        yield
