"""AMQ JMS: two session modes of its own, and what a lost connection leaves behind.

As "Using the AMQ JMS Client, Chapter 7. Message delivery" has them.

For the java transport, the only one that reports losses. What is documented and Pulsar does by
itself needs no code here: its client sends again what was in flight, until a send timeout, and the
broker delivers again, to a consumer that comes back, what that has not acknowledged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from jmsapi import SessionMode
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.dialects.amq_connection_loss import (
    ConnectionLossSettlement,
    ConnectionLossTransaction,
)
from pulsar_jms.dialects.settled_on_arrival import SettledOnArrival
from pulsar_jms.dialects.starlight import STARLIGHT, transaction_of
from pulsar_jms.implements import implements_rows
from pulsar_jms.mapping.session_modes import MODES, AcknowledgedAt, Covers, ModeRow
from pulsar_jms.settling.transactions import SessionTransaction, TransactedSession
from pulsar_jms.transport.transport_protocol import TransportConsumer

INDIVIDUAL_ACKNOWLEDGE: Final = 101
NO_ACKNOWLEDGE: Final = (100, 257)

_ON_ARRIVAL = ModeRow(
    AcknowledgedAt.DELIVERY_UNAWAITED,
    Covers.NOTHING,
    ("AMQ-ACK-001", "AMQ-ACK-008", "AMQ-ACK-009", "AMQ-ACK-010"),
    vendor_name="NO_ACKNOWLEDGE",
)
"""Acknowledged before it is delivered, so that at delivery nothing is left to do."""

AMQ_MODES: Final[Mapping[int, ModeRow]] = {
    SessionMode.SESSION_TRANSACTED: MODES[SessionMode.SESSION_TRANSACTED],
    SessionMode.AUTO_ACKNOWLEDGE: MODES[SessionMode.AUTO_ACKNOWLEDGE],
    SessionMode.DUPS_OK_ACKNOWLEDGE: MODES[SessionMode.DUPS_OK_ACKNOWLEDGE],
    SessionMode.CLIENT_ACKNOWLEDGE: MODES[SessionMode.CLIENT_ACKNOWLEDGE]._replace(
        call_covers=Covers.ALL
    ),
    INDIVIDUAL_ACKNOWLEDGE: ModeRow(
        AcknowledgedAt.CALL,
        Covers.ONE,
        tuple(f"AMQ-ACK-{number:03}" for number in (1, 3, 4, 5, 6, 7)),
        vendor_name="INDIVIDUAL_ACKNOWLEDGE",
    ),
    NO_ACKNOWLEDGE[0]: _ON_ARRIVAL._replace(
        requirements=(*_ON_ARRIVAL.requirements, "AMQ-ACK-011")
    ),
    NO_ACKNOWLEDGE[1]: _ON_ARRIVAL._replace(
        requirements=(*_ON_ARRIVAL.requirements, "AMQ-ACK-012")
    ),
}
"""The modes of JMS and those of this document; any other number is refused (AMQ-ACK-002)."""

implements_rows(
    __name__,
    "AMQ_MODES",
    [
        (f"mode {mode}: {row.vendor_name}", row.requirements)
        for mode, row in AMQ_MODES.items()
        if row.vendor_name is not None
    ],
)


def transaction(session: TransactedSession) -> SessionTransaction:
    """A transaction that fails with its connection; emulated ones, where asked for, do not."""
    if session.settings.flag("jms.emulateTransactions", False):
        return transaction_of(session)
    return ConnectionLossTransaction(session)


def transport_consumer(
    mode: int, plain: TransportConsumer, message_filter: MessageFilter, prefetch: int
) -> TransportConsumer:
    """Where a session acknowledges nothing, its messages are acknowledged as they arrive."""
    if mode not in NO_ACKNOWLEDGE:
        return plain
    return SettledOnArrival(plain, message_filter, prefetch)


AMQ: Final = replace(
    STARLIGHT,
    name="amq",
    modes=AMQ_MODES,
    settlement=ConnectionLossSettlement,
    transaction=transaction,
    transport_consumer=transport_consumer,
)
