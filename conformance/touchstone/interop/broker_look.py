"""What the broker itself says of an exchange: none of the clients takes part in it."""

from __future__ import annotations

import uuid
from contextlib import closing, suppress

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError, HintedError
from jms_brokers.families.pulsar.admin import PulsarAdmin
from jms_brokers.families.pulsar.client import IndependentClient
from jms_brokers.families.pulsar.rest import PulsarRest
from jms_brokers.families.pulsar.wire import PulsarWire
from jms_brokers.machine.polling import until
from touchstone.interop.telling import Missing

_SUBSCRIPTION = "jms-queue"
_WITHIN = 20.0
"""Seconds within which the broker shows what a client has done."""


class BrokerLook:
    """The broker's own view of the namespace of a run; made with it."""

    def __init__(self, address: BrokerAddress, namespace: str) -> None:
        self._namespace = namespace
        self._rest = PulsarRest(address)
        self._independent = IndependentClient(address)
        self._rest.create_namespace(namespace)
        self._admin = PulsarAdmin(self._rest, namespace)
        self._wire = PulsarWire(self._rest, self._independent, namespace)

    def close(self) -> None:
        """Give the connections to the broker back."""
        self._rest.close()
        self._independent.close()

    def problem(self) -> str:
        """What a message of the harness's own client shows to be wrong; empty when it came."""
        try:
            self._independent.round_trip(
                f"persistent://{self._namespace}/control-{uuid.uuid4().hex}"
            )
        except HintedError as error:
            return error.what
        return ""

    def create_topic(self, name: str, partitions: int) -> None:
        """Create a partitioned topic."""
        self._admin.create_topic(name, partitions)

    def await_given_out(self, name: str, count: int) -> None:
        """Wait until so many messages of a queue are with its consumer's client."""
        until(
            lambda: self._admin.subscription(name, _SUBSCRIPTION).msg_out_counter >= count, _WITHIN
        )

    def await_message(self, name: str) -> None:
        """Wait until a topic holds a message, `Missing` when it never does.

        Before that nobody looks at it: who opens a subscription while another is being made on a
        new topic may wait for long.
        """
        try:
            until(
                lambda: self._admin.exists(name) and self._admin.stats(name)["msgInCounter"],
                _WITHIN,
            )
        except AssertionError:
            raise Missing(f"nothing came to {name} within {_WITHIN:g} s") from None

    def left(self, name: str) -> int:
        """What a queue has not been acknowledged, once that is nothing or stays."""
        with suppress(AssertionError):
            until(lambda: self._admin.backlog(name) == 0, _WITHIN)
        return self._admin.backlog(name)

    def sequence_ids(self, name: str) -> list[int]:
        """Pulsar's sequence ids of the messages of a topic, in order."""
        return [message.sequence_id for message in self._wire.messages(name)]

    def require_parts(self, name: str, least: int) -> None:
        """`BrokerError` where a topic holds its only message in fewer parts than `least`."""
        parts = int(self._admin.stats(name)["msgInCounter"])
        if parts < least:
            raise BrokerError(
                f"{name} holds its message in {parts} part: this broker takes larger messages",
                hint="Set its maxMessageSize to the default of 5 MiB.",
            )


def forget(address: BrokerAddress, namespace: str) -> None:
    """Delete what a run left on the broker, where the broker allows that."""
    with closing(PulsarRest(address)) as rest, suppress(HintedError):
        rest.request("DELETE", f"namespaces/{namespace}", params={"force": True})
