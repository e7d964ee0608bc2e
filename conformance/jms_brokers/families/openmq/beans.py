"""What an OpenMQ broker's beans report: counts, consumers, and the messages of a queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.openmq.configuration import STOMP_PORT
from jms_brokers.shared.jolokia import Agent

_DOMAIN = "com.sun.messaging.jms.server"
_CONSUMERS = f"{_DOMAIN}:type=ConsumerManager,subtype=Monitor"
_MESSAGES = f"{_DOMAIN}:type=MessageManager,subtype="
_COUNTS = (
    "NumMsgs",
    "NumMsgsPendingAcks",
    "NumMsgsHeldInTransaction",
    "NumConsumers",
    "NumProducers",
)
QUEUE, TOPIC = "q", "t"
_WITHOUT_BODY = 6
"""The type of a message that is none of the five kinds with a body."""

_LISTS = 10
"""Requests for a list of consumers: of 636 beside two threads that did nothing but make and close
some 40 failed."""


@dataclass(frozen=True)
class DestinationCounts:
    """What there is of a destination at one moment."""

    messages: int = 0
    """Those that are not acknowledged and in no open transaction of their sender."""
    ready: int = 0
    """Those among them that are delivered to nobody, and not delayed."""
    consumers: int = 0
    producers: int = 0


class Beans:
    """The beans of one broker; what they do not report is a `BrokerError`."""

    def __init__(self, address: BrokerAddress) -> None:
        self._agent = Agent(address)

    def name_and_version(self) -> tuple[str, str]:
        """The broker's instance, and its version."""
        bean = f"{_DOMAIN}:type=Broker,subtype=Config"
        told = self._read(bean, "InstanceName", "Version") or {}
        return told.get("InstanceName", ""), told.get("Version", "").split(" ")[0]

    def stomp_port(self) -> int:
        """Where the broker's bridge for STOMP listens."""
        asked = {"type": "read", "mbean": "java.lang:type=Runtime", "attribute": "SystemProperties"}
        return int(self._agent.ask({**asked, "path": STOMP_PORT}))

    def counts(self, kind: str, name: str) -> DestinationCounts | None:
        """What the broker counts on a destination; None where there is none of this name."""
        bean = f'{_DOMAIN}:type=Destination,subtype=Monitor,desttype={kind},name="{name}"'
        told = self._read(bean, *_COUNTS)
        if told is None:
            return None
        messages, unacknowledged, held, consumers, producers = (told[each] for each in _COUNTS)
        return DestinationCounts(messages, messages + held - unacknowledged, consumers, producers)

    def consumers(self, kind: str, name: str) -> list[Mapping[str, Any]]:
        """The consumers of a destination, and its durable subscriptions that nobody uses."""
        return [
            each
            for each in self._list_consumers()
            if each["DestinationName"] == name and each["DestinationType"] == kind
        ]

    def messages(self, queue: str) -> list[Mapping[str, Any]]:
        """What there is of a queue's messages, in order, with their bodies if they have one."""
        return [
            self._messages(queue, each["MessageID"], body=True)[0]
            if each["MessageBodyType"] != _WITHOUT_BODY
            else each
            for each in self._messages(queue, None, body=False)
        ]

    def delete(self, queue: str, message_id: str) -> bool:
        """Remove a message; False where somebody has it."""
        try:
            self._execute(f"{_MESSAGES}Config", "deleteMessage", QUEUE, queue, message_id)
        except BrokerError:
            return False
        return True

    def close(self) -> None:
        """Give the connections back."""
        self._agent.close()

    def _list_consumers(self) -> Sequence[Mapping[str, Any]]:
        """All consumers; a list in which one is closed meanwhile the broker fails to make."""
        for _ in range(_LISTS - 1):
            with suppress(BrokerError):
                return self._execute(_CONSUMERS, "getConsumerInfo") or ()
        return self._execute(_CONSUMERS, "getConsumerInfo") or ()

    def _messages(
        self, queue: str, message_id: str | None, *, body: bool
    ) -> list[Mapping[str, Any]]:
        bean = f"{_MESSAGES}Monitor"
        arguments = (QUEUE, queue, message_id, None, None, body)
        return list(self._execute(bean, "getMessageInfo", *arguments) or ())

    def _read(self, bean: str, *attributes: str) -> Mapping[str, Any] | None:
        told: Mapping[str, Any] | None = self._agent.ask(
            {"type": "read", "mbean": bean, "attribute": attributes}
        )
        return told

    def _execute(self, bean: str, operation: str, *arguments: object) -> Any:
        return self._agent.ask(
            {"type": "exec", "mbean": bean, "operation": operation, "arguments": arguments}
        )
