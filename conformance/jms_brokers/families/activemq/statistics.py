"""Questions to an ActiveMQ broker about its destinations, over AMQP 1.0: the statistics plug-in.

A question is a message to `ActiveMQ.Statistics.Destination.NAME`, of the destination's own kind;
the answer comes to a temporary queue, as a map for each destination that matches and an empty one
at the end (ActiveMQ Classic, "StatisticsPlugin"). None of the client under test is involved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jms_brokers.amqp import messages
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.connection import AmqpConnection
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.amqp.values import AmqpError, Value
from jms_brokers.families.activemq.configuration import STATISTICS

Kind = Literal["queue", "topic", "temp-queue", "temp-topic"]
_END = f"{STATISTICS}List.End.With.Null"
"""The property of a question that asks for the empty answer at the end."""


@dataclass(frozen=True)
class DestinationCounts:
    """What there is of a destination at one moment."""

    messages: int = 0
    """Those that are not acknowledged."""
    delivered: int = 0
    """Those among them that a consumer has."""
    consumers: int = 0
    producers: int = 0


class BrokerStatistics:
    """The statistics of the broker at the other end of `connection`, which stays its owner's."""

    def __init__(self, connection: AmqpConnection) -> None:
        self._connection = connection
        # A link to the destination of the questions would make a queue of each.
        self._asking = connection.sender(None)
        self._answers = connection.receiver(None)

    def of(self, kind: Kind, name: str) -> DestinationCounts | None:
        """What the broker counts on a destination; None where there is none of this name."""
        destination = f"{kind}://{name}"
        question = AmqpMessage(
            "",
            properties=composite(
                "properties",
                to=f"{kind}://{STATISTICS}{name}",
                reply_to=self._answers.address,
            ),
            application={_END: "true"},
        )
        self._connection.send(self._asking, messages.write(question))
        counts = None
        # The broker takes the name for a pattern, which others may match.
        while told := self._answer():
            if told["destinationName"] == destination:
                counts = DestinationCounts(
                    told["size"],
                    told["inflightCount"],
                    told["consumerCount"],
                    told["producerCount"],
                )
        return counts

    def _answer(self) -> dict[Value, Value]:
        delivery = self._connection.receive(self._answers)
        self._connection.accept(delivery)
        answer = messages.read(delivery.payload).value
        if not isinstance(answer, dict):
            raise AmqpError(f"an answer of the statistics plug-in is no map: {answer!r}")
        return answer
