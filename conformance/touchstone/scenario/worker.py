"""What a worker keeps open between scenarios: brokers, with the harness's and the tested client."""

from __future__ import annotations

import logging
import uuid
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from typing import Protocol

from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.errors import TouchstoneError
from touchstone.families.probe import BrokerProbe
from touchstone.families.registry import probe_for
from touchstone.machine.spending import Purpose, spent_on
from touchstone.providers.interface import Client, Provider
from touchstone.scenario.deadline import Hung, within

_LOG = logging.getLogger(__name__)
TENANT = "touchstone"
_CONTROL_WITHIN = 10.0
_LEFT_WITHIN = 30.0


class Brokers(Protocol):
    """Where a worker gets brokers from: those of the run, and private ones."""

    def lease(self, profile: str = "plain") -> AbstractContextManager[BrokerAddress]: ...
    def exclusive(self, profile: str = "plain") -> Broker: ...


class Connected:
    """One broker with the harness's own clients, and the provider opened on it."""

    def __init__(self, probe: BrokerProbe, provider: Provider) -> None:
        self.probe = probe
        self._provider = provider
        self._stack = ExitStack()
        self._stack.callback(probe.close)

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is, with the harness's own rights."""
        return self.probe.address

    @cached_property
    def client(self) -> Client:
        """The provider, opened on this broker."""
        address = self.probe.client_address(self.address)
        with spent_on(Purpose.CONNECTING):
            return self._stack.enter_context(self._provider.open(address))

    def control(self) -> str | None:
        """What a message of the independent client shows to be wrong; None when it came."""
        try:
            with spent_on(Purpose.CONTROL):
                within(_CONTROL_WITHIN, self.probe.round_trip, "a control message")
        except (TouchstoneError, Hung) as error:
            return str(error)
        return None

    def close(self) -> None:
        """Close the provider and the harness's clients."""
        self._stack.close()


class Worker:
    """Everything that one worker keeps open between scenarios."""

    def __init__(self, name: str, provider: Provider, spelling: str, brokers: Brokers) -> None:
        self.provider = provider
        self.spelling = spelling
        """By which another process finds the same provider, in the same version."""
        self.brokers = brokers
        self._space = f"{TENANT}/{name}-{uuid.uuid4().hex[:8]}"
        self._connected: dict[str, Connected] = {}

    def connected(self, address: BrokerAddress, *, keep: bool = True) -> Connected:
        """The broker at `address`; kept for later scenarios unless it is a private one."""
        found = self._connected.get(address.profile) if keep else None
        if found is not None and found.address == address:
            return found
        if found is not None:
            self._leave(found)
        protocol = getattr(self.provider, "own_protocol", "")
        opened = Connected(probe_for(address, self._space, protocol), self.provider)
        if keep:
            self._connected[address.profile] = opened
        return opened

    def _leave(self, connected: Connected) -> None:
        """Close what was open on a broker that is gone: nobody answers there any more."""
        try:
            within(_LEFT_WITHIN, connected.close, "closing what was open on a broker that is gone")
        except Exception as error:
            _LOG.info("%s: %r", connected.address.service_url, error)

    def close(self) -> None:
        """Close what is open."""
        with ExitStack() as stack:
            for connected in self._connected.values():
                stack.callback(connected.close)
        self._connected.clear()
