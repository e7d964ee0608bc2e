"""Clients in the dialect of AMQ JMS that are wrong about lost connections."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jms_clients.mutants.wrong import wrong
from jmsapi import CompletionListener, Message, TransactionRolledBackException
from pulsar_jms.dialects import amq_connection_loss
from pulsar_jms.dialects.amq_connection_loss import ConnectionLossTransaction
from pulsar_jms.transport.transport_protocol import TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage


@wrong(
    "AMQ-FAIL-016",
    "AMQ-FAIL-021",
    patches=(amq_connection_loss, "is_lost"),
    provider="reference/amq",
)
def late_acknowledgements_go_out(delivery: Any) -> bool:
    """What was received before a loss of the connection is acknowledged after it, all the same."""
    return False


@wrong(
    "AMQ-FAIL-008",
    "AMQ-FAIL-009",
    "AMQ-FAIL-010",
    patches=(ConnectionLossTransaction, "_is_lost"),
    provider="reference/amq",
)
def transactions_outlive_the_connection(transaction: Any, deliveries: Any) -> bool:
    """A transaction with sends commits although its connection was lost."""
    return False


@wrong(
    "AMQ-FAIL-012",
    "AMQ-FAIL-025",
    patches=(ConnectionLossTransaction, "commit"),
    provider="reference/amq",
)
def failed_commit_is_silent(
    original: Callable[..., None], transaction: ConnectionLossTransaction
) -> None:
    """commit() returns normally when the connection is lost while it is in flight."""
    with suppress(TransactionRolledBackException):
        original(transaction)


@wrong("AMQ-FAIL-007", patches=(ConnectionLossTransaction, "send"), provider="reference/amq")
def first_send_is_not_forgiven(
    original: Callable[..., None],
    transaction: ConnectionLossTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    """A loss of the connection during the first send makes its transaction fail."""
    before = transaction._transport_producers.get(transport_producer, transport_producer.lost_at())
    original(transaction, transport_producer, outgoing, message, listener)
    transaction._transport_producers[transport_producer] = before
