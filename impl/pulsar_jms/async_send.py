"""Sends that do not wait: begun on the caller's thread, told on the session's."""

from __future__ import annotations

from jmsapi import CompletionListener, JMSException, Message
from pulsar_jms.completions import Completions
from pulsar_jms.messages import mark_sent
from pulsar_jms.transport.interface import BrokerTransaction, OutgoingMessage, Outlet


def start_send(
    completions: Completions,
    outlet: Outlet,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener,
    transaction: BrokerTransaction | None = None,
) -> None:
    """Begin a send of `message`, whose outcome the listener is told exactly once.

    `JMSException`, and no call of the listener, where the send cannot begin.
    """
    outcome = completions.expect(_tell, message, listener, outlet)
    try:
        outlet.send_async(outgoing, outcome, transaction)
    except JMSException:
        completions.cancelled()
        raise


def _tell(message: Message, listener: CompletionListener, outlet: Outlet, *outcome: object) -> None:
    try:
        stored = outlet.stored(*outcome)
    except JMSException as error:
        listener.on_exception(message, error)
    else:
        mark_sent(message, stored)
        listener.on_completion(message)
