"""Sends that do not wait: begun on the caller's thread, reported on the session's."""

from __future__ import annotations

from jmsapi import CompletionListener, JMSException, Message
from pulsar_jms.implements import implements
from pulsar_jms.messages import mark_sent
from pulsar_jms.producing.completions import Completions
from pulsar_jms.transport.transport_protocol import BrokerTransaction, TransportProducer
from pulsar_jms.transport.wire_messages import OutgoingMessage


@implements("JMS-ASY-001", "JMS-ASY-003", "JMS-ASY-010", "SLJ-ASY-001")
def start_send(
    completions: Completions,
    transport_producer: TransportProducer,
    outgoing: OutgoingMessage,
    message: Message,
    listener: CompletionListener,
    transaction: BrokerTransaction | None = None,
) -> None:
    """Begin a send of `message`, whose outcome is reported to the listener exactly once.

    `JMSException`, and no call of the listener, where the send cannot begin.
    """
    send = _Send(completions, transport_producer, message, listener)
    completions.expect(send)
    try:
        transport_producer.send_async(outgoing, send, transaction)
    except JMSException:
        send.cancel()
        raise


class _Send:
    """A send on its way; called with its outcome by a thread of the transport.

    One object without a dictionary: thousands may be on their way, and the garbage collector
    visits each.
    """

    __slots__ = (
        "_completions",
        "_listener",
        "_message",
        "_outcome",
        "_transport_producer",
        "known",
    )

    def __init__(
        self,
        completions: Completions,
        transport_producer: TransportProducer,
        message: Message,
        listener: CompletionListener,
    ) -> None:
        self._completions = completions
        self._transport_producer = transport_producer
        self._message = message
        self._listener = listener
        self._outcome: tuple[object, ...] = ()
        self.known = False

    def __call__(self, *outcome: object) -> None:
        self._outcome = outcome
        self._completions.add(self)

    def cancel(self) -> None:
        """The send did not begin: nothing is reported to the listener."""
        self._completions.add(self)

    @implements("JMS-ASY-002", "JMS-ASY-004", "JMS-ASY-009")
    def tell(self) -> None:
        """Report to the listener."""
        if not self._outcome:
            return
        try:
            stored = self._transport_producer.read_outcome(*self._outcome)
        except JMSException as error:
            self._listener.on_exception(self._message, error)
        else:
            mark_sent(self._message, stored)
            self._listener.on_completion(self._message)
