"""A program on sessions as data: what is called, on which object, and what the result is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from jms_model.delivery.choosing import CONDITIONS
from jms_model.delivery.provider import QUEUE, TOPIC, ModelProvider
from jms_model.delivery.rules import FACTORY
from jms_model.delivery.vendors import INDIVIDUAL, NONE, Vendor
from jmsapi import SessionMode
from touchstone.drawn import lockstep

_WORDS: Final = {
    "delivery": "JMSRedelivered and JMSXDeliveryCount",
    "text": "getText()",
    "content": "getText(), its properties, getJMSType() and getJMSCorrelationID()",
    "change": "clearBody(), setText('changed'), clearProperties()",
    "receive_no_wait": "receiveNoWait()",
    "receive_briefly": "receive(30)",
    "receive_body_as_map": "receiveBody(Map)",
    "queue": "getQueue()",
    "message_selector": "getMessageSelector()",
    "enumeration": "getEnumeration()",
    "more": "hasMoreElements()",
    "next": "nextElement()",
}
APART: Final = "s1"
"""The session of another connection, in programs that have one."""
NAMES: Final = frozenset("qtdnk")
"""What the names of destinations, subscriptions and consumers begin with."""


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call."""

    def __str__(self) -> str:
        given = ", ".join(self._shown(each) for each in self.args if each is not None)
        called = _WORDS.get(self.method, f"{self.method}({given})")
        on = "" if self.on == FACTORY else f"{self.on}."
        return f"{self.makes} = {on}{called}" if self.makes else f"{on}{called}"

    def _shown(self, value: Any) -> str:
        if self.method == "create_session":
            return "INDIVIDUAL" if value == INDIVIDUAL else SessionMode(value).name
        if "consumer" in self.method and value in CONDITIONS:
            return str(value)
        return value if isinstance(value, str) and value[:1] in NAMES else repr(value)


@dataclass(frozen=True, slots=True)
class Program:
    """What an application does, by the classic API or by the simplified one."""

    simplified: bool
    steps: Sequence[Step]
    side_by_side: bool = False
    """Whether a queue may have several consumers at a time."""
    domain: str = ""
    """QUEUE or TOPIC: by the interfaces that are for one domain alone."""
    emulated: bool = False
    """Whether its transactions are the client's own."""
    vendor: Vendor = NONE
    """Whose documents have a word, too."""

    def __str__(self) -> str:
        made = {QUEUE: "queue sessions", TOPIC: "topic sessions"}.get(self.domain, "sessions")
        return "; ".join((f"by {'contexts' if self.simplified else made}", *map(str, self.steps)))

    def provider(self) -> ModelProvider:
        """A provider of which no program has made anything yet."""
        return ModelProvider(
            self.simplified, self.side_by_side, self.domain, self.emulated, self.vendor
        )


def without(program: Program, at: int) -> Program:
    """The program without one step, and without what was done with what came of it."""
    gone: set[str] = set()
    steps = []
    for number, step in enumerate(program.steps):
        if number == at or step.on in gone:
            gone |= {step.makes} - {""}
        else:
            left = tuple(
                each for each in step.args if not isinstance(each, str) or each not in gone
            )
            steps.append(replace(step, args=left))
    return replace(program, steps=steps)
