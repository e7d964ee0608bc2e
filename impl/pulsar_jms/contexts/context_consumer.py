"""The consumer of the simplified API (JMS 2.0, section 8.1)."""

from __future__ import annotations

from jmsapi import Message, MessageListener
from jmsapi.messages import Body
from pulsar_jms.closing import ContextManaged
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.contexts.unchecked import unchecked
from pulsar_jms.implements import implements


@implements("API-JCONS-001..002")
class PulsarJMSConsumer(ContextManaged):
    """A consumer that throws unchecked exceptions and can give bare bodies."""

    def __init__(self, consumer: PulsarMessageConsumer) -> None:
        self._consumer = consumer

    @property
    @unchecked
    def message_selector(self) -> str | None:
        """The selector, None where there is none."""
        return self._consumer.message_selector

    @property
    @unchecked
    def message_listener(self) -> MessageListener | None:
        """Called with each message on the session's thread; None to receive by call."""
        return self._consumer.message_listener

    @message_listener.setter
    @unchecked
    def message_listener(self, listener: MessageListener | None) -> None:
        self._consumer.message_listener = listener

    @unchecked
    def receive(self, timeout: int | None = None) -> Message | None:
        """The next message; waits `timeout` ms, for ever when None or 0."""
        return self._consumer.receive(timeout)

    @unchecked
    def receive_no_wait(self) -> Message | None:
        """A message that has arrived, else None."""
        return self._consumer.receive_no_wait()

    @unchecked
    @implements("JMS-CTX-010")
    def receive_body(self, kind: type[Body], timeout: int | None = None) -> Body | None:
        """The body of the next message as `kind`.

        With the wrong kind `MessageFormatRuntimeException`; where the mode acknowledges by
        itself, the message is then not acknowledged and comes again.
        """
        return self._consumer.receive_body(kind, timeout)

    @unchecked
    def receive_body_no_wait(self, kind: type[Body]) -> Body | None:
        """The body of a message that has arrived, as `kind`, else None."""
        return self._consumer.receive_body(kind, None, wait=False)

    @unchecked
    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()
