"""Clients in the dialect of AMQ JMS that are wrong about its modes and about lost connections."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from unittest.mock import patch

from jmsapi import CompletionListener, Message, TransactionRolledBackException
from pulsar_jms.dialects import amq, amq_connection_loss
from pulsar_jms.dialects.amq_connection_loss import ConnectionLossTransaction
from pulsar_jms.mapping.session_modes import Covers
from pulsar_jms.transport.transport_protocol import TransportConsumer, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage
from touchstone.mutants.registry import Mutant

_AMQ = "reference/amq"
_send = ConnectionLossTransaction.send
_commit = ConnectionLossTransaction.commit


def _send_unforgiving(
    transaction: ConnectionLossTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    before = transaction._transport_producers.get(transport_producer, transport_producer.lost_at())
    _send(transaction, transport_producer, outgoing, message, listener)
    transaction._transport_producers[transport_producer] = before


def _commit_silently(transaction: ConnectionLossTransaction) -> None:
    with suppress(TransactionRolledBackException):
        _commit(transaction)


def _plain(plain: TransportConsumer, *_: object) -> TransportConsumer:
    return plain


LATE_ACKNOWLEDGEMENTS_GO_OUT = Mutant(
    name="late-acknowledgements-go-out",
    area="failover",
    violates=("AMQ-FAIL-016", "AMQ-FAIL-021"),
    doc="What was received before a loss of the connection is acknowledged after it, all the same.",
    apply=partial(patch.object, amq_connection_loss, "is_lost", lambda delivery: False),
    provider=_AMQ,
)
TRANSACTIONS_OUTLIVE_THE_CONNECTION = Mutant(
    name="transactions-outlive-the-connection",
    area="failover",
    violates=("AMQ-FAIL-008", "AMQ-FAIL-009", "AMQ-FAIL-010"),
    doc="A transaction with sends commits although its connection was lost.",
    apply=partial(
        patch.object, ConnectionLossTransaction, "_is_lost", lambda one, deliveries: False
    ),
    provider=_AMQ,
)
FAILED_COMMIT_IS_SILENT = Mutant(
    name="failed-commit-is-silent",
    area="failover",
    violates=("AMQ-FAIL-012", "AMQ-FAIL-025"),
    doc="commit() returns normally when the connection is lost while it is in flight.",
    apply=partial(patch.object, ConnectionLossTransaction, "commit", _commit_silently),
    provider=_AMQ,
)
FIRST_SEND_IS_NOT_FORGIVEN = Mutant(
    name="first-send-is-not-forgiven",
    area="failover",
    violates=("AMQ-FAIL-007",),
    doc="A loss of the connection during the first send makes its transaction fail.",
    apply=partial(patch.object, ConnectionLossTransaction, "send", _send_unforgiving),
    provider=_AMQ,
)
INDIVIDUAL_MODE_COVERS_EARLIER = Mutant(
    name="101-covers-earlier-messages",
    area="acknowledgement",
    violates=("AMQ-ACK-006", "AMQ-ACK-007"),
    doc="acknowledge() in mode 101 covers earlier messages, too.",
    apply=partial(
        patch.dict,
        amq.AMQ_MODES,
        {101: amq.AMQ_MODES[101]._replace(call_covers=Covers.SO_FAR)},
    ),
    provider=_AMQ,
)
MODE_100_ACKNOWLEDGES_AT_DELIVERY = Mutant(
    name="100-acknowledges-at-delivery",
    area="acknowledgement",
    violates=("AMQ-ACK-008", "AMQ-ACK-010"),
    doc="In modes 100 and 257 a message is acknowledged when receive() returns it, not before.",
    apply=partial(patch.object, amq, "SettledOnArrival", _plain),
    provider=_AMQ,
)
UNKNOWN_MODE_ACKNOWLEDGES_NOTHING = Mutant(
    name="102-is-100",
    area="acknowledgement",
    violates=("AMQ-ACK-002",),
    doc="A session with the unknown mode 102 is made, and acknowledges on arrival.",
    apply=partial(patch.dict, amq.AMQ_MODES, {102: amq.AMQ_MODES[100]}),
    provider=_AMQ,
)
