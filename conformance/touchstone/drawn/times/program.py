"""A program as data: producers and receivers side by side, and what is sent when."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from jms_model.times.sent import OUTLETS, TimedLook

RECEIVE, NO_WAIT, LISTENER, CONTEXT = "receive", "receiveNoWait", "a listener", "a context"
SELECTED, RECOVER = "receive with a selector", "receive and recover"
BROWSER, HELD, HELD_LISTENER, LAST = (
    "a browser",
    "receive, behind all expirations",
    "a listener, behind all expirations",
    "a consumer that is made behind all expirations",
)
WAYS: Final = (RECEIVE, NO_WAIT, LISTENER, CONTEXT, SELECTED, RECOVER, HELD, HELD_LISTENER)
"""How messages are received from whatever has them."""
OF_QUEUES: Final = (BROWSER, LAST)
"""The same of queues alone."""
LATER: Final = (HELD, HELD_LISTENER, LAST)
"""Those that begin when all is expired that is to expire."""

PRODUCER, UNIDENTIFIED, SIMPLIFIED = "MessageProducer", "MessageProducer for none", "JMSProducer"
DEFAULTS, ARGUMENTS = "", "with arguments"
ASYNCHRONOUS, ASYNCHRONOUS_ARGUMENTS = "asynchronously", "asynchronously with arguments"
BODY, MESSAGE, MESSAGE_ASYNC = (
    "as a body by a JMSProducer",
    "by a JMSProducer",
    "asynchronously by a JMSProducer",
)
FORMS: Final = (DEFAULTS, ARGUMENTS, ASYNCHRONOUS, ASYNCHRONOUS_ARGUMENTS)
"""How a MessageProducer sends."""
SIMPLIFIED_FORMS: Final = (BODY, MESSAGE, MESSAGE_ASYNC)
"""How a JMSProducer sends."""
WITH_ARGUMENTS: Final = (ARGUMENTS, ASYNCHRONOUS_ARGUMENTS)
SEND, COMMIT, WAIT = "send", "commit", "wait"
BROWSE, SUBSCRIBE = "browse", "subscribe"


@dataclass(frozen=True, slots=True)
class Route:
    """A destination, and how its messages are received."""

    name: str
    outlet: str
    way: str

    def __str__(self) -> str:
        return f"{self.name} {OUTLETS[self.outlet]} by {self.way}"


@dataclass(frozen=True, slots=True)
class Maker:
    """A producer for a lane."""

    name: str
    lane: str
    kind: str
    transacted: bool = False

    def __str__(self) -> str:
        session = " of a transacted session" if self.transacted else ""
        return f"{self.name} is a {self.kind}{session} for {self.lane}"


@dataclass(frozen=True, slots=True)
class SendOptions:
    """How one message is sent."""

    number: int
    form: str
    lives: int = 0
    """By arguments, as is its priority."""
    priority: int = 4
    chosen: bool = True
    """What selectors look at."""

    def __str__(self) -> str:
        arguments = f", time to live {self.lives}, priority {self.priority}"
        given = arguments if self.form in WITH_ARGUMENTS else ""
        return f"message {self.number} {self.form}".rstrip() + given


@dataclass(frozen=True, slots=True)
class Step:
    """One call."""

    on: str
    """A producer, a lane, or nothing."""
    method: str
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        given = ", ".join(map(str, self.args))
        if self.method == WAIT:
            return f"until {given} ms have passed messages are received"
        return f"{self.on}.{self.method}({given})"


@dataclass(frozen=True, slots=True, repr=False)
class Program:
    """What is sent through some destinations, of which each is received from in its way."""

    lanes: Sequence[Route]
    makers: Sequence[Maker]
    steps: Sequence[Step]

    def __str__(self) -> str:
        return "; ".join(map(str, (*self.lanes, *self.makers, *self.steps)))

    def __repr__(self) -> str:
        return f"Program of {len(self.steps)} steps"

    def showing(self, lanes: Collection[str], look: TimedLook, *, alone: bool) -> Program:
        """What happens to these lanes, and what is looked at behind that.

        `alone`: by the producers of these messages, up to the last of them.
        """
        makers = [maker for maker in self.makers if maker.lane in lanes]
        steps = [*self.steps]
        if alone:
            sends = {
                step.args[0].number: at for at, step in enumerate(steps) if step.method == SEND
            }
            names = {steps[sends[number]].on for number in look.numbers}
            makers = [maker for maker in makers if maker.name in names]
            end = max(sends[number] for number in look.numbers)
            steps = [
                step
                for at, step in enumerate(steps)
                if at <= end or not (step.method == SEND or step.method.startswith("set_"))
            ]
        names = {"", *lanes, *(maker.name for maker in makers)}
        steps = [step for step in steps if step.on in names]
        while steps[-1].method == WAIT:
            steps.pop()
        seen = Step(", ".join(f"message {number}" for number in look.numbers), look.method)
        return Program([lane for lane in self.lanes if lane.name in lanes], makers, [*steps, seen])


def without(program: Program, at: int) -> Program:
    """The program without one step."""
    return replace(program, steps=[*program.steps[:at], *program.steps[at + 1 :]])
