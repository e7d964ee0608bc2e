"""Clients that are wrong about sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from jms_clients.mutants.mutant import UNREADABLE
from jms_clients.mutants.wrong import wrong
from jmsapi import IllegalStateException
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.session import PulsarSession
from wrong_clients.helpers.unread_fields import forgotten_by_close
from wrong_clients.helpers.unreadable import after_unreadable, struck

_FOR_LONG = 20.0
"""Seconds: longer than a scenario waits for close()."""
_close = PulsarSession.close


@wrong("JMS-SESS-004", patches=(PulsarMessageProducer, "_check_open"))
def producers_outlive_their_session(producer: Any) -> None:
    """A producer goes on when its session is closed."""


def _without_times(message: PulsarMessage) -> None:
    for field in ("_timestamp", "_expiration", "_delivery_time"):
        if getattr(message, field) is None:
            setattr(message, field, 0)


def _never_redelivered(message: PulsarMessage) -> None:
    if message._redelivered is None:
        message._redelivered = False


def _without_an_id(message: PulsarMessage) -> None:
    message._identify = None


@wrong("JMS-SESS-005")
def times_go_with_the_session() -> AbstractContextManager[object]:
    """Times of a message that are first read behind the close of its session are 0."""
    return forgotten_by_close(_without_times)


@wrong("JMS-SESS-005")
def redelivery_goes_with_the_session() -> AbstractContextManager[object]:
    """JMSRedelivered is false where it is first read behind the close of the session."""
    return forgotten_by_close(_never_redelivered)


@wrong("JMS-SESS-005")
def message_ids_go_with_the_session() -> AbstractContextManager[object]:
    """JMSMessageID is null where it is first read behind the close of the session."""
    return forgotten_by_close(_without_an_id)


@wrong("JMS-SESS-006", patches=(PulsarSession, "close"))
def session_closes_once(original: Callable[..., None], session: PulsarSession) -> None:
    """Closing a closed session is an error."""
    if session.closed:
        raise IllegalStateException("The session is closed already")
    original(session)


@wrong("JMS-SESS-007", patches=(PulsarSession, "close"))
def session_leaves_consumers_behind(original: Callable[..., None], session: PulsarSession) -> None:
    """Closing a session leaves its consumers with the broker."""
    session._consumers.clear()
    original(session)


@wrong("JMS-SESS-007", patches=(PulsarSession, "close"))
def stopped_session_leaves_consumers_behind(
    original: Callable[..., None], session: PulsarSession
) -> None:
    """Closing a session of a stopped connection leaves its consumers with the broker."""
    if not session.running:
        session._consumers.clear()
    original(session)


@wrong("JMS-SESS-007", patches=(PulsarSession, "close"))
def stopped_session_closes_late(original: Callable[..., None], session: PulsarSession) -> None:
    """close() of a session whose connection is stopped does not come back."""
    if not (session.running or session.closed):
        threading.Event().wait(_FOR_LONG)
    original(session)


@wrong("JMS-SESS-002", patches=(PulsarSession, "close"))
def waits_for_the_first_listener(original: Callable[..., None], session: PulsarSession) -> None:
    """close() of a session waits for the listener of its first consumer, and for no other."""
    dispatcher = session.dispatcher
    busy = dispatcher._calling
    if busy is None or dispatcher.is_current() or next(iter(dispatcher._consumers)) is busy:
        original(session)
    else:
        threading.Thread(target=original, args=(session,), daemon=True).start()


@wrong("JMS-SESS-007", patches=(BrokerClient, "leave"))
def producers_outlive_sessions(client: Any, user: Any) -> None:
    """The broker has the producers of a closed session until the factory is closed."""


@wrong("API-SESS-002", patches=(PulsarSession, "acknowledge_mode"))
def sessions_are_in_automatic_mode(session: Any) -> int:
    """getAcknowledgeMode is AUTO_ACKNOWLEDGE, whatever the mode."""
    return 1


def _waits(session: PulsarSession) -> None:
    if session.settlement in struck:
        threading.Event().wait(_FOR_LONG)
    _close(session)


@wrong("JMS-SESS-007", scenarios=UNREADABLE)
def close_hangs_after_what_is_unreadable() -> AbstractContextManager[object]:
    """close() of a session that could not read a message does not come back."""
    return after_unreadable("close", _waits, PulsarSession)
