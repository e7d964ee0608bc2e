"""Request and reply over a temporary destination (JMS 2.0, sections 4.1.6 and 4.2.10).

As in Java these are classes of the API itself, made of calls that every client offers.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from jmsapi.destinations import Queue, TemporaryQueue, TemporaryTopic, Topic
from jmsapi.errors import InvalidDestinationException
from jmsapi.messages import Message
from jmsapi.messaging import Session


class _Requestor:
    def __init__(
        self, session: Session, to: Queue | Topic, replies: TemporaryQueue | TemporaryTopic
    ) -> None:
        self._session = session
        self._replies = replies
        self._producer = session.create_producer(to)
        self._consumer = session.create_consumer(replies)

    def request(self, message: Message) -> Message | None:
        """Send `message` with the temporary destination as JMSReplyTo and wait for the reply.

        Waits for ever; None when the requestor is closed meanwhile.
        """
        message.jms_reply_to = self._replies
        self._producer.send(message)
        return self._consumer.receive()

    def close(self) -> None:
        """Close the session and delete the temporary destination."""
        self._session.close()
        self._replies.delete()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class QueueRequestor(_Requestor):
    """Sends requests to a queue and receives each reply on a temporary queue."""

    def __init__(self, session: Session, queue: Queue) -> None:
        """`session` is not transacted, in AUTO_ACKNOWLEDGE or DUPS_OK_ACKNOWLEDGE, and is closed
        with the requestor. `InvalidDestinationException` without a queue.
        """
        if not isinstance(queue, Queue):
            raise InvalidDestinationException(f"A QueueRequestor needs a queue, not {queue!r}")
        super().__init__(session, queue, session.create_temporary_queue())


class TopicRequestor(_Requestor):
    """Publishes requests to a topic and receives each reply on a temporary topic."""

    def __init__(self, session: Session, topic: Topic) -> None:
        """`session` as for a `QueueRequestor`. `InvalidDestinationException` without a topic."""
        if not isinstance(topic, Topic):
            raise InvalidDestinationException(f"A TopicRequestor needs a topic, not {topic!r}")
        super().__init__(session, topic, session.create_temporary_topic())
