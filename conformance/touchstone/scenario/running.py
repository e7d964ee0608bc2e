"""What a worker has open for scenarios, and what one running scenario takes from it."""

from __future__ import annotations

import uuid
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import cached_property
from statistics import median
from typing import Protocol

from jmsapi import Queue, Topic
from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.errors import HarnessError, TouchstoneError
from touchstone.faults.interface import Faults
from touchstone.providers.interface import Client, Provider
from touchstone.providers.trace import Trace
from touchstone.scenario.deadline import Hung, within
from touchstone.scenario.log import Log
from touchstone.scenario.pulsar_admin import PulsarAdmin
from touchstone.scenario.pulsar_client import IndependentClient
from touchstone.scenario.pulsar_rest import PulsarRest
from touchstone.scenario.pulsar_wire import PulsarWire
from touchstone.scenario.under_test import OtherUnderTest, UnderTest

TENANT = "touchstone"
_CLIENT_ROLE = "client"
_CONTROL_WITHIN = 10.0
_LEAST_SLACK = 0.25
"""Seconds: what a busy machine may take at any time."""
_ROUND_TRIPS = 5
_SLACK_FACTOR = 10.0
"""How many times the usual round trip is still no fault of the client."""


class Brokers(Protocol):
    """Where a worker gets brokers from: those of the run, and private ones."""

    def lease(self, profile: str = "plain") -> AbstractContextManager[BrokerAddress]: ...
    def exclusive(self, profile: str = "plain") -> Broker: ...


class Connected:
    """One broker with the harness's own clients, a namespace and the provider opened on it."""

    def __init__(self, address: BrokerAddress, provider: Provider, namespace: str) -> None:
        self.address = address
        self.namespace = namespace
        self.rest = PulsarRest(address)
        self.independent = IndependentClient(address)
        self._provider = provider
        self._stack = ExitStack()
        self._stack.callback(self.rest.close)
        self._stack.callback(self.independent.close)
        self.rest.create_namespace(namespace)

    @cached_property
    def client(self) -> Client:
        """The provider, opened on this broker."""
        return self._stack.enter_context(self._provider.open(client_address(self.address)))

    def control(self) -> str | None:
        """What a message of the independent client shows to be wrong; None when it came."""
        topic = f"persistent://{self.namespace}/control-{uuid.uuid4().hex}"
        try:
            within(_CONTROL_WITHIN, lambda: self.independent.round_trip(topic), "a control message")
        except (TouchstoneError, Hung) as error:
            return str(error)
        return None

    @cached_property
    def slack(self) -> float:
        """Seconds by which a moment may be missed on this machine, measured once."""
        topics = (f"persistent://{self.namespace}/slack-{uuid.uuid4().hex}" for _ in range(99))
        trips = [self.independent.round_trip(next(topics)) for _ in range(_ROUND_TRIPS)]
        return _LEAST_SLACK + _SLACK_FACTOR * median(trips)

    def close(self) -> None:
        """Close the provider and the harness's clients."""
        self._stack.close()


def client_address(address: BrokerAddress) -> BrokerAddress:
    """The address as the client under test gets it: where there are roles, not the super user's."""
    token = address.role_tokens.get(_CLIENT_ROLE)
    return replace(address, token=token) if token else address


class Worker:
    """Everything that one worker keeps open between scenarios."""

    def __init__(self, name: str, provider: Provider, brokers: Brokers) -> None:
        self.provider = provider
        self.brokers = brokers
        self._space = f"{TENANT}/{name}-{uuid.uuid4().hex[:8]}"
        self._connected: dict[str, Connected] = {}

    def connected(self, address: BrokerAddress, *, keep: bool = True) -> Connected:
        """The broker at `address`; kept for later scenarios unless it is a private one."""
        found = self._connected.get(address.profile) if keep else None
        if found is not None and found.address == address:
            return found
        if found is not None:
            found.close()
        opened = Connected(address, self.provider, self._space)
        if keep:
            self._connected[address.profile] = opened
        return opened

    def close(self) -> None:
        """Close what is open."""
        for connected in self._connected.values():
            connected.close()
        self._connected.clear()


class RunningScenario:
    """One scenario at work; what it asks for is made when first asked for, and closed after it."""

    def __init__(
        self, worker: Worker, profile: str, exclusive: bool, trace: Trace, log: Log
    ) -> None:
        self._worker = worker
        self._profile = profile
        self._exclusive = exclusive
        self.trace = trace
        self.log = log
        self._stack = ExitStack()

    @property
    def provider(self) -> Provider:
        """The provider under test."""
        return self._worker.provider

    @cached_property
    def broker(self) -> Broker:
        """The private broker of this scenario, to be killed, paused and restarted."""
        if not self._exclusive:
            raise HarnessError(
                "Only a scenario with a private broker may control it",
                hint="Declare it: @broker(profile, exclusive=True).",
            )
        broker = self._worker.brokers.exclusive(self._profile)
        self._stack.enter_context(broker)
        return broker

    @cached_property
    def connected(self) -> Connected:
        """The broker that the scenario runs on."""
        if self._exclusive:
            connected = self._worker.connected(self.broker.address, keep=False)
            self._stack.callback(connected.close)
            return connected
        address = self._stack.enter_context(self._worker.brokers.lease(self._profile))
        return self._worker.connected(address)

    @cached_property
    def jms(self) -> UnderTest:
        """The provider under test on the scenario's broker."""
        return self._open(self.connected.client)

    def jms_at(self, address: BrokerAddress) -> UnderTest:
        """The same provider at another address, such as a proxy's."""
        client = self._stack.enter_context(self.provider.open(client_address(address)))
        return self._open(client)

    def jms_as(self, role: str) -> UnderTest:
        """The same provider with the token of `role`; `BrokerError` where there are no roles."""
        address = self.connected.address
        known = replace(address, token=address.token_of(role))
        return self._open(self._stack.enter_context(self.provider.open(known)))

    @cached_property
    def stranger(self) -> UnderTest:
        """The same provider without credentials and without a certificate to trust."""
        address = replace(
            self.connected.address, token=None, role_tokens={}, trust_certificate=None
        )
        return self._open(self._stack.enter_context(self.provider.open(address)))

    @cached_property
    def admin(self) -> PulsarAdmin:
        """The broker's own view."""
        return PulsarAdmin(self.connected.rest, self.connected.namespace, self.name)

    @cached_property
    def wire(self) -> PulsarWire:
        """The independent client's view."""
        connected = self.connected
        return PulsarWire(connected.rest, connected.independent, connected.namespace)

    @cached_property
    def faults(self) -> Faults:
        """Proxies in front of the scenario's broker."""
        address = client_address(self.connected.address)
        return self._stack.enter_context(Faults(address, self.provider.name))

    @cached_property
    def other_process(self) -> OtherUnderTest:
        """The same provider in a child process."""
        defaults = {"jms.systemNamespace": self.connected.namespace}
        opened = OtherUnderTest(self.faults.other_process(), defaults, self.trace)
        self._stack.callback(opened.close)
        return opened

    @property
    def slack(self) -> float:
        """Seconds by which a moment may be missed on this machine."""
        return self.connected.slack

    def name(self, stem: str = "name") -> str:
        """A fresh simple name that begins with `stem`."""
        return f"{stem}-{uuid.uuid4().hex[:12]}"

    def queue(self) -> Queue:
        """A fresh queue."""
        return self.jms.queue(self.name("queue"))

    def topic(self) -> Topic:
        """A fresh topic."""
        return self.jms.topic(self.name("topic"))

    def control(self) -> str | None:
        """What the control message shows to be wrong; None when it came."""
        return self.connected.control()

    def secrets(self) -> list[str]:
        """Texts that no trace and no evidence may show."""
        if "connected" not in self.__dict__:
            return []
        address = self.connected.address
        return [secret for secret in (address.token, *address.role_tokens.values()) if secret]

    def close(self) -> None:
        """Close all that the scenario opened; `Hung` when the client does not come back."""
        self._stack.close()

    def _open(self, client: Client) -> UnderTest:
        defaults = {"jms.systemNamespace": self.connected.namespace}
        opened = UnderTest(client, defaults, self.trace)
        self._stack.callback(opened.close)
        return opened
