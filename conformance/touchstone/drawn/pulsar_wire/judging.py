"""What drawn programs say of how messages travel: the verdicts of one scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from jms_clients.recorded import unrecorded
from jms_model.pulsar_wire.looks import Raw
from jmsapi import Destination
from touchstone.drawn.hunting import ProgramRunner
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.pulsar_wire import placing
from touchstone.drawn.pulsar_wire.drawing import programs
from touchstone.drawn.pulsar_wire.driving import WireDriver
from touchstone.drawn.pulsar_wire.exchange import EMULATED, Factories, WireClient, WireExchange
from touchstone.drawn.pulsar_wire.foreign_drawing import foreign_programs
from touchstone.drawn.pulsar_wire.foreign_driving import ForeignDriver
from touchstone.drawn.pulsar_wire.placing import placing_programs
from touchstone.drawn.pulsar_wire.placing_driving import SWITCHED_ON, PlacingDriver
from touchstone.drawn.pulsar_wire.program import without
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 40
"""So many are drawn by a seed that never changes, which decide every statement."""
FOREIGN: Final = 24
"""The same of programs in which another client writes."""
PLACING: Final = 56
"""The same of programs on partitions."""
_SECONDS: Final = 60.0
"""A scenario has to end."""


def judge_drawn_wire(at_hand: RunningScenario) -> None:
    """Judge each statement that the scenario declares by messages that JMS sends.

    They are looked at on the wire and received. In every run they are the same ones; a hunt goes
    on with others.
    """

    def driver(*, recorded: bool) -> WireDriver:
        clients = {
            False: _client(at_hand, recorded=recorded),
            True: _client(at_hand, SWITCHED_ON, recorded=recorded),
        }
        return WireDriver(lambda program: WireExchange(clients[program.prioritized], program))

    _judge(at_hand, driver, programs(), PROGRAMS)


def judge_drawn_foreign_messages(at_hand: RunningScenario) -> None:
    """The same by messages that another Pulsar client writes, and JMS receives."""

    def driver(*, recorded: bool) -> ForeignDriver:
        client = _client(at_hand, recorded=recorded)
        return ForeignDriver(lambda program: WireExchange(client, program))

    _judge(at_hand, driver, foreign_programs(), FOREIGN)


class _Broker:
    """The broker, as partitions are looked at."""

    def __init__(self, wire: Any, admin: Any) -> None:
        self._wire = wire
        self._admin = admin

    def create_topic(self, destination: Destination, partitions: int) -> object:
        """Make a topic with partitions."""
        return self._admin.create_topic(destination, partitions)

    def received(self, destination: Destination, count: int) -> Sequence[Raw]:
        """So many messages, of all partitions."""
        messages: Sequence[Raw] = self._wire.received(destination, "native", count)
        return messages


def judge_drawn_partitions(at_hand: RunningScenario) -> None:
    """The same by messages of several priorities and groups in topics with partitions."""

    def driver(*, recorded: bool) -> PlacingDriver:
        def factory(settings: Mapping[str, object]) -> Any:
            made = at_hand.jms.factory(settings)
            return made if recorded else unrecorded(made)

        broker = _Broker(at_hand.view("wire"), at_hand.view("admin"))
        return PlacingDriver(factory, broker, at_hand.name)

    _judge(at_hand, driver, placing_programs(), PLACING, placing.without)


def _judge(
    at_hand: RunningScenario,
    driver: Callable[..., ProgramRunner],
    drawn: SearchStrategy[Any],
    count: int,
    without: Callable[[Any, int], Any] = without,
) -> None:
    judge_programs(
        at_hand,
        driver,
        drawn,
        count,
        without=without,
        seconds=_SECONDS,
    )


def _client(
    at_hand: RunningScenario, also: Mapping[str, object] = MappingProxyType({}), *, recorded: bool
) -> WireClient:
    """A client with these settings besides those that a way of receiving needs."""
    quick = at_hand.preset("quick-redelivery")
    settings: tuple[Mapping[str, object], ...] = ({}, EMULATED, quick, {**quick, **EMULATED})
    made = (at_hand.jms.factory({**each, **also}) for each in settings)
    factories = Factories(*(made if recorded else map(unrecorded, made)))
    return WireClient(factories, at_hand.view("wire"), at_hand.name)
