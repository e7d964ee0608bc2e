"""The client identifiers in use in this process, over all factories (SLJ-IDN-005 to 008)."""

from __future__ import annotations

import threading

from jmsapi import InvalidClientIDException
from pulsar_jms.implements import implements

_lock = threading.Lock()
_in_use: set[str] = set()


@implements("JMS-IDN-003", "SLJ-IDN-006..007")
def claim(client_id: str) -> str:
    """Take `client_id` for one connection; `InvalidClientIDException` when it is taken or empty."""
    if not isinstance(client_id, str) or not client_id:
        raise InvalidClientIDException(
            f"{client_id!r} is no client id: a text of 1 or more letters is"
        )
    with _lock:
        if client_id in _in_use:
            raise InvalidClientIDException(
                f"The client id {client_id!r} is in use by another connection of this process; "
                "close that connection or choose another id"
            )
        _in_use.add(client_id)
    return client_id


@implements("SLJ-IDN-008")
def release(client_id: str) -> None:
    """Give `client_id` back for the next connection."""
    with _lock:
        _in_use.discard(client_id)
