"""An application of what a client in memory makes, which is as right as the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final
from unittest.mock import patch

from drawn.listed_programs import ListedHunt
from jms_model.answers import Gave
from jms_model.resources.arguments import Selector
from jms_model.resources.rules import expect
from jms_model.resources.things import (
    Browser,
    Consumer,
    Destination,
    MetaData,
    Producer,
    Session,
    World,
)
from jmsapi.errors import JMSException, JMSRuntimeException
from touchstone.drawn import driving
from touchstone.drawn.resources.driving import ResourceDriver
from touchstone.drawn.resources.program import Step, without
from touchstone.drawn.resources.scripts import programs

PROGRAMS: Final = 100
"""Of each seed."""
SEEDS: Final = range(4)
CLIENTS: Final = (JMSException, JMSRuntimeException, TypeError)
"""What the client in memory raises, which is code of these tests."""
META_DATA: Final = {
    "get_jms_version": "2.0",
    "get_jms_major_version": 2,
    "get_jms_minor_version": 0,
    "get_jms_provider_name": "memory",
    "get_provider_version": "1.10.3",
    "get_provider_major_version": 1,
    "get_provider_minor_version": 10,
    "get_jmsx_property_names": ["JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount"],
}
Call = Callable[[], object]
Wrong = Callable[["InMemory", Step, Call], object]
"""What a wrong client makes of a call."""


def right(_: InMemory, __: Step, call: Call) -> object:
    """Nothing else."""
    return call()


_programs = cache(programs)
"""The same each time, so that they are listed once."""


def hunted(wrong: Wrong, subject: str, judged: frozenset[str]) -> ListedHunt:
    """What is found in such a client by programs on a subject, until all of these are broken."""
    administered = subject.startswith("administered")
    with patch.object(driving, "is_raised_by_client", lambda error: isinstance(error, CLIENTS)):
        runs = ResourceDriver(lambda _: InMemory(wrong, administered=administered))
        hunt = ListedHunt(runs, judged, without=without)
        for seed in SEEDS:
            hunt.draw(_programs(subject), PROGRAMS, seed)
            if judged <= hunt.broken:
                break
    return hunt


class InMemory:
    """Makes the calls of one program."""

    def __init__(self, wrong: Wrong, *, administered: bool) -> None:
        self.world = World(administered=administered)
        self.refusing: set[object] = set()
        """What was refused something, or by what name, for clients that keep that."""
        self._wrong = wrong

    @property
    def objects(self) -> dict[str, Any]:
        """What the program has made."""
        return self.world.objects

    def call(self, step: Step) -> object:
        """Answer as the wrong client does."""
        return self._wrong(self, step, lambda: self._right(step))

    def close(self) -> None:
        """Nothing is open."""

    def _right(self, step: Step) -> object:
        expectation = expect(self.world, step.on, step.method, step.args, step.makes)
        if expectation is None:
            return None
        value = self._value(step)
        first = expectation.permitted[0]
        first.effect()
        if first.errors:
            raise first.errors[0]("refused")
        assert expectation.ending(Gave(value)) is not None, (step, value)
        return value

    def _value(self, step: Step) -> object:
        target = self.objects.get(step.on)
        match target, step.method:
            case MetaData(), method:
                return META_DATA[method]
            case Session(), "get_transacted":
                return target.mode == 0
            case Session(), "get_session_mode" | "get_acknowledge_mode":
                return target.mode
            case Session(), "get_auto_start":
                return target.auto_start
            case _, "get_client_id":
                connection = target.connection if isinstance(target, Session) else target
                return "administered" if self.world.administered else connection.client_id  # type: ignore[union-attr]
            case ((Consumer() | Browser()), "get_message_selector"):
                return target.selector.text or None
            case Browser(), "get_queue":
                return self.name_of(target.queue)
            case Producer(), "get_destination":
                return self.name_of(target.destination) if target.destination else None
            case Destination(), "get_name":
                return self.name_of(target)
            case _, "has_more_elements":
                return False
            case Destination(), "is_there" | "is_gone":
                return True
        return None

    def name_of(self, destination: Destination) -> object:
        """The name of a destination; of a temporary one a name of its own."""
        return destination.name or f"temporary-{id(destination)}"


def selector_of(step: Step) -> Selector:
    """The selector that a call is given."""
    return next((each for each in step.args if isinstance(each, Selector)), Selector(None))


def is_context(target: Any, _: Step) -> bool:
    """Whether the call is one of a context."""
    return isinstance(target, Session) and target.simplified


def is_closed(target: Any, _: Step) -> bool:
    """Whether what is called is closed."""
    return bool(getattr(target, "closed", "") or getattr(target, "closed_by", ""))


def is_open(app: InMemory, step: Step) -> bool:
    """Whether a call has an open session and no wrong arguments."""
    session: Any = app.objects.get(step.on)
    faulty = step.args[0] is None or selector_of(step).refused_by
    return not session.closed_by and not faulty
