"""Clients that are wrong about transactions of the broker, which the java transport alone has."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from jmsapi import CompletionListener, Message
from pulsar_jms.messages import mark_sent
from pulsar_jms.settling.broker_transactions import RealTransaction
from pulsar_jms.settling.settlement import SessionDelivery, Settlement
from pulsar_jms.transport.java_client.java_producer import JavaTransaction
from pulsar_jms.transport.transport_protocol import BrokerTransaction, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage
from touchstone.mutants.registry import Mutant

_JAVA = "reference-java"


def send_outside(
    transaction: RealTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    """Send as a session without a transaction does."""
    mark_sent(message, transport_producer.send(outgoing))


def _commit_all(transaction: JavaTransaction, within: int | None = None) -> None:
    transaction.commit()


def _acknowledge_none(
    settlement: Settlement,
    deliveries: list[SessionDelivery],
    within: BrokerTransaction | None = None,
) -> None:
    """Nothing."""


SENDS_OUTSIDE_THE_TRANSACTION = Mutant(
    name="sends-outside-the-transaction",
    area="transactions",
    violates=("SLJ-TX-001", "SLJ-TX-002", "JMS-TX-002"),
    doc="A session with transactions of the broker sends without them.",
    apply=partial(patch.object, RealTransaction, "send", send_outside),
    provider=_JAVA,
)
ROLLBACK_COMMITS = Mutant(
    name="rollback-commits",
    area="transactions",
    violates=("SLJ-TX-002", "JMS-TX-003", "JMS-TX-006"),
    doc="rollback() has the broker commit what was sent.",
    apply=partial(patch.object, JavaTransaction, "abort", _commit_all),
    provider=_JAVA,
)
COMMIT_WITHOUT_ACKNOWLEDGEMENTS = Mutant(
    name="commit-without-acknowledgements",
    area="transactions",
    violates=("SLJ-TX-006", "JMS-ACK-010"),
    doc="What was received does not take part in the transaction that is committed.",
    apply=partial(patch.object, Settlement, "acknowledge_all", _acknowledge_none),
    provider=_JAVA,
)
COMMIT_FORGOTTEN = Mutant(
    name="commit-forgotten",
    area="transactions",
    violates=("SLJ-TX-001", "SLJ-TX-003"),
    doc="commit() returns without a word to the broker.",
    apply=partial(patch.object, RealTransaction, "commit", lambda one: None),
    provider=_JAVA,
)
