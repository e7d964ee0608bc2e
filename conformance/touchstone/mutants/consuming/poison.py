"""Clients that are wrong about what to do with a message that cannot be read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary, WeakSet

from jmsapi import JMSException, Message, MessageListener
from pulsar_jms.consuming.browser import PulsarEnumeration
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from touchstone.mutants.registry import UNREADABLE, Mutant

_close = PulsarSession.close
_decoded = PulsarMessageConsumer.decode
_deliver = Settlement.deliver
_next = PulsarEnumeration.__next__
_settle_received = Settlement._settle_received
_to_listener = Settlement.deliver_to_listener
_undelivered = Settlement.redeliver_failed
_FOR_LONG = 20.0
"""Seconds: longer than a scenario waits for close()."""
_struck: WeakSet[object] = WeakSet()
"""Consumers and settlements that have met a message that they could not read."""
_before: WeakKeyDictionary[PulsarMessageConsumer, DeliveredMessage] = WeakKeyDictionary()
"""By consumer, what it handed out last."""


def _foreign(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    kind: type | None,
) -> PulsarMessage | None:
    try:
        return _deliver(settlement, consumer, delivered, kind)
    except JMSException as error:
        raise KeyError("the body") from error


def _silent_from_then_on(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    if settlement not in _struck:
        try:
            _to_listener(settlement, consumer, delivered, listener)
        except Exception:
            _struck.add(settlement)
            raise


def _done_with(
    settlement: Settlement, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, error: Any
) -> None:
    consumer.receive_queue.acknowledge(delivered)


def _noted(
    settlement: Settlement, consumer: PulsarMessageConsumer, delivered: DeliveredMessage, error: Any
) -> None:
    _struck.add(consumer)
    _struck.add(settlement)
    _undelivered(settlement, consumer, delivered, error)


def _next_one_too(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    kind: type | None,
) -> PulsarMessage | None:
    if consumer not in _struck:
        return _deliver(settlement, consumer, delivered, kind)
    _struck.discard(consumer)
    consumer.receive_queue.acknowledge(delivered)
    return None


def _kept_for_again(consumer: PulsarMessageConsumer, delivered: DeliveredMessage) -> PulsarMessage:
    try:
        message = _decoded(consumer, delivered)
    except JMSException:
        if (again := _before.pop(consumer, None)) is not None:
            consumer.receive_queue.put_back(again)
        raise
    _before[consumer] = delivered
    return message


def _first_of_two_again(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    kind: type | None,
) -> PulsarMessage | None:
    again = _before.pop(consumer, None)
    if again is not None and consumer in _struck and _is_readable(consumer, delivered):
        _struck.discard(consumer)
        consumer.redelivery.repeats.note_nacked([again], tuple)
        consumer.receive_queue.put_back(delivered)
        consumer.receive_queue.put_back(again)
        return None
    message = _deliver(settlement, consumer, delivered, kind)
    _before[consumer] = delivered
    return message


def _is_readable(consumer: PulsarMessageConsumer, delivered: DeliveredMessage) -> bool:
    try:
        _decoded(consumer, delivered)
    except JMSException:
        return False
    return True


def _next_one_unsettled(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    message: PulsarMessage,
) -> None:
    if consumer not in _struck:
        _settle_received(settlement, consumer, delivered, message)
    _struck.discard(consumer)


def _ends_there(enumeration: PulsarEnumeration) -> Message:
    try:
        return _next(enumeration)
    except JMSException:
        enumeration._stretches.clear()
        raise


def _waits(session: PulsarSession) -> None:
    if session.settlement in _struck:
        threading.Event().wait(_FOR_LONG)
    _close(session)


@contextmanager
def _both(attribute: str, replacement: object, owner: type = Settlement) -> Iterator[None]:
    """Messages that cannot be read are noted, and what follows them is wrong."""
    with (
        patch.object(Settlement, "redeliver_failed", _noted),
        patch.object(owner, attribute, replacement),
    ):
        yield


UNREADABLE_MESSAGES_RAISE_ANYTHING = Mutant(
    name="unreadable-messages-raise-anything",
    area="exceptions",
    violates=("JMS-ERR-026",),
    doc="receive() of a message that cannot be read raises a KeyError.",
    apply=partial(patch.object, Settlement, "deliver", _foreign),
    scenarios=UNREADABLE,
)
UNREADABLE_MESSAGES_END_LISTENERS = Mutant(
    name="unreadable-messages-end-listeners",
    area="listeners",
    violates=("JMS-LSN-001",),
    doc="Behind a message that cannot be read no listener of the session gets anything.",
    apply=partial(patch.object, Settlement, "deliver_to_listener", _silent_from_then_on),
    scenarios=UNREADABLE,
)
UNREADABLE_MESSAGES_ARE_DONE = Mutant(
    name="unreadable-messages-are-done",
    area="acknowledgement",
    violates=("JMS-ACK-003", "JMS-ACK-004"),
    doc="A message that cannot be read is acknowledged, and nobody has seen it.",
    apply=partial(patch.object, Settlement, "redeliver_failed", _done_with),
    scenarios=UNREADABLE,
)
UNREADABLE_MESSAGES_TAKE_THE_NEXT = Mutant(
    name="unreadable-messages-take-the-next",
    area="consumers",
    violates=("JMS-CONS-001",),
    doc="With a message that cannot be read the one behind it is gone, too.",
    apply=partial(_both, "deliver", _next_one_too),
    scenarios=UNREADABLE,
)
UNREADABLE_MESSAGES_BRING_THE_LAST_AGAIN = Mutant(
    name="unreadable-messages-bring-the-last-again",
    area="redelivery",
    violates=("JMS-REDL-007",),
    doc="A message that cannot be read has the one before it handed out again.",
    apply=partial(patch.object, PulsarMessageConsumer, "decode", _kept_for_again),
    scenarios=UNREADABLE,
)
UNREADABLE_MESSAGES_BRING_THE_FIRST_OF_TWO_AGAIN = Mutant(
    name="unreadable-messages-bring-the-first-of-two-again",
    area="redelivery",
    violates=("JMS-REDL-007",),
    doc="Of two good messages behind one that cannot be read the first is handed out twice.",
    apply=partial(_both, "deliver", _first_of_two_again),
    scenarios=UNREADABLE,
)
UNREADABLE_MESSAGES_LEAVE_THE_NEXT_UNSETTLED = Mutant(
    name="unreadable-messages-leave-the-next-unsettled",
    area="redelivery",
    violates=("JMS-REDL-007",),
    doc="The message behind one that cannot be read is not acknowledged, and comes again.",
    apply=partial(_both, "_settle_received", _next_one_unsettled),
    scenarios=UNREADABLE,
)
BROWSER_ENDS_AT_WHAT_IS_UNREADABLE = Mutant(
    name="browser-ends-at-what-is-unreadable",
    area="browser",
    violates=("JMS-BRW-002",),
    doc="A browser shows nothing behind a message that it cannot read.",
    apply=partial(patch.object, PulsarEnumeration, "__next__", _ends_there),
    scenarios=UNREADABLE,
)
CLOSE_HANGS_AFTER_WHAT_IS_UNREADABLE = Mutant(
    name="close-hangs-after-what-is-unreadable",
    area="sessions",
    violates=("JMS-SESS-007",),
    doc="close() of a session that could not read a message does not come back.",
    apply=partial(_both, "close", _waits, PulsarSession),
    scenarios=UNREADABLE,
)
