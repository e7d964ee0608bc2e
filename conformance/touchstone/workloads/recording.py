"""The record of one producer or consumer, in the words of those at work."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Protocol

from jms_clients.errors import ClientError
from jms_histories.history.recorder import now
from jms_histories.values import NONE, Event, Settle, SettlementOutcome
from jmsapi import JMSException, Message, TransactionRolledBackException
from touchstone.workloads.messages import Read, Written

DELIVERY_COUNT = "JMSXDeliveryCount"
FAILURES = (JMSException, ClientError)
"""What a client may throw without the workload being at fault: it is recorded as its outcome."""


class Record(Protocol):
    """What of `SessionRecorder` is used here."""

    def sent_invoked(self, description: bytes, match: int = -1, cause: int = -1) -> int: ...
    def sent_ok(self, send: int, t: int, mid64: int = -1) -> None: ...
    def sent_failed(self, send: int) -> None: ...
    def delivered(
        self,
        description: bytes,
        consumer: int,
        sub: int,
        t_enter: int,
        t_exit: int,
        redelivered: bool,
        count: int,
        body64: int,
        head64: int,
        settle: int = 0,
        s_out: int = 3,
        s_inv: int = -1,
        s_ok: int = -1,
    ) -> int: ...
    def exited(self, ridx: int, t: int) -> None: ...
    def settling(self, ridx: int, settle: Settle, t: int) -> None: ...
    def settled(self, ridx: int, outcome: SettlementOutcome, t: int) -> None: ...
    def acknowledging(self, t: int) -> int: ...
    def recovering(self, t: int) -> int: ...
    def committing(self, t: int) -> int: ...
    def rolling_back(self, t: int) -> int: ...
    def ended(self, call: int, outcome: SettlementOutcome, t: int) -> None: ...
    def event(self, event: Event, t: int, arg: int = -1) -> None: ...


class SessionRecording:
    """What a session did; see `SessionRecorder` for the meaning of each entry."""

    def __init__(self, record: Record, sub: int = NONE) -> None:
        self._record: Record = record
        self._sub = sub
        self._consumer = NONE

    # -- sending -------------------------------------------------------------------------------

    def sending(self, written: Written, cause: int = NONE) -> int:
        """Before the call of send; the number by which it is completed."""
        return self._record.sent_invoked(written.raw, written.match, cause)

    def sent(self, send: int, message_id: str | None) -> None:
        """It returned, or its completion was told: by any thread."""
        self._record.sent_ok(send, now(), NONE if message_id is None else hashed(message_id))

    def refused(self, send: int) -> None:
        """It failed, and the message does not exist."""
        self._record.sent_failed(send)

    # -- receiving -----------------------------------------------------------------------------

    def received(self, message: Message, content: Read, entered: int, settle: Settle) -> int:
        """A message was returned by receive() at `entered`; with a `settle` that has settled it."""
        settled = settle is not Settle.NONE
        return self._record.delivered(
            content.raw,
            self._consumer,
            self._sub,
            entered,
            entered,
            message.jms_redelivered,
            delivery_count(message),
            content.body64,
            content.head64,
            settle,
            SettlementOutcome.OK if settled else SettlementOutcome.NONE,
            entered if settled else NONE,
            entered if settled else NONE,
        )

    def listening(self, message: Message, content: Read, entered: int) -> int:
        """A listener was called with a message at `entered`."""
        return self._record.delivered(
            content.raw,
            self._consumer,
            self._sub,
            entered,
            NONE,
            message.jms_redelivered,
            delivery_count(message),
            content.body64,
            content.head64,
        )

    def listened(self, delivery: int, settle: Settle) -> None:
        """The listener is about to return, or to throw, which settles the message."""
        at = now()
        self._record.exited(delivery, at)
        self._record.settling(delivery, settle, at)
        self._record.settled(delivery, SettlementOutcome.OK, at)

    # -- settling ------------------------------------------------------------------------------

    def acknowledged_alone(self, deliveries: list[int], calls: list[Callable[[], None]]) -> bool:
        """Acknowledge single deliveries by their calls, in turn; whether all returned."""
        good = True
        for delivery, call in zip(deliveries, calls, strict=True):
            self._record.settling(delivery, Settle.ACK, now())
            try:
                call()
            except FAILURES:
                good = False
            else:
                self._record.settled(delivery, SettlementOutcome.OK, now())
        return good

    def acknowledged(self, call: Callable[[], None]) -> bool:
        """acknowledge() of all that is open; whether it returned."""
        return self._called(self._record.acknowledging, call)

    def recovered(self, call: Callable[[], None]) -> bool:
        """recover(); whether it returned."""
        return self._called(self._record.recovering, call)

    def committed(self, call: Callable[[], None]) -> bool:
        """commit(); whether it returned, or said that it rolled back."""
        return self._called(self._record.committing, call)

    def rolled_back(self, call: Callable[[], None]) -> bool:
        """rollback(); whether it returned."""
        return self._called(self._record.rolling_back, call)

    def _called(self, begin: Callable[[int], int], call: Callable[[], None]) -> bool:
        number = begin(now())
        try:
            call()
        except TransactionRolledBackException:
            self._record.ended(number, SettlementOutcome.FAIL, NONE)
        except FAILURES:
            return False  # without an end the outcome is not known
        else:
            self._record.ended(number, SettlementOutcome.OK, now())
        return True

    def left(self, deliveries: list[int], *, transacted: bool) -> None:
        """The session is about to be closed: what it has not settled is given back by that."""
        at = now()
        if transacted:
            self._record.ended(self._record.rolling_back(at), SettlementOutcome.OK, at)
            return
        for delivery in deliveries:
            self._record.settling(delivery, Settle.NACK, at)
            self._record.settled(delivery, SettlementOutcome.OK, at)

    # -- events --------------------------------------------------------------------------------

    def event(self, event: Event) -> None:
        """START, STOP or CLOSE, now."""
        self._record.event(event, now())

    def opening(self, consumer: int) -> None:
        """A consumer is about to open; what comes from now on is its."""
        self._consumer = consumer
        self._record.event(Event.CONSUMER_OPEN, now(), consumer)

    def opened(self) -> None:
        """It has opened."""
        self._record.event(Event.CONSUMER_OPEN, now(), self._consumer)

    def closing(self) -> None:
        """The consumer is about to close; called once more when it has."""
        self._record.event(Event.CONSUMER_CLOSE, now(), self._consumer)


def delivery_count(message: Message) -> int:
    """JMSXDeliveryCount; -1 where the client has none."""
    if message.property_exists(DELIVERY_COUNT):
        return message.get_int_property(DELIVERY_COUNT)
    return NONE


def hashed(message_id: str) -> int:
    """64 bits of the hash of a JMSMessageID; never -1."""
    digest = blake2b(message_id.encode(), digest_size=8).digest()
    number = int.from_bytes(digest, "little", signed=True)
    return number if number != NONE else -2


class Silent:
    """A record of nothing, by which the cost of recording is measured."""

    def __getattr__(self, name: str) -> Callable[..., int]:
        return _record_nothing


def _record_nothing(*_: object) -> int:
    return 0
