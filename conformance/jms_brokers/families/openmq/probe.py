"""What the harness has of its own on an OpenMQ broker."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import COMMON, as_client
from jms_brokers.errors import BrokerError
from jms_brokers.families.openmq.queues import OpenMqQueues
from jms_brokers.shared.named_destinations import NamedQueue


class OpenMqProbe:
    """A client of STOMP that sends, and beans of the broker that report and remove.

    Nothing keeps workers apart but the names, which are never used twice.
    """

    def __init__(self, address: BrokerAddress) -> None:
        self.address = address
        self.queues = OpenMqQueues(address)

    @property
    def settings(self) -> Mapping[str, object]:
        """How long messages live where an administrator limits that: a matter of the factory."""
        longest = COMMON[self.address.profile].limits.time_to_live
        if longest is None:
            return {}
        return {"imqOverrideJMSExpiration": True, "imqJMSExpiration": longest}

    def client_address(self, address: BrokerAddress) -> BrokerAddress:
        """`address` as the client's user, where there are users."""
        return as_client(address)

    def round_trip(self) -> float:
        """Seconds of a message on a fresh queue; `BrokerError` when it is lost."""
        queue = NamedQueue(f"control_{uuid.uuid4().hex}")
        began = time.monotonic()
        self.queues.send(queue, queue.queue_name)
        if self.queues.take(queue) != [queue.queue_name]:
            raise BrokerError(
                f"The broker {self.address.service_url} gave back another message than was sent",
                hint="Is somebody else at work on this broker?",
            )
        return time.monotonic() - began

    def close(self) -> None:
        """Give the connections back."""
        self.queues.close()
