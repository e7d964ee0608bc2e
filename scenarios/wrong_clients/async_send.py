"""Clients that are wrong about asynchronous sends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from typing import Any

import _pulsar

from jms_clients.mutants.wrong import wrong
from jmsapi import IllegalStateException, JMSException
from pulsar_jms.messages import PulsarTextMessage, mark_sent
from pulsar_jms.producing import async_send
from pulsar_jms.producing import producer as producers
from pulsar_jms.producing.async_send import _Send, start_send
from pulsar_jms.producing.completions import Completions, PendingSend
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.transport.pulsar_client.pulsar_errors import OK
from pulsar_jms.transport.pulsar_client.pulsar_producer import PulsarClientProducer
from pulsar_jms.transport.transport_protocol import SendCallback
from pulsar_jms.transport.wire_messages import OutgoingMessage

_waits = count(1)


class _Deaf:
    def on_completion(self, message: Any) -> None:
        """Told already."""

    def on_exception(self, message: Any, exception: Exception) -> None:
        """Told already."""


@wrong("JMS-ASY-002", patches=(producers, "start_send"))
def told_before_it_is_sent(
    completions: Completions,
    transport_producer: Any,
    outgoing: Any,
    message: Any,
    listener: Any,
    *more: Any,
) -> None:
    """onCompletion is called before the broker has confirmed."""
    threading.Thread(target=listener.on_completion, args=(message,)).start()
    start_send(completions, transport_producer, outgoing, message, _Deaf(), *more)


@wrong("JMS-ASY-003", patches=(PulsarMessageProducer, "send"))
def refusals_are_told(
    original: Callable[..., None], producer: PulsarMessageProducer, message: Any, **options: Any
) -> None:
    """What send() refuses goes to onException."""
    try:
        original(producer, message, **options)
    except JMSException as error:
        if (listener := options.get("completion_listener")) is None:
            raise
        listener.on_exception(message, error)


@wrong("JMS-ASY-006", "JMS-ASY-007", patches=(Completions, "wait"))
def close_leaves_callbacks_behind(completions: Any) -> None:
    """Neither close() nor commit() waits for callbacks."""


@wrong("JMS-ASY-008", patches=(PulsarSession, "check_no_completion"))
def callbacks_end_what_they_like(session: Any, what: Any) -> None:
    """A callback may close its producer."""


def _report_outcome(completions: Completions, outcome: PendingSend) -> None:
    outcome.tell()
    completions._open.remove(outcome)
    with completions._lock:
        completions._changed.notify_all()


@wrong("JMS-ASY-011", patches=(Completions, "add"))
def callbacks_at_once(completions: Completions, outcome: PendingSend) -> None:
    """Each callback runs on a thread of its own."""
    threading.Thread(target=_report_outcome, args=(completions, outcome)).start()


@wrong("JMS-ASY-005", patches=(PulsarClientProducer, "_let_arrive"))
def one_waiting_send_in_two_hundred_overtakes(
    original: Callable[..., None], transport_producer: PulsarClientProducer
) -> None:
    """Now and then a send that waits arrives before the asynchronous ones behind which it is."""
    if next(_waits) % 200:
        original(transport_producer)


@wrong("JMS-ASY-012", patches=(_Send, "__call__"), scenarios="told_in_its_turn")
def failures_overtake(original: Callable[..., None], send: _Send, *outcome: Any) -> None:
    """A send that fails is told at once, before those whose outcome is not known yet."""
    if int(outcome[0]) != OK:
        send._listener.on_exception(send._message, JMSException("It cannot be sent"))
        send.cancel()
    else:
        original(send, *outcome)


@wrong("JMS-ASY-013", patches=(producers, "start_send"))
def sender_is_told(
    completions: Completions,
    transport_producer: Any,
    outgoing: Any,
    message: Any,
    listener: Any,
    *more: Any,
) -> None:
    """The thread that sends runs the callback."""
    stored = transport_producer.send(outgoing)
    mark_sent(message, stored)
    listener.on_completion(message)


@wrong("SLJ-ASY-001", patches=(PulsarClientProducer, "send_async"))
def asynchronous_send_waits(
    transport_producer: PulsarClientProducer,
    message: OutgoingMessage,
    outcome: SendCallback,
    transaction: object = None,
) -> None:
    """send() with a completion listener waits for the broker."""
    outcome(_pulsar.Result.Ok, transport_producer.send(message)._identifier)


@wrong("SLJ-ASY-001", patches=(async_send._Send, "tell"))
def another_message_completed(sent: async_send._Send) -> None:
    """The completion listener gets another message than the one sent."""
    sent._listener.on_completion(PulsarTextMessage("another message"))


@wrong("SLJ-ASY-002", patches=(Completions, "close"))
def close_refused_during_sends(completions: Completions) -> None:
    """A session does not close while asynchronous sends are outstanding."""
    if completions._open:
        raise IllegalStateException("Sends are outstanding")
