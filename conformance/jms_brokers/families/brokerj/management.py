"""Questions to a Broker-J about itself, over AMQP 1.0: the node `$management` of its virtual host.

A question names a type, an operation and an object by its path; the answer comes to a temporary
queue with a status as in HTTP (AMQP Management 1.0, working draft; Broker-J manual, "AMQP
Intrinsic Management"). None of the client under test is involved.
"""

from __future__ import annotations

from typing import Any

from jms_brokers.amqp import messages
from jms_brokers.amqp.composites import composite
from jms_brokers.amqp.connection import AmqpConnection
from jms_brokers.amqp.messages import AmqpMessage
from jms_brokers.errors import BrokerError

_NODE = "$management"
_OK, _NOT_FOUND = 200, 404


class Management:
    """The management of the broker at the other end of `connection`, which stays its owner's."""

    def __init__(self, connection: AmqpConnection) -> None:
        self._connection = connection
        self._asking = connection.sender(_NODE)
        self._answers = connection.receiver(None)

    def of_queue(self, name: str, operation: str) -> Any:
        """What an operation on a queue returns; None where there is no such queue."""
        return self._ask("Queue", operation, {"index": "object-path", "key": _path(name)})

    def exchange(self, name: str) -> Any:
        """The attributes of an exchange; None where there is none of this name."""
        asked = {"index": "object-path", "key": _path(name), "actuals": False}
        return self._ask("Exchange", "READ", asked)

    def consumers(self) -> list[dict[str, Any]]:
        """The attributes of every consumer."""
        asked = {"identity": "self", "entityType": "org.apache.qpid.Consumer"}
        table = self._ask("", "QUERY", asked)
        return [dict(zip(table["attributeNames"], row, strict=True)) for row in table["results"]]

    def _ask(self, kind: str, operation: str, asked: dict[str, Any]) -> Any:
        question = AmqpMessage(
            {},
            properties=composite("properties", reply_to=self._answers.address),
            application={
                "type": f"org.apache.qpid.{kind}" if kind else "org.amqp.management",
                "operation": operation,
                **asked,
            },
        )
        self._connection.send(self._asking, messages.write(question))
        delivery = self._connection.receive(self._answers)
        self._connection.accept(delivery)
        answer = messages.read(delivery.payload)
        status = answer.application["statusCode"]
        if status == _NOT_FOUND:
            return None
        if status != _OK:
            why = answer.application.get("statusDescription", status)
            raise BrokerError(
                f"The broker does not tell {operation} of {asked}: {why}",
                hint="May this user ask the broker about itself?",
            )
        return answer.value


def _path(name: str) -> str:
    """The path of an object below the virtual host."""
    return name.replace("\\", "\\\\").replace("/", "\\/")
