"""Consumers and browsers of a Java JMS client, of both APIs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jms_clients.errors import ClientError
from jms_clients.java.destinations import DESTINATION
from jms_clients.java.listeners import Listening
from jms_clients.java.messages import MESSAGE, message_of
from jms_clients.java.objects import (
    BOOLEAN,
    CLASS,
    MILLISECONDS,
    OBJECT,
    TEXT,
    JavaResource,
    Jms,
    call,
    fact,
)
from jmsapi import Enumeration, Message

_PAST_THE_END = "java.util.NoSuchElementException"


class _Receiving(Listening, JavaResource):
    """What consumers of both APIs have alike."""

    message_selector = fact("getMessageSelector", TEXT)

    def receive(self, timeout: int | None = None) -> Message | None:
        """The next message; waits `timeout` ms, for ever when None or 0. None when none came."""
        args = () if timeout is None else (MILLISECONDS.to_java(self.jms, timeout),)
        received: Message | None = message_of(self.jms, self.call("receive", *args))
        return received

    receive_no_wait = call("receiveNoWait", gives=MESSAGE)


class JavaMessageConsumer(_Receiving):
    """A consumer."""

    declared = "MessageConsumer"


class JavaQueueReceiver(JavaMessageConsumer):
    """A consumer of a queue, by its older name."""

    declared = "QueueReceiver"
    queue = fact("getQueue", DESTINATION)


class JavaTopicSubscriber(JavaMessageConsumer):
    """A consumer of a topic, by its older name."""

    declared = "TopicSubscriber"
    topic = fact("getTopic", DESTINATION)
    no_local = fact("getNoLocal", BOOLEAN)


class JavaJMSConsumer(_Receiving):
    """The simplified API's consumer."""

    declared = "JMSConsumer"

    def receive_body(self, kind: type, timeout: int | None = None) -> Any:
        """The body of the next message as `kind`; waits as `receive` does."""
        args = [CLASS.to_java(self.jms, kind)]
        if timeout is not None:
            args.append(MILLISECONDS.to_java(self.jms, timeout))
        return OBJECT.from_java(self.jms, self.call("receiveBody", *args))

    receive_body_no_wait = call("receiveBodyNoWait", CLASS, gives=OBJECT)


class JavaQueueBrowser(JavaResource):
    """Looks at the messages of a queue."""

    declared = "QueueBrowser"

    queue = fact("getQueue", DESTINATION)
    message_selector = fact("getMessageSelector", TEXT)

    @property
    def enumeration(self) -> Enumeration:
        """The messages from now on, read as they are asked for."""
        return JavaEnumeration(self.jms, self.call("getEnumeration"))


class JavaEnumeration(Enumeration):
    """The messages of one look at a queue, read as they are asked for."""

    def __init__(self, jms: Jms, java: Any) -> None:
        self._jms = jms
        self._java = jms.cast(java, "java.util.Enumeration")

    def __iter__(self) -> Iterator[Message]:
        """The messages, as a loop in Java reads them: it asks first whether there is another."""
        while self.has_more_elements():
            yield next(self)

    def __next__(self) -> Message:
        """The next message; `StopIteration` where Java throws NoSuchElementException.

        `ClientError` for null, which Java's interface does not have.
        """
        java = self._next()
        if java is None:
            raise ClientError("nextElement() gave null")
        message: Message = message_of(self._jms, java)
        return message

    def has_more_elements(self) -> bool:
        """What Java says of another message."""
        return bool(self._jms.run(self._java.hasMoreElements))

    def _next(self) -> Any:
        try:
            return self._jms.run(self._java.nextElement)
        except ClientError as error:
            if not str(error).startswith(_PAST_THE_END):
                raise
        raise StopIteration
