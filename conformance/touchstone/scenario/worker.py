"""What a worker keeps open between scenarios: brokers, with the harness's and the tested client."""

from __future__ import annotations

import logging
import socket
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from functools import cached_property
from typing import Protocol
from urllib.parse import urlsplit

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.errors import HintedError
from jms_brokers.machine.spending import Purpose, spent_on
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.registry import probe_for
from jms_clients.interface import Client, Provider
from touchstone.outcomes.endings import Hung
from touchstone.scenario.deadline import within
from touchstone.scenario.run_settings import AS_IT_IS, RunSettings

_LOG = logging.getLogger(__name__)
TENANT = "touchstone"
_CONTROL_WITHIN = 10.0
_LEFT_WITHIN = 30.0
_ACCEPTED_WITHIN = 1.0


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
        except (HintedError, Hung) as error:
            return str(error)
        return None

    def close(self) -> None:
        """Close the provider and the harness's clients."""
        self._stack.close()


class Worker:
    """Everything that one worker keeps open between scenarios."""

    def __init__(
        self,
        name: str,
        provider: Provider,
        spelling: str,
        brokers: Brokers,
        settings: RunSettings = AS_IT_IS,
    ) -> None:
        self.provider = provider
        self.settings = settings
        self.spelling = spelling
        """By which another process finds the same provider, in the same version."""
        self.brokers = brokers
        self._space = f"{TENANT}/{name}-{uuid.uuid4().hex[:8]}"
        self._connected: dict[str, Connected] = {}
        self.next_private: str | None = None
        """The profile of the private broker that the next scenario asks for."""
        self._private: dict[str, tuple[Broker, ExitStack]] = {}
        """Brokers that are kept for it, by profile, with what ends them."""

    def connected(self, address: BrokerAddress, *, keep: bool = True) -> Connected:
        """The broker at `address`; kept for later scenarios unless it is a private one."""
        earlier = self._connected.get(address.profile) if keep else None
        if earlier is not None and earlier.address == address:
            return earlier
        if earlier is not None:
            self._leave(earlier)
        opened = self._open(address)
        if keep:
            self._connected[address.profile] = opened
        return opened

    @contextmanager
    def private_broker(self, profile: str) -> Iterator[Broker]:
        """A broker that only this block uses, which may end it and start it again.

        If the next scenario wants one, too, it gets this one, provided that it answers: nothing
        costs as much as a start.
        """
        if known := self._private.pop(profile, None):
            broker, ending = known
        else:
            broker, ending = self.brokers.exclusive(profile), ExitStack()
        with ending:
            if not known:
                with spent_on(Purpose.BROKER):
                    ending.enter_context(broker)
            yield broker
            if self.next_private == profile and self._answers(broker):
                self._private[profile] = broker, ending.pop_all()

    def _answers(self, broker: Broker) -> bool:
        """Whether messages come through it."""
        try:
            address = broker.address
            host = urlsplit(address.service_url).hostname
            socket.create_connection((host, address.service_port), _ACCEPTED_WITHIN).close()
            with closing(self._open(address)) as connected:
                return connected.control() is None
        except (OSError, HintedError):
            return False

    def _open(self, address: BrokerAddress) -> Connected:
        protocol = getattr(self.provider, "own_protocol", "")
        return Connected(probe_for(address, self._space, protocol), self.provider)

    def _leave(self, connected: Connected) -> None:
        """Close what was open on a broker that is gone: nobody answers there any more."""
        try:
            within(_LEFT_WITHIN, connected.close, "closing what was open on a broker that is gone")
        except Exception as error:
            _LOG.info("%s: %r", connected.address.service_url, error)

    def close(self) -> None:
        """Close what is open."""
        with ExitStack() as stack:
            for _, ending in self._private.values():
                stack.callback(ending.close)
            for connected in self._connected.values():
                stack.callback(connected.close)
        self._connected.clear()
        self._private.clear()
