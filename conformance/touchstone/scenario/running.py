"""What one running scenario takes from its worker, made when first asked for, closed after it."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from typing import Any

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.brokers.limits import Resource, Scope
from jms_brokers.damage import Poison
from jms_brokers.machine.spending import Purpose, spent_on
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import EndsTransactions, TellsWhatIsWithheld
from jms_brokers.shared.queue_view import QueueView
from jms_brokers.shared.registry import family_named
from jms_clients.interface import Client, Provider, TellsCalls
from jms_clients.presets import overlaid, preset
from jms_clients.trace import Trace
from jmsapi import Destination, Queue, Topic
from touchstone.errors import HarnessError
from touchstone.outcomes.endings import not_applicable
from touchstone.scenario import strategies
from touchstone.scenario.cuts import Cuts, cut_frames
from touchstone.scenario.ended_transactions import (
    AbortedTransactions,
    EndedTransactions,
    LostTransactions,
)
from touchstone.scenario.faults import Faults
from touchstone.scenario.log import ClientLog
from touchstone.scenario.noted_view import noted_view
from touchstone.scenario.under_test import OtherUnderTest, UnderTest
from touchstone.scenario.worker import Connected, Worker

_NAMES = 16
"""So many of the names that a scenario has given may be those of the destinations it uses now."""


class RunningScenario:
    """One scenario at work; what it asks for is made when first asked for, and closed after it."""

    def __init__(
        self,
        worker: Worker,
        profile: str,
        exclusive: bool,
        trace: Trace,
        log: ClientLog,
        *,
        sought: frozenset[str] = frozenset(),
        attempt: int = 0,
        hunt: float = 0.0,
        replay: int | None = None,
        shows: Sequence[str] = (),
        shown_of: frozenset[str] = frozenset(),
        is_known: Callable[[str, str], bool] = lambda _id, _message: False,
    ) -> None:
        self.sought = sought
        """What a client that is wrong on purpose has to break; the first of these will do."""
        self.hunt = hunt
        """Seconds for which it goes on to draw programs, beyond those of every run."""
        self.replay = replay
        """The only seed by which programs are drawn; None: those of every run, and others."""
        self.shows = shows
        """What drawn programs have to show, as patterns of their messages; nothing: anything."""
        self.shown_of = shown_of if shows else frozenset()
        """The statements of which they have to show it; none: of any."""
        self.is_known = is_known
        """Whether a deviation from a requirement is known with this message."""
        self._attempt = attempt
        self._worker = worker
        self._profile = profile
        self._exclusive = exclusive
        self.trace = trace
        self.log = log
        self._names: deque[str] = deque(maxlen=_NAMES)
        """Those that were given last."""
        self._preferred: dict[str, object] = {}
        self._presets: dict[str, None] = {}
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
        self.trace.add("note", "private broker", "start")
        return self._stack.enter_context(self._worker.private_broker(self._profile))

    @cached_property
    def connected(self) -> Connected:
        """The broker that the scenario runs on."""
        if self._exclusive:
            address = self.broker.address
        else:
            with spent_on(Purpose.BROKER):
                address = self._stack.enter_context(self._worker.brokers.lease(self._profile))
        with spent_on(Purpose.CONNECTING):
            connected = self._worker.connected(address, keep=not self._exclusive)
        if self._exclusive:
            self._stack.callback(connected.close)
        return connected

    @cached_property
    def jms(self) -> UnderTest:
        """The provider under test on the scenario's broker."""
        return self._open(self.connected.client)

    def jms_at(self, address: BrokerAddress) -> UnderTest:
        """The same provider at another address, such as a proxy's."""
        return self._open(self.client_at(address))

    def client_at(self, address: BrokerAddress) -> Client:
        """The provider opened at another address, for what is not recorded."""
        known = self.connected.probe.client_address(address)
        return self._stack.enter_context(self.provider.open(known))

    def jms_as(self, role: str) -> UnderTest:
        """The same provider with the rights of `role`; `BrokerError` where there are no roles."""
        known = self.connected.probe.client_address(self.connected.address).as_role(role)
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

    def view(self, name: str) -> Any:
        """What brokers of one family alone let be seen of them, by its name in `Family.views`."""
        family = self._family
        if name not in family.views:
            raise HarnessError(
                f"Nobody can look into brokers of the family {family.name} by {name!r}",
                hint="What runs on every family of brokers asks for `queues`.",
            )
        self.trace.add("note", "independent client", name)
        return getattr(self.connected.probe, name)

    @property
    def queues(self) -> QueueView:
        """Queues as the broker sees them, whatever the broker."""
        return noted_view(self.connected.probe.queues, self.trace)

    @cached_property
    def faults(self) -> Faults:
        """Proxies in front of the scenario's broker."""
        address = self.connected.probe.client_address(self.connected.address)
        return self._stack.enter_context(Faults(address, self._worker.spelling, trace=self.trace))

    @cached_property
    def cuts(self) -> Cuts:
        """The provider behind a proxy that breaks its connection at a point of the protocol.

        NOT-APPLICABLE to a client of another protocol than the proxies of its family read.
        """
        if protocol := getattr(self.provider, "own_protocol", ""):
            not_applicable(f"the client speaks {protocol}, of which no proxy reads the frames")
        frames = cut_frames(self.provider.broker_family)
        return self._stack.enter_context(
            Cuts(frames, self.faults, self.jms_at, self.connected.address)
        )

    @cached_property
    def ended_transactions(self) -> EndedTransactions:
        """The provider, in whose transactions the broker can be made to end them."""
        probe = self.connected.probe
        if isinstance(probe, EndsTransactions):
            return AbortedTransactions(self.jms, probe)
        return LostTransactions(self.faults, self.jms_at)

    @cached_property
    def other_process(self) -> OtherUnderTest:
        """The same provider in a child process."""
        self.trace.add("note", "other process", "start")
        opened = OtherUnderTest(self.faults.other_process(), self._settings, self.trace)
        self._stack.callback(opened.close)
        return opened

    @property
    def limits(self) -> Mapping[Resource, tuple[int, Scope]]:
        """How many there may be of what the scenario's broker limits, and where."""
        family = self._family
        return family.profiles[self._profile].limits.within(family.limits)

    def prefer(self, *presets: str) -> None:
        """Give these presets of the provider to every client that the scenario opens.

        HarnessError when it has one: a fixture asks for presets, before `jms` is there.
        """
        if "jms" in self.__dict__:
            raise HarnessError(
                f"{', '.join(presets)} would not reach the client, which is open",
                hint="Prefer it in a fixture that usefixtures() names.",
            )
        self._preferred = overlaid(self._preferred, self.preset(*presets))

    def preset(self, *presets: str) -> Mapping[str, object]:
        """The settings of these presets of the provider, for a factory of its own."""
        self._presets.update(dict.fromkeys(each for each in presets if preset(self.provider, each)))
        return preset(self.provider, *presets)

    @property
    def presets(self) -> Sequence[str]:
        """The presets that were asked for and change something for this provider."""
        return tuple(self._presets)

    def with_run_settings(self, settings: Mapping[str, object]) -> dict[str, object]:
        """`settings` of a client, with what the run changes in them."""
        return self._worker.settings.around(settings)

    def name(self, stem: str = "name") -> str:
        """A fresh name that begins with `stem`: an identifier, as every broker takes them."""
        name = f"{stem}_{uuid.uuid4().hex[:12]}"
        self._names.append(name)
        return name

    def queue(self) -> Queue:
        """A fresh queue."""
        return self.jms.queue(self.name("queue"))

    def topic(self) -> Topic:
        """A fresh topic."""
        return self.jms.topic(self.name("topic"))

    def poisons(self, kinds: Sequence[str], each: int) -> list[Poison]:
        """So many damaged messages of each kind, by the seed of the run; others at each try."""
        seed, first = strategies.run_seed(), self._attempt * each
        return [Poison(kind, first + number, seed) for kind in kinds for number in range(each)]

    def send_poisoned(
        self, destination: Destination, messages: Sequence[str | Poison]
    ) -> list[Poison]:
        """Texts and damaged messages by the independent client; the damaged ones that came."""
        self.trace.add("call", "independent client", "send", [str(each) for each in messages])
        came = self.queues.send_poisoned(destination, messages)
        self.trace.add("return", "independent client", "send", None, [str(each) for each in came])
        return came

    def control(self) -> str | None:
        """What the control message shows to be wrong; None when it came."""
        return self.connected.control()

    def withheld(self) -> str | None:
        """What a shared broker has and does not deliver, by its statistics; None: nothing."""
        if self._exclusive or "connected" not in self.__dict__:
            return None
        probe = self.connected.probe
        if not isinstance(probe, TellsWhatIsWithheld):
            return None
        return probe.withheld(tuple(self._names))

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

    def cut_off(self) -> str | None:
        """What may keep the client from its broker; None when nothing does.

        What the scenario itself puts between them may do so on purpose, as it may end a private
        broker.
        """
        if "faults" in self.__dict__:
            return "there was a proxy between client and broker"
        if self._exclusive:
            return "the scenario has a private broker, which it may have stopped"
        return self.lost()

    def close(self) -> None:
        """Close all that the scenario opened; `Hung` when the client does not come back."""
        with spent_on(Purpose.CLOSING):
            self._stack.close()

    def _open(self, client: Client) -> UnderTest:
        if isinstance(client, TellsCalls):
            client.tell(self.trace.calls)
        opened = UnderTest(client, self._settings, self.trace)
        self._stack.callback(opened.close)
        return opened

    @property
    def _family(self) -> Family:
        return family_named(self.connected.address.family)

    @property
    def _settings(self) -> Mapping[str, object]:
        return self.with_run_settings(overlaid(self.connected.probe.settings, self._preferred))
