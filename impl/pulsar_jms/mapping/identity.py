"""Client identifiers: what they prefix, and which are allowed."""

from __future__ import annotations

from jmsapi.errors import InvalidClientIDException
from pulsar_jms.implements import implements


@implements("SLJ-IDN-003", "SLJ-IDN-004", "JMS-SUB-009", "JMS-SUB-029..031", "JMS-IDN-004")
def broker_name(client_id: str | None, subscription: str) -> str:
    """A subscription's name at the broker: clientId_name, the name alone without a client id."""
    return f"{client_id}_{subscription}" if client_id else subscription


@implements("SLJ-IDN-001", "SLJ-IDN-002", "JMS-IDN-006")
def check_client_id(client_id: str | None) -> str:
    """`client_id` if it can be one; `InvalidClientIDException` for null and the empty text."""
    if not client_id:
        raise InvalidClientIDException("a client id needs at least one character")
    return client_id


@implements("SLJ-PROP-025")
def connection_id(unique: str, client_id: str | None) -> str:
    """JMSConnectionID: a unique text, after the client id if the factory's settings give one."""
    return f"{client_id}_{unique}" if client_id else unique
