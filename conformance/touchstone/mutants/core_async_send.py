"""Clients that break what the specification says of asynchronous sends."""

from __future__ import annotations

import threading
from functools import partial
from itertools import count
from typing import Any
from unittest.mock import patch

from jmsapi import JMSException
from pulsar_jms.messages import mark_sent
from pulsar_jms.producing import producer as producers
from pulsar_jms.producing.async_send import _Send, start_send
from pulsar_jms.producing.completions import Completions, PendingSend
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.transport.pulsar_client.pulsar_errors import OK
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from touchstone.mutants.registry import Mutant

_send = PulsarMessageProducer.send
_known = _Send.__call__
_let_arrive = PulsarClientProducer._let_arrive
_waits = count(1)


def _tell_at_once(
    completions: Completions,
    transport_producer: Any,
    outgoing: Any,
    message: Any,
    listener: Any,
    *more: Any,
) -> None:
    stored = transport_producer.send(outgoing)
    mark_sent(message, stored)
    listener.on_completion(message)


def _tell_before(
    completions: Completions,
    transport_producer: Any,
    outgoing: Any,
    message: Any,
    listener: Any,
    *more: Any,
) -> None:
    threading.Thread(target=listener.on_completion, args=(message,)).start()
    start_send(completions, transport_producer, outgoing, message, _Deaf(), *more)


class _Deaf:
    def on_completion(self, message: Any) -> None:
        """Told already."""

    def on_exception(self, message: Any, exception: Exception) -> None:
        """Told already."""


def _tell_by_threads(completions: Completions, outcome: PendingSend) -> None:
    threading.Thread(target=_told, args=(completions, outcome)).start()


def _told(completions: Completions, outcome: PendingSend) -> None:
    outcome.tell()
    completions._open.remove(outcome)
    with completions._lock:
        completions._changed.notify_all()


def _refusal_told(producer: PulsarMessageProducer, message: Any, **options: Any) -> None:
    try:
        _send(producer, message, **options)
    except JMSException as error:
        if (listener := options.get("completion_listener")) is None:
            raise
        listener.on_exception(message, error)


def _overtaking(transport_producer: PulsarClientProducer) -> None:
    if next(_waits) % 200:
        _let_arrive(transport_producer)


def _told_at_once_if_failed(send: _Send, *outcome: Any) -> None:
    if int(outcome[0]) != OK:
        send._listener.on_exception(send._message, JMSException("It cannot be sent"))
        send.cancel()
    else:
        _known(send, *outcome)


TOLD_BEFORE_IT_IS_SENT = Mutant(
    name="told-before-it-is-sent",
    area="async-send",
    violates=("JMS-ASY-002",),
    doc="onCompletion is called before the broker has confirmed.",
    apply=partial(patch.object, producers, "start_send", _tell_before),
)
REFUSALS_ARE_TOLD = Mutant(
    name="refusals-are-told",
    area="async-send",
    violates=("JMS-ASY-003",),
    doc="What send() refuses goes to onException.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _refusal_told),
)
CLOSE_LEAVES_CALLBACKS_BEHIND = Mutant(
    name="close-leaves-callbacks-behind",
    area="async-send",
    violates=("JMS-ASY-006", "JMS-ASY-007"),
    doc="Neither close() nor commit() waits for callbacks.",
    apply=partial(patch.object, Completions, "wait", lambda completions: None),
)
CALLBACKS_END_WHAT_THEY_LIKE = Mutant(
    name="callbacks-end-what-they-like",
    area="async-send",
    violates=("JMS-ASY-008",),
    doc="A callback may close its producer.",
    apply=partial(patch.object, PulsarSession, "check_no_completion", lambda session, what: None),
)
CALLBACKS_AT_ONCE = Mutant(
    name="callbacks-at-once",
    area="async-send",
    violates=("JMS-ASY-011",),
    doc="Each callback runs on a thread of its own.",
    apply=partial(patch.object, Completions, "add", _tell_by_threads),
)
ONE_WAITING_SEND_IN_TWO_HUNDRED_OVERTAKES = Mutant(
    name="one-waiting-send-in-two-hundred-overtakes",
    area="async-send",
    violates=("JMS-ASY-005",),
    doc="Now and then a send that waits arrives before the asynchronous ones behind which it is.",
    apply=partial(patch.object, PulsarClientProducer, "_let_arrive", _overtaking),
)
FAILURES_OVERTAKE = Mutant(
    name="failures-overtake",
    area="async-send",
    violates=("JMS-ASY-012",),
    doc="A send that fails is told at once, before those whose outcome is not known yet.",
    apply=partial(patch.object, _Send, "__call__", _told_at_once_if_failed),
    scenarios="told_in_its_turn",
)
SENDER_IS_TOLD = Mutant(
    name="sender-is-told",
    area="async-send",
    violates=("JMS-ASY-013",),
    doc="The thread that sends runs the callback.",
    apply=partial(patch.object, producers, "start_send", _tell_at_once),
)
