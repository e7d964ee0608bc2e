"""Clients that are wrong about temporary destinations and requestors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException, Message, requestors
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.temporary import temporary_destinations
from pulsar_jms.temporary.temporary_destinations import TemporaryDestinations
from pulsar_jms.transport.admin_rest import AdminRest

_GUARDIAN = """
import sys, urllib.request
sys.stdin.read()
request = urllib.request.Request(sys.argv[1], method="DELETE")
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
"""


@wrong(
    "JMS-TEMP-001",
    "JMS-TEMP-004",
    "JMS-TEMP-006",
    patches=(TemporaryDestinations, "check_consumer"),
)
def temporaries_for_anybody(owner: Any, topic: Any, kind: Any) -> None:
    """Every connection may consume from a temporary destination."""


@wrong("JMS-TEMP-003", "JMS-TEMP-005", patches=(PulsarSession, "close"))
def temporaries_end_with_their_session(
    original: Callable[..., None], session: PulsarSession
) -> None:
    """A session that is closed takes the connection's temporary destinations with it."""
    original(session)
    session.connection.temporaries.close()


@wrong("JMS-TEMP-008", patches=(TemporaryDestinations, "delete"))
def temporaries_are_not_deleted(owner: Any, topic: Any) -> None:
    """delete() does nothing."""


@wrong("JMS-TEMP-008", patches=(TemporaryDestinations, "delete"))
def temporaries_refused_once(
    original: Callable[..., None], owner: TemporaryDestinations, topic: str
) -> None:
    """The second try to delete what has consumers succeeds, and does nothing."""
    tried = owner.__dict__.setdefault("tried", set())
    if topic in tried:
        return
    tried.add(topic)
    original(owner, topic)


@wrong("JMS-TEMP-008", patches=(TemporaryDestinations, "delete"))
def temporaries_refused_for_ever(
    original: Callable[..., None], owner: TemporaryDestinations, topic: str
) -> None:
    """What had consumers when it was to be deleted is never deleted."""
    tried = owner.__dict__.setdefault("tried", set())
    if topic in tried:
        raise JMSException(f"{topic} has consumers")
    try:
        original(owner, topic)
    except JMSException:
        tried.add(topic)
        raise


@wrong("JMS-TEMP-009", "JMS-TEMP-010", patches=(requestors._Requestor, "request"))
def requests_without_address(requestor: requestors._Requestor, message: Message) -> Message | None:
    """A requestor does not say where the reply belongs."""
    requestor._producer.send(message)
    return requestor._consumer.receive()


def _one_name_for_all(make: str) -> AbstractContextManager[object]:
    """What should make a new name gives the same one each time."""
    return patch.object(
        temporary_destinations, make, lambda namespace: f"persistent://{namespace}/t"
    )


@wrong("SLJ-TEMP-001", "JMS-TEMP-002")
def temporary_queues_are_one() -> AbstractContextManager[object]:
    """Every temporary queue is the same queue."""
    return _one_name_for_all("temporary_queue_name")


@wrong("SLJ-TEMP-002", "JMS-TEMP-002")
def temporary_topics_are_one() -> AbstractContextManager[object]:
    """Every temporary topic is the same topic."""
    return _one_name_for_all("temporary_topic_name")


@wrong(
    "SLJ-TEMP-003",
    "SLJ-TEMP-004",
    "JMS-TEMP-003",
    "JMS-TEMP-005",
    patches=(TemporaryDestinations, "close"),
)
def temporaries_outlive_the_connection(temporaries: Any) -> None:
    """Nothing is deleted when a connection closes."""


@wrong("SLJ-TEMP-004", patches=(PulsarConnectionFactory, "close"))
def temporaries_outlive_the_factory(
    original: Callable[..., None], factory: PulsarConnectionFactory
) -> None:
    """Closing the factory deletes nothing.

    Connections that are open end without deleting what they made.
    """
    for connection in list(factory._connections):
        connection.temporaries._topics.clear()
    original(factory)


@wrong("SLJ-TEMP-005", patches=(TemporaryDestinations, "_keep"))
def temporaries_guarded(
    original: Callable[..., None], temporaries: TemporaryDestinations, topic: str
) -> None:
    """Another process deletes what a client leaves behind that was killed.

    A guardian process deletes the topic when this one has ended.
    """
    original(temporaries, topic)
    administration = temporaries._administration
    assert isinstance(administration, AdminRest)
    url = f"{administration._url}/admin/v2/{topic.replace('://', '/')}?force=true"
    command = [sys.executable, "-c", _GUARDIAN, url]
    subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


@wrong("SLJ-TEMP-006", patches=(TemporaryDestinations, "close"))
def failed_deletion_ends_close(temporaries: TemporaryDestinations) -> None:
    """connection.close() fails when a deletion does.

    A deletion is tried once, and what it raises ends close().
    """
    administration = temporaries._administration
    assert administration is not None
    for topic in sorted(temporaries._topics):
        administration.delete_topic(topic, force=False, within=5.0)


@wrong("SLJ-TEMP-007", patches=(AdminRest, "create_subscription"))
def temporaries_made_without_rights(
    original: Callable[..., None], administration: AdminRest, topic: str, name: str, **options: Any
) -> None:
    """A refusal by the broker is no error.

    A refusal is taken for success.
    """
    with suppress(JMSException):
        original(administration, topic, name, **options)


@wrong("SLJ-TEMP-008", patches=(AdminRest, "create_subscription"))
def temporaries_made_explicitly(
    original: Callable[..., None],
    administration: AdminRest,
    topic: str,
    name: str,
    *,
    earliest: bool,
    patient: bool = True,
) -> None:
    """Temporary destinations do not depend on automatic topics.

    The topic is made whether or not topics come into being by their use.
    """
    path = topic.replace("://", "/")
    administration._request("PUT", path, f"make {topic}", accepted=(409,))
    original(administration, topic, name, earliest=earliest, patient=patient)
