"""Clients that are wrong about temporary destinations."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import JMSException
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.temporary import temporary_destinations
from pulsar_jms.temporary.temporary_destinations import TemporaryDestinations
from pulsar_jms.transport.admin_rest import AdminRest
from touchstone.mutants.registry import Mutant

_create_subscription = AdminRest.create_subscription
_keep = TemporaryDestinations._keep
_close_factory = PulsarConnectionFactory.close


def _explicitly(
    administration: AdminRest, topic: str, name: str, *, earliest: bool, patient: bool = True
) -> None:
    """The topic is made whether or not topics come into being by their use."""
    path = topic.replace("://", "/")
    administration._request("PUT", path, f"make {topic}", accepted=(409,))
    _create_subscription(administration, topic, name, earliest=earliest, patient=patient)


def _regardless(administration: AdminRest, topic: str, name: str, **options: Any) -> None:
    """A refusal is taken for success."""
    with suppress(JMSException):
        _create_subscription(administration, topic, name, **options)


def _close_raising(temporaries: TemporaryDestinations) -> None:
    """A deletion is tried once, and what it raises ends close()."""
    administration = temporaries._administration
    assert administration is not None
    for topic in sorted(temporaries._topics):
        administration.delete_topic(topic, force=False, within=5.0)


def _close_factory_alone(factory: PulsarConnectionFactory) -> None:
    """Connections that are open end without deleting what they made."""
    for connection in list(factory._connections):
        connection.temporaries._topics.clear()
    _close_factory(factory)


_GUARDIAN = """
import sys, urllib.request
sys.stdin.read()
request = urllib.request.Request(sys.argv[1], method="DELETE")
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
"""


def _guarded(temporaries: TemporaryDestinations, topic: str) -> None:
    """A guardian process deletes the topic when this one has ended."""
    _keep(temporaries, topic)
    administration = temporaries._administration
    assert isinstance(administration, AdminRest)
    url = f"{administration._url}/admin/v2/{topic.replace('://', '/')}?force=true"
    command = [sys.executable, "-c", _GUARDIAN, url]
    subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)  # noqa: S603


def one_name_for_all(make: str) -> Callable[[], AbstractContextManager[object]]:
    """What should make a new name gives the same one each time."""
    return partial(
        patch.object, temporary_destinations, make, lambda namespace: f"persistent://{namespace}/t"
    )


TEMPORARY_QUEUES_ARE_ONE = Mutant(
    name="temporary-queues-are-one",
    area="temporary",
    violates=("SLJ-TEMP-001", "JMS-TEMP-002"),
    doc="Every temporary queue is the same queue.",
    apply=one_name_for_all("temporary_queue_name"),
)
TEMPORARY_TOPICS_ARE_ONE = Mutant(
    name="temporary-topics-are-one",
    area="temporary",
    violates=("SLJ-TEMP-002", "JMS-TEMP-002"),
    doc="Every temporary topic is the same topic.",
    apply=one_name_for_all("temporary_topic_name"),
)
TEMPORARIES_OUTLIVE_THE_CONNECTION = Mutant(
    name="temporaries-outlive-the-connection",
    area="temporary",
    violates=("SLJ-TEMP-003", "SLJ-TEMP-004", "JMS-TEMP-003", "JMS-TEMP-005"),
    doc="Nothing is deleted when a connection closes.",
    apply=partial(patch.object, TemporaryDestinations, "close", lambda temporaries: None),
)
TEMPORARIES_OUTLIVE_THE_FACTORY = Mutant(
    name="temporaries-outlive-the-factory",
    area="temporary",
    violates=("SLJ-TEMP-004",),
    doc="Closing the factory deletes nothing.",
    apply=partial(patch.object, PulsarConnectionFactory, "close", _close_factory_alone),
)
TEMPORARIES_GUARDED = Mutant(
    name="temporaries-guarded",
    area="temporary",
    violates=("SLJ-TEMP-005",),
    doc="Another process deletes what a client leaves behind that was killed.",
    apply=partial(patch.object, TemporaryDestinations, "_keep", _guarded),
)
FAILED_DELETION_ENDS_CLOSE = Mutant(
    name="failed-deletion-ends-close",
    area="temporary",
    violates=("SLJ-TEMP-006",),
    doc="connection.close() fails when a deletion does.",
    apply=partial(patch.object, TemporaryDestinations, "close", _close_raising),
)
TEMPORARIES_MADE_WITHOUT_RIGHTS = Mutant(
    name="temporaries-made-without-rights",
    area="temporary",
    violates=("SLJ-TEMP-007",),
    doc="A refusal by the broker is no error.",
    apply=partial(patch.object, AdminRest, "create_subscription", _regardless),
)
TEMPORARIES_MADE_EXPLICITLY = Mutant(
    name="temporaries-made-explicitly",
    area="temporary",
    violates=("SLJ-TEMP-008",),
    doc="Temporary destinations do not depend on automatic topics.",
    apply=partial(patch.object, AdminRest, "create_subscription", _explicitly),
)
