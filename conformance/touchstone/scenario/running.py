"""What one running scenario takes from its worker, made when first asked for, closed after it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from jmsapi import Destination, Queue, Topic
from touchstone import strategies
from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.brokers.limits import Limits
from touchstone.brokers.profiles import profile_named
from touchstone.errors import HarnessError
from touchstone.faults.interface import Faults
from touchstone.poison.damage import Poison
from touchstone.providers.interface import Client, Provider
from touchstone.providers.presets import overlaid, preset
from touchstone.providers.trace import Trace
from touchstone.scenario.cuts import Cuts, cut_frames
from touchstone.scenario.ended_transactions import (
    AbortedTransactions,
    EndedTransactions,
    LostTransactions,
)
from touchstone.scenario.log import Log
from touchstone.scenario.pulsar_admin import PulsarAdmin
from touchstone.scenario.pulsar_surroundings import PulsarSurroundings
from touchstone.scenario.pulsar_wire import PulsarWire
from touchstone.scenario.queue_view import QueueView
from touchstone.scenario.under_test import OtherUnderTest, UnderTest
from touchstone.scenario.worker import Connected, Worker

if TYPE_CHECKING:
    from touchstone.workloads.judged import Judged

_STALLED_AFTER, _RECOVERED_WITHIN = 20.0, 60.0
"""Seconds without any progress of a workload; where clients have to find their broker again."""


class RunningScenario:
    """One scenario at work; what it asks for is made when first asked for, and closed after it."""

    def __init__(
        self,
        worker: Worker,
        profile: str,
        exclusive: bool,
        trace: Trace,
        log: Log,
        *,
        wrong_on_purpose: bool,
    ) -> None:
        self.wrong_on_purpose = wrong_on_purpose
        """Whether the client need only be noticed: the first thing that is wrong will do."""
        self._worker = worker
        self._profile = profile
        self._exclusive = exclusive
        self.trace = trace
        self.log = log
        self._preferred: dict[str, object] = {}
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
        known = self.connected.surroundings.client_address(address)
        return self._open(self._stack.enter_context(self.provider.open(known)))

    def jms_as(self, role: str) -> UnderTest:
        """The same provider with the rights of `role`; `BrokerError` where there are no roles."""
        known = self.connected.surroundings.client_address(self.connected.address).as_role(role)
        return self._open(self._stack.enter_context(self.provider.open(known)))

    @cached_property
    def stranger(self) -> UnderTest:
        """The same provider without credentials and without a certificate to trust."""
        address = replace(
            self.connected.address,
            token=None,
            role_tokens={},
            trust_certificate=None,
            user_name=None,
            password=None,
        )
        return self._open(self._stack.enter_context(self.provider.open(address)))

    @cached_property
    def admin(self) -> PulsarAdmin:
        """The broker's own view."""
        return self._pulsar.admin

    @cached_property
    def wire(self) -> PulsarWire:
        """The independent client's view."""
        return self._pulsar.wire

    @property
    def queues(self) -> QueueView:
        """Queues as the broker sees them, whatever the broker."""
        return self.connected.surroundings.queues

    @cached_property
    def faults(self) -> Faults:
        """Proxies in front of the scenario's broker."""
        address = self.connected.surroundings.client_address(self.connected.address)
        return self._stack.enter_context(Faults(address, self._worker.spelling))

    @cached_property
    def cuts(self) -> Cuts:
        """The provider behind a proxy that breaks its connection at a point of the protocol."""
        frames = cut_frames(self.provider.broker_family)
        return self._stack.enter_context(
            Cuts(frames, self.faults, self.jms_at, self.connected.address)
        )

    @cached_property
    def ended_transactions(self) -> EndedTransactions:
        """The provider, in whose transactions the broker can be made to end them."""
        found = self.connected.surroundings
        if isinstance(found, PulsarSurroundings):
            return AbortedTransactions(self.jms, found.address, found.namespace)
        return LostTransactions(self.faults, self.jms_at)

    @cached_property
    def other_process(self) -> OtherUnderTest:
        """The same provider in a child process."""
        opened = OtherUnderTest(self.faults.other_process(), self._settings, self.trace)
        self._stack.callback(opened.close)
        return opened

    @property
    def limits(self) -> Limits:
        """What the scenario's broker limits."""
        return profile_named(self._profile).limits

    @property
    def slack(self) -> float:
        """Seconds by which a moment may be missed on this machine."""
        return self.connected.slack

    def prefer(self, *presets: str) -> None:
        """Give these presets of the provider to every client that the scenario opens.

        HarnessError when it has one: a fixture asks for presets, before `jms` is there.
        """
        if "jms" in self.__dict__:
            raise HarnessError(
                f"{', '.join(presets)} would not reach the client, which is open",
                hint="Prefer it in a fixture that usefixtures() names.",
            )
        self._preferred = overlaid(self._preferred, preset(self.provider, *presets))

    def preset(self, *presets: str) -> Mapping[str, object]:
        """The settings of these presets of the provider, for a factory of its own."""
        return preset(self.provider, *presets)

    def name(self, stem: str = "name") -> str:
        """A fresh simple name that begins with `stem`."""
        return f"{stem}-{uuid.uuid4().hex[:12]}"

    def queue(self) -> Queue:
        """A fresh queue."""
        return self.jms.queue(self.name("queue"))

    def topic(self) -> Topic:
        """A fresh topic."""
        return self.jms.topic(self.name("topic"))

    def poisons(self, kinds: Sequence[str], each: int) -> list[Poison]:
        """So many damaged messages of each kind, drawn by the seed of the run."""
        seed = strategies.run_seed()
        return [Poison(kind, number, seed) for kind in kinds for number in range(each)]

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """Texts and damaged messages by the independent client; the damaged ones that came."""
        self.trace.add("call", "independent client", "send", [str(each) for each in messages])
        came = self.queues.send_poisoned(destination, messages)
        self.trace.add("return", "independent client", "send", None, [str(each) for each in came])
        return came

    def workload(
        self, name: str, messages: int, settings: Mapping[str, object] | None = None
    ) -> Judged:
        """A workload of `touchstone workload list`, driven by the provider and judged.

        `settings` are given to every factory. AssertionError when it does not get through.
        A workload that kills its broker needs a private one.
        """
        from touchstone.history.values import Fault
        from touchstone.workloads.catalogue import workload
        from touchstone.workloads.faulting import BrokerFaults
        from touchstone.workloads.small import run_here

        chosen = workload(name)
        faults = {fault.kind for fault in chosen.faults}
        client, proxy = self.connected.client, None
        if Fault.CUT in faults:
            proxy, address = self.faults.byte_proxy()
            known = self.connected.surroundings.client_address(address)
            client = self._stack.enter_context(self.provider.open(known))
        return run_here(
            chosen,
            client,
            self.provider,
            self.connected.surroundings,
            messages=messages,
            faulting=BrokerFaults(self.broker if Fault.BROKER_RESTART in faults else None, proxy),
            settings=settings,
            stalled_after=_RECOVERED_WITHIN if faults else _STALLED_AFTER,
        )

    def control(self) -> str | None:
        """What the control message shows to be wrong; None when it came."""
        return self.connected.control()

    def lost(self) -> str | None:
        """What is wrong with the broker that the scenario already works on.

        A private one may have been ended on purpose: of it only its own end counts.
        """
        if self._exclusive:
            own = self.__dict__.get("broker")
            return None if getattr(own, "alive", True) else "its private broker ended by itself"
        if "connected" not in self.__dict__:
            return None
        return self.control()

    def close(self) -> None:
        """Close all that the scenario opened; `Hung` when the client does not come back."""
        self._stack.close()

    def _open(self, client: Client) -> UnderTest:
        opened = UnderTest(client, self._settings, self.trace)
        self._stack.callback(opened.close)
        return opened

    @property
    def _settings(self) -> Mapping[str, object]:
        return overlaid(self.connected.surroundings.settings, self._preferred)

    @property
    def _pulsar(self) -> PulsarSurroundings:
        found = self.connected.surroundings
        if not isinstance(found, PulsarSurroundings):
            raise HarnessError(
                f"The scenario looks into Pulsar, but runs on {self.connected.address.family}",
                hint="What runs on every family of brokers asks for `queues`.",
            )
        return found
