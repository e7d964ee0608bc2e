"""Questions to an Artemis broker about itself, over AMQP 1.0: its management address.

A question is a message with the name of a resource (`broker`, `queue.NAME`, `address.NAME`) and of
an attribute or operation; the answer comes to a temporary queue, as JSON (Artemis user manual,
"Management via JMS or AMQP"). None of the client under test is involved.
"""

from __future__ import annotations

import json
from typing import Any

from jms_brokers.amqp import messages
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.connection import AmqpConnection
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.errors import BrokerError
from jms_brokers.families.artemis.configuration import MANAGEMENT

_GONE_MEANWHILE = '.server.Queue.isAutoCreated()" because "q" is null'
"""How the broker fails to list what it has while one of its queues goes."""


class Management:
    """The management of the broker at the other end of `connection`, which stays its owner's."""

    def __init__(self, connection: AmqpConnection) -> None:
        self._connection = connection
        self._asking = connection.sender(MANAGEMENT)
        self._answers = connection.receiver(None)

    def attribute(self, resource: str, name: str) -> Any:
        """The value of an attribute; `BrokerError` where there is no such resource."""
        return self._ask(resource, "_AMQ_Attribute", name, [])

    def operation(self, resource: str, name: str, *arguments: Any) -> Any:
        """What an operation returns; `BrokerError` with the broker's words when it fails."""
        return self._ask(resource, "_AMQ_OperationName", name, list(arguments))

    def queue(self, name: str) -> dict[str, str] | None:
        """What the broker says of a queue, all at one moment; None where there is none."""
        queues = self._listed("listQueues", "name", name)
        return queues[0] if queues else None

    def queues_of(self, address: str) -> list[dict[str, str]]:
        """What the broker says of the queues at an address, a hundred at most."""
        return self._listed("listQueues", "address", address)

    def consumers_of(self, queue: str) -> list[dict[str, str]]:
        """What the broker says of the consumers of a queue, a hundred at most."""
        return self._listed("listConsumers", "queue", queue)

    def producers_of(self, address: str) -> list[dict[str, str]]:
        """What the broker says of the producers to an address, a hundred at most."""
        return self._listed("listProducers", "address", address)

    def has_address(self, name: str) -> bool:
        """Whether there is an address of this name."""
        return name in self.attribute("broker", "addressNames")

    def _listed(
        self, operation: str, field: str, value: str, questions: int = 3
    ) -> list[dict[str, str]]:
        wanted = json.dumps({"field": field, "operation": "EQUALS", "value": value})
        try:
            answer = json.loads(self.operation("broker", operation, wanted, 1, 100))
        except BrokerError as error:
            if questions > 1 and _GONE_MEANWHILE in str(error):
                return self._listed(operation, field, value, questions - 1)
            raise
        return [dict(each) for each in answer["data"]]

    def _ask(self, resource: str, kind: str, name: str, arguments: list[Any]) -> Any:
        question = AmqpMessage(
            json.dumps(arguments),
            properties=composite("properties", reply_to=self._answers.address),
            application={"_AMQ_ResourceName": resource, kind: name},
        )
        self._connection.send(self._asking, messages.write(question))
        delivery = self._connection.receive(self._answers)
        self._connection.accept(delivery)
        answer = messages.read(delivery.payload)
        told = json.loads(answer.text) if answer.text else None
        if not answer.application.get("_AMQ_OperationSucceeded", False):
            raise BrokerError(
                f"The broker does not tell {name} of {resource}: {told}",
                hint="May this user send to the broker's management address?",
            )
        return told[0] if isinstance(told, list) and told else told
