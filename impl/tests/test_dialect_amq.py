"""The dialect of AMQ JMS without a broker: modes, what is settled on arrival, lost connections.

Connections are lost by a number that changes, as the transport reports it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jmsapi import JMSException, TransactionRolledBackException
from noting_source import WITHIN, Item, Source
from pulsar_jms.configuration import settings
from pulsar_jms.dialects.amq import AMQ, AMQ_MODES
from pulsar_jms.dialects.amq_connection_loss import (
    ConnectionLossSettlement,
    ConnectionLossTransaction,
)
from pulsar_jms.dialects.settled_on_arrival import SettledOnArrival
from pulsar_jms.mapping.selectors import FilterResult
from pulsar_jms.mapping.session_modes import check_mode
from pulsar_jms.messages import PulsarTextMessage
from pulsar_jms.transport.java_client.java_producer import JavaTransaction
from pulsar_jms.transport.wire_messages import IncomingMessage

# -- modes -----------------------------------------------------------------------------------------


def test_modes_beyond_jms_are_101_100_and_257() -> None:
    assert set(AMQ_MODES) == {0, 1, 2, 3, 100, 101, 257}
    with pytest.raises(JMSException, match=r"102.*INDIVIDUAL_ACKNOWLEDGE 101.*NO_ACKNOWLEDGE 100"):
        check_mode(102, AMQ_MODES)


# -- settled on arrival ----------------------------------------------------------------------------


class Fates:
    """A filter that lets nothing pass of the names it is made with."""

    def __init__(self, *rejected: str) -> None:
        self.rejected = rejected

    def filter_result(self, incoming: IncomingMessage) -> FilterResult:
        name = incoming.payload.decode()
        return FilterResult.NACKED if name in self.rejected else FilterResult.DELIVERED


@pytest.fixture
def source() -> Source:
    return Source()


def settled(source: Source, *rejected: str) -> SettledOnArrival:
    return SettledOnArrival(cast(Any, source), cast(Any, Fates(*rejected)), 10)


def test_a_message_is_acknowledged_before_anybody_asks_for_it(source: Source) -> None:
    transport_consumer = settled(source)

    source.arriving.put(Item("m1"))

    assert source.calls.get(timeout=WITHIN) == ("acknowledge", "m1")
    received = transport_consumer.receive(10_000)
    assert received is not None
    assert received.message.payload == b"m1"
    transport_consumer.close()
    assert source.closed


def test_nothing_is_left_to_do_with_a_message_that_was_acknowledged(source: Source) -> None:
    transport_consumer = settled(source)
    source.arriving.put(Item("m1"))
    received = transport_consumer.receive(10_000)
    assert received is not None
    assert source.noted() == [("acknowledge", "m1")]

    transport_consumer.acknowledge(received)
    transport_consumer.acknowledge_async(received, print)
    transport_consumer.nack(received)

    assert source.noted() == []
    transport_consumer.close()


def test_a_message_that_the_screen_rejects_is_not_acknowledged(source: Source) -> None:
    transport_consumer = settled(source, "other")
    source.arriving.put(Item("other"))

    received = transport_consumer.receive(10_000)
    assert received is not None
    transport_consumer.nack(received)

    assert source.noted() == [("nack", "other")]
    transport_consumer.close()


def test_a_message_that_cannot_be_acknowledged_is_not_delivered(source: Source) -> None:
    transport_consumer = settled(source)
    source.refuses.add("m1")

    source.arriving.put(Item("m1"))
    source.arriving.put(Item("m2"))

    received = transport_consumer.receive(10_000)
    assert received is not None
    assert received.message.payload == b"m2"
    transport_consumer.close()


def test_nothing_comes_where_nothing_has_arrived(source: Source) -> None:
    transport_consumer = settled(source)

    assert transport_consumer.receive(0) is None
    transport_consumer.close()


# -- lost connections ------------------------------------------------------------------------------


class Transaction:
    """A transaction of the broker; `during` happens while its commit is in flight."""

    def __init__(self) -> None:
        self.ended = ""
        self.during: Callable[[], None] = lambda: None

    def commit(self, given_up: Callable[[], bool] | None = None) -> None:
        self.during()
        if given_up is not None and given_up():
            raise TransactionRolledBackException("given up")
        self.ended = "committed"

    def abort(self, within: int | None = None) -> None:
        self.ended = "aborted"


class Session:
    """A transacted session of the dialect with one source for all; `deliver` is a receive()."""

    def __init__(self, mode: int = 0) -> None:
        self.source = Source()
        self.begun: list[Transaction] = []
        plain = SimpleNamespace(
            mode_row=AMQ.modes[mode],
            lock=threading.RLock(),
            closed=False,
            check_open=lambda: None,
            completions=SimpleNamespace(wait=lambda: None),
            settings=settings({}),
            client=SimpleNamespace(transport=SimpleNamespace(begin=self._begin)),
        )
        self.settlement = plain.settlement = ConnectionLossSettlement(cast(Any, plain))
        self.transaction = ConnectionLossTransaction(cast(Any, plain))
        self._consumer = cast(
            Any,
            SimpleNamespace(
                receive_queue=self.source,
                redelivery=self.source,
                closed=False,
                settings=SimpleNamespace(ack_timeout=0),
            ),
        )

    def _begin(self, timeout: int) -> Transaction:
        self.begun.append(Transaction())
        return self.begun[-1]

    def deliver(self, name: str) -> PulsarTextMessage:
        """A message that the application received just now."""
        message = PulsarTextMessage(name)
        self.settlement._record(self._consumer, cast(Any, Item(name)), message)
        return message

    def send(self) -> None:
        """A send in the transaction."""
        message = PulsarTextMessage("sent")
        outgoing = cast(Any, SimpleNamespace(properties={}))
        self.transaction.send(cast(Any, self.source), outgoing, message)


def test_a_late_acknowledgement_does_nothing() -> None:
    session = Session(mode=101)
    message = session.deliver("m1")

    session.source.lost = 5
    message.acknowledge()

    assert session.source.noted() == [("ignore", "m1")]


def test_what_came_after_the_loss_is_acknowledged() -> None:
    session = Session(mode=101)
    session.source.lost = 5

    session.deliver("m1").acknowledge()

    assert session.source.noted() == [("acknowledge", "m1")]


def test_an_acknowledgement_that_fails_without_a_loss_is_told() -> None:
    session = Session(mode=101)
    message = session.deliver("m1")
    session.source.refuses.add("m1")

    with pytest.raises(JMSException, match="refused"):
        message.acknowledge()


def test_mode_2_covers_every_message_of_the_session() -> None:
    session = Session(mode=2)
    first, _ = session.deliver("m1"), session.deliver("m2")

    first.acknowledge()

    assert session.source.noted() == [("acknowledge", "m1"), ("acknowledge", "m2")]


def test_a_transaction_without_a_loss_commits() -> None:
    session = Session()
    session.deliver("m1")
    session.send()

    session.transaction.commit()

    assert session.source.noted() == [("send", ""), ("acknowledge", "m1")]
    assert [transaction.ended for transaction in session.begun] == ["committed"]


def test_a_loss_after_a_send_rolls_the_transaction_back_and_the_next_one_commits() -> None:
    session = Session()
    session.send()
    session.source.lost = 5

    with pytest.raises(TransactionRolledBackException, match="send its messages again"):
        session.transaction.commit()
    session.send()
    session.transaction.commit()

    assert [transaction.ended for transaction in session.begun] == ["aborted", "committed"]


def test_a_loss_after_a_receipt_rolls_back_and_leaves_the_repeat_to_the_broker() -> None:
    session = Session()
    session.deliver("m1")
    session.source.lost = 5

    with pytest.raises(TransactionRolledBackException):
        session.transaction.commit()

    assert session.source.noted() == [("ignore", "m1")]


@pytest.mark.parametrize("received", [False, True], ids=["first", "after a receipt"])
def test_a_loss_during_a_send_is_forgiven_to_what_opens_a_transaction(
    received: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    if received:
        session.deliver("m1")
    source = session.source
    plain = source.send

    def send_and_lose(*arguments: Any) -> SimpleNamespace:
        source.lost += 1
        return plain(*arguments)

    monkeypatch.setattr(source, "send", send_and_lose)
    session.send()

    if received:
        with pytest.raises(TransactionRolledBackException):
            session.transaction.commit()
    else:
        session.transaction.commit()
    assert session.begun[0].ended == ("aborted" if received else "committed")


def test_a_commit_in_flight_fails_with_its_connection() -> None:
    session = Session()
    session.send()
    session.begun[0].during = lambda: setattr(session.source, "lost", 5)

    with pytest.raises(TransactionRolledBackException, match="given up"):
        session.transaction.commit()

    session.transaction.commit()  # the next one, which is empty


def test_rollback_after_a_loss_aborts_and_gives_nothing_back() -> None:
    session = Session()
    session.deliver("m1")
    session.send()
    session.source.lost = 5

    session.transaction.rollback()

    assert session.source.noted() == [("send", ""), ("ignore", "m1")]
    assert session.begun[0].ended == "aborted"


# -- a commit that is given up ---------------------------------------------------------------------


class Unanswered:
    """A future that never comes."""

    def isDone(self) -> bool:  # noqa: N802
        return False

    def get(self, *within: object) -> None:
        raise TimeoutException


class TimeoutException(Exception):
    """As Java calls it."""


def test_a_commit_without_an_answer_is_given_up() -> None:
    looks = iter([False, True])
    native = SimpleNamespace(commit=Unanswered)
    classes = SimpleNamespace(error=(TimeoutException,), milliseconds="ms")
    transaction = JavaTransaction(native, cast(Any, classes))

    with pytest.raises(TransactionRolledBackException, match="commit was on its way"):
        transaction.commit(lambda: next(looks))
