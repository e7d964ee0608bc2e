"""A program as data: messages that are sent, by JMS or by another client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from jms_model.pulsar_wire.foreign import Foreign
from jms_model.pulsar_wire.looks import Look
from jms_model.pulsar_wire.sent import MessageToSend

RECEIVE, LISTENER, BROWSER, BODIES = "receive", "a listener", "a browser", "receiveBody"
CONTEXT, RECOVER, TRANSACTED = "a context", "recover", "a transacted session"
ROLLBACK, CLOSED = "a rollback", "a closed consumer"
AGAIN: Final = (RECOVER, ROLLBACK, CLOSED)
"""Ways in which each message comes twice."""
WAYS: Final = (RECEIVE, LISTENER, BROWSER, BODIES, CONTEXT, TRANSACTED, *AGAIN)
"""How the messages are received."""
FORWARDING: Final = (RECEIVE, LISTENER, CONTEXT)
"""The same where they may be sent on."""
OF_TOPICS: Final = (RECEIVE, LISTENER, CONTEXT)
"""The same of topics."""
Step = MessageToSend | Foreign | Look


@dataclass(frozen=True, slots=True)
class Program:
    """Messages that go through one destination of their own."""

    kind: str
    """Queue or topic."""
    way: str
    steps: Sequence[Step]
    numbered: bool = False
    """Whether the raw messages are read one by one, which shows their sequence ids."""
    onward: Sequence[MessageToSend] = ()
    """How what was received is sent on, by turns, as far as form and options say; none: it is
    not."""
    prioritized: bool = False
    """Whether priorities are switched on, which says nothing of a topic without partitions."""

    def __str__(self) -> str:
        by = f"a {self.kind}, received by {self.way}"
        if self.onward:
            by += f", sent on by {', '.join(each.form for each in self.onward)}"
        if self.prioritized:
            by += ", priorities switched on"
        return "; ".join((by, *map(str, self.steps)))

    def showing(self, numbers: Sequence[int], look: Look) -> Program:
        """The sends of these numbers alone, and what is looked at behind them."""
        return replace(self, steps=[*(self.steps[number] for number in numbers), look])


def without(program: Program, at: int) -> Program:
    """The program without one step."""
    return replace(program, steps=[*program.steps[:at], *program.steps[at + 1 :]])
