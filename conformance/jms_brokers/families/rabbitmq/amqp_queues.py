"""Queues of a RabbitMQ broker whose clients speak AMQP 1.0, by pika all the same.

The plug-in of 3.x keeps the sections of such a message as headers of AMQP 0-9-1, the body as it is:
encoded where it is no bare data (`rabbit_amqp1_0_message`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jms_brokers.amqp import messages
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.queues import carried_message
from jms_brokers.amqp.values import AmqpError
from jms_brokers.damage import Part, Poison
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq.queues import PERSISTENT, RabbitQueues
from jms_brokers.shared.queue_view import Carried
from jmsapi import Destination, Queue

_ENCODED = "amqp-1.0"
"""The type of a message whose body is encoded sections."""
_SECTIONS = tuple(
    f"x-amqp-1.0-{name}" for name in ("message-annotations", "properties", "app-properties")
)


class QueuesOfAmqp(RabbitQueues):
    """See `QueueView`."""

    def send(self, queue: Queue, text: str) -> None:
        """A text message as AMQP 1.0 has it, confirmed by the broker."""
        self._send(queue, messages.write(AmqpMessage(text)), type=_ENCODED)

    def take(self, queue: Queue) -> list[str]:
        """See `QueueView`; of a message that is no text the representation of its body."""
        taken = self._messages(queue)
        return [repr(each.value) if each.text is None else each.text for each in taken]

    def carried(self, queue: Queue) -> list[Carried]:
        """The messages that are ready."""
        return [carried_message(message) for message in self._messages(queue)]

    def poisons(self, part: Part) -> tuple[str, ...]:
        """None: the plug-in reads the sections of what is sent to it."""
        return ()

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """Impossible, as there are no kinds of damage."""
        raise BrokerError(
            f"Nothing damaged can be brought to {destination} as a message of AMQP 1.0",
            hint="Ask for the kinds of damage first: `poisons`.",
        )

    def _messages(self, queue: Queue) -> list[AmqpMessage]:
        try:
            return [stored_message(properties, body) for properties, body in self._taken(queue)]
        except AmqpError as error:
            raise BrokerError(
                f"The queue {queue.queue_name} holds what is no message of AMQP 1.0 ({error})",
                hint="Was it sent by a client of AMQP 0-9-1?",
            ) from error


def stored_message(told: Any, body: bytes) -> AmqpMessage:
    """The message of AMQP 1.0 that is kept with these properties of AMQP 0-9-1 and this body.

    `AmqpError` where its sections cannot be read.
    """
    headers: Mapping[str, str | bytes] = told.headers or {}
    sections = [headers.get(name, b"") for name in _SECTIONS]
    payload = b"".join(each.encode() if isinstance(each, str) else each for each in sections)
    encoded = told.type == _ENCODED
    message = messages.read(payload + body if encoded else payload)
    header = composite("header", durable=told.delivery_mode == PERSISTENT)
    return replace(message, header=header, data=message.data if encoded else body)
