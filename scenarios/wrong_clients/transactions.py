"""Clients that are wrong about transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import WORKLOADS
from jms_clients.mutants.wrong import wrong
from jmsapi import CompletionListener, JMSException, Message, SessionMode
from pulsar_jms.configuration import Settings
from pulsar_jms.connections import connection
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.mapping.session_modes import MODES
from pulsar_jms.messages import mark_sent
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.broker_transactions import RealTransaction
from pulsar_jms.settling.settlement import SessionDelivery, Settlement
from pulsar_jms.settling.transactions import EmulatedTransaction
from pulsar_jms.transport.java_client.java_producer import JavaTransaction
from pulsar_jms.transport.transport_protocol import BrokerTransaction, Transport, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage
from wrong_clients.helpers.turns import Turn
from wrong_clients.redelivery import last_of_a_batch_not_given_back

_waiting: dict[EmulatedTransaction, list[tuple[TransportProducer, OutgoingMessage, Message]]] = {}
_rollback = EmulatedTransaction.rollback
_commit = EmulatedTransaction.commit


@wrong("JMS-TX-007", "JMS-TX-008", patches=(RealTransaction, "drop"), provider="reference-java")
def close_commits(transaction: Any) -> Any:
    """The close of a session commits its open transaction."""
    return transaction.commit()


@wrong("JMS-TX-005", patches=(RealTransaction, "leave"), provider="reference-java")
def consumer_close_commits(transaction: RealTransaction, consumer: PulsarMessageConsumer) -> None:
    """The close of a consumer commits the transaction of its session."""
    transaction.commit()


def _send_outside(
    transaction: RealTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    """Send as a session without a transaction does."""
    mark_sent(message, transport_producer.send(outgoing))


_OUTSIDE = Turn(7)


# not SLJ-TX-001: Pulsar holds back whatever is behind a message of an open transaction, so that
# only what is sent before all of them is seen too early
@wrong(
    "SLJ-TX-002", patches=(RealTransaction, "send"), provider="reference-java", scenarios=WORKLOADS
)
def one_send_in_seven_outside_the_transaction(
    original: Callable[..., None], transaction: RealTransaction, *arguments: Any
) -> None:
    """A session with transactions of the broker sends one message in seven without them."""
    (_send_outside if _OUTSIDE.of(transaction) else original)(transaction, *arguments)


@wrong("SLJ-TX-006", provider="reference-java", scenarios=WORKLOADS)
def last_of_a_transaction_not_given_back() -> AbstractContextManager[object]:
    """The last message that a transaction received is acknowledged though it is rolled back."""
    return last_of_a_batch_not_given_back.apply()


@wrong("SLJ-TX-001", "SLJ-TX-002", "JMS-TX-002", provider="reference-java")
def sends_outside_the_transaction() -> AbstractContextManager[object]:
    """A session with transactions of the broker sends without them."""
    return patch.object(RealTransaction, "send", _send_outside)


@wrong(
    "SLJ-TX-002",
    "JMS-TX-003",
    "JMS-TX-006",
    patches=(JavaTransaction, "abort"),
    provider="reference-java",
)
def rollback_commits(transaction: JavaTransaction, within: int | None = None) -> None:
    """rollback() has the broker commit what was sent."""
    transaction.commit()


@wrong(
    "SLJ-TX-006", "JMS-ACK-010", patches=(Settlement, "acknowledge_all"), provider="reference-java"
)
def commit_without_acknowledgements(
    settlement: Settlement,
    deliveries: list[SessionDelivery],
    within: BrokerTransaction | None = None,
) -> None:
    """What was received does not take part in the transaction that is committed."""


@wrong("SLJ-TX-001", "SLJ-TX-003", patches=(RealTransaction, "commit"), provider="reference-java")
def commit_forgotten(transaction: Any) -> None:
    """commit() returns without a word to the broker."""


@wrong("SLJ-TX-008", patches=(connection, "check_transactions"))
def emulation_needs_the_real(settings: Settings, transport: Transport) -> None:
    """Emulated transactions are refused where there are none of the broker."""
    if not transport.has_transactions:
        raise JMSException("No transactions without those of the broker")


def _send_later(
    transaction: EmulatedTransaction,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener | None = None,
) -> None:
    _waiting.setdefault(transaction, []).append((transport_producer, outgoing, message))


def _send_never(transaction: EmulatedTransaction) -> None:
    _waiting.pop(transaction, None)
    _rollback(transaction)


def _send_now(transaction: EmulatedTransaction) -> None:
    for transport_producer, outgoing, message in _waiting.pop(transaction, []):
        mark_sent(message, transport_producer.send(outgoing))
    _commit(transaction)


@wrong("SLJ-TX-010", "SLJ-TX-012")
def emulated_sends_wait() -> AbstractContextManager[object]:
    """An emulated session sends at commit, and drops its sends at rollback."""
    return patch.multiple(
        EmulatedTransaction, send=_send_later, commit=_send_now, rollback=_send_never
    )


@wrong("SLJ-TX-011")
def emulated_acknowledges_at_once() -> AbstractContextManager[object]:
    """A transacted session acknowledges each message when it is received."""
    return patch.dict(MODES, {SessionMode.SESSION_TRANSACTED: MODES[SessionMode.AUTO_ACKNOWLEDGE]})


@wrong("SLJ-TX-007", "JMS-TX-004", "JMS-ACK-010", patches=(Settlement, "roll_back"))
def rollback_forgets(settlement: Any) -> Any:
    """rollback() does not give back what was received."""
    return settlement.take_all()


@wrong("SLJ-TX-003", "SLJ-TX-004")
@contextmanager
def emulates_unasked() -> Iterator[None]:
    """Transactions are emulated, whatever the settings and the broker are."""
    with (
        patch.object(connection, "check_transactions", lambda settings, transport: None),
        patch.object(
            PulsarSession, "_new_transaction", lambda session: EmulatedTransaction(session)
        ),
    ):
        yield


@wrong("SLJ-TX-009")
def emulated_session_says_no() -> AbstractContextManager[object]:
    """A session says that it is not transacted, whatever it is."""
    return patch.object(PulsarSession, "transacted", False)
