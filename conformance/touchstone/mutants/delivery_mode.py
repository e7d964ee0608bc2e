"""Clients that are wrong about the delivery mode."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from unittest.mock import patch

from pulsar_jms.mapping.headers import HeaderFields, read_headers
from pulsar_jms.messages import receiving
from pulsar_jms.transport import pulsar_client
from pulsar_jms.transport.interface import OutgoingMessage, Stored
from touchstone.mutants.headers import headers_rewritten
from touchstone.mutants.registry import Mutant


def _always_written(wire: dict[str, str], fields: HeaderFields) -> None:
    wire["JMSDeliveryMode"] = str(fields.jms_delivery_mode)


def _by_name(wire: dict[str, str], fields: HeaderFields) -> None:
    if fields.jms_delivery_mode == 1:
        wire["JMSDeliveryMode"] = "NON_PERSISTENT"


def _not_read(wire: Mapping[str, str]) -> dict[str, object]:
    return read_headers({name: text for name, text in wire.items() if name != "JMSDeliveryMode"})


_send = pulsar_client._Outlet.send


def _by_delivery_mode(outlet: pulsar_client._Outlet, message: OutgoingMessage) -> Stored:
    if message.properties.get("JMSDeliveryMode") == "1":
        topic = outlet._topic.replace("persistent://", "non-persistent://", 1)
        made = pulsar_client._Outlet(outlet._make, topic, outlet._failure, batches=outlet._batches)
        return _send(made, message)
    return _send(outlet, message)


PERSISTENT_WRITTEN_OUT = Mutant(
    name="persistent-written-out",
    area="delivery-mode",
    violates=("SLJ-MODE-002",),
    doc="The default delivery mode is written to the wire.",
    apply=headers_rewritten(_always_written),
)
DELIVERY_MODE_BY_NAME = Mutant(
    name="delivery-mode-by-name",
    area="delivery-mode",
    violates=("SLJ-MODE-001", "SLJ-MODE-003", "JMS-MODE-005"),
    doc="The delivery mode is written by its name.",
    apply=headers_rewritten(_by_name),
)
DELIVERY_MODE_NOT_READ = Mutant(
    name="delivery-mode-not-read",
    area="delivery-mode",
    violates=("SLJ-MODE-003", "JMS-MODE-005"),
    doc="Every message is received as PERSISTENT.",
    apply=partial(patch.object, receiving, "read_headers", _not_read),
)
NON_PERSISTENT_NOT_STORED = Mutant(
    name="non-persistent-not-stored",
    area="delivery-mode",
    violates=("SLJ-MODE-004",),
    doc="NON_PERSISTENT messages go to a non-persistent topic, which stores nothing.",
    apply=partial(patch.object, pulsar_client._Outlet, "send", _by_delivery_mode),
)
