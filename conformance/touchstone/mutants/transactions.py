"""Clients that are wrong about transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

from jmsapi import CompletionListener, JMSException, Message, SessionMode
from pulsar_jms.configuration import Settings
from pulsar_jms.connections import connection
from pulsar_jms.mapping.session_modes import MODES
from pulsar_jms.messages import mark_sent
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.settling.transactions import EmulatedTransaction
from pulsar_jms.transport.transport_protocol import Transport, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage
from touchstone.mutants.registry import Mutant

_send = EmulatedTransaction.send
_commit, _rollback = EmulatedTransaction.commit, EmulatedTransaction.rollback
_waiting: dict[EmulatedTransaction, list[tuple[TransportProducer, OutgoingMessage, Message]]] = {}


def _send_later(
    transaction: EmulatedTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    _waiting.setdefault(transaction, []).append((transport_producer, outgoing, message))


def _send_now(transaction: EmulatedTransaction) -> None:
    for transport_producer, outgoing, message in _waiting.pop(transaction, []):
        mark_sent(message, transport_producer.send(outgoing))
    _commit(transaction)


def _send_never(transaction: EmulatedTransaction) -> None:
    _waiting.pop(transaction, None)
    _rollback(transaction)


def _send_marked(
    transaction: EmulatedTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    told = str(id(transaction))
    outgoing.properties.update(JMSXProducerTXID=told, JMSXConsumerTXID=told)
    _send(transaction, transport_producer, outgoing, message, listener)


@contextmanager
def _emulating_always() -> Iterator[None]:
    with (
        patch.object(connection, "check_transactions", lambda settings, transport: None),
        patch.object(PulsarSession, "_new_transaction", lambda one: EmulatedTransaction(one)),
    ):
        yield


def _check_real(settings: Settings, transport: Transport) -> None:
    if not transport.has_transactions:
        raise JMSException("No transactions without those of the broker")


EMULATION_NEEDS_THE_REAL = Mutant(
    name="emulation-needs-the-real",
    area="transactions",
    violates=("SLJ-TX-008",),
    doc="Emulated transactions are refused where there are none of the broker.",
    apply=partial(patch.object, connection, "check_transactions", _check_real),
)
EMULATED_SENDS_WAIT = Mutant(
    name="emulated-sends-wait",
    area="transactions",
    violates=("SLJ-TX-010", "SLJ-TX-012"),
    doc="An emulated session sends at commit, and drops its sends at rollback.",
    apply=partial(
        patch.multiple,
        EmulatedTransaction,
        send=_send_later,
        commit=_send_now,
        rollback=_send_never,
    ),
)
EMULATED_ACKNOWLEDGES_AT_ONCE = Mutant(
    name="emulated-acknowledges-at-once",
    area="transactions",
    violates=("SLJ-TX-011",),
    doc="A transacted session acknowledges each message when it is received.",
    apply=partial(
        patch.dict,
        MODES,
        {SessionMode.SESSION_TRANSACTED: MODES[SessionMode.AUTO_ACKNOWLEDGE]},
    ),
)
ROLLBACK_FORGETS = Mutant(
    name="rollback-forgets",
    area="transactions",
    violates=("SLJ-TX-007", "JMS-TX-004", "JMS-ACK-010"),
    doc="rollback() does not give back what was received.",
    apply=partial(patch.object, Settlement, "roll_back", lambda one: one.take_all()),
)
EMULATES_UNASKED = Mutant(
    name="emulates-unasked",
    area="transactions",
    violates=("SLJ-TX-003", "SLJ-TX-004"),
    doc="Transactions are emulated, whatever the settings and the broker are.",
    apply=_emulating_always,
)
EMULATED_SESSION_SAYS_NO = Mutant(
    name="emulated-session-says-no",
    area="transactions",
    violates=("SLJ-TX-009",),
    doc="A session says that it is not transacted, whatever it is.",
    apply=partial(patch.object, PulsarSession, "transacted", False),
)
TRANSACTION_TOLD = Mutant(
    name="transaction-told",
    area="properties",
    violates=("SLJ-PROP-028", "SLJ-PROP-029"),
    doc="JMSXProducerTXID and JMSXConsumerTXID say in which transaction a message was sent.",
    apply=partial(patch.object, EmulatedTransaction, "send", _send_marked),
)
