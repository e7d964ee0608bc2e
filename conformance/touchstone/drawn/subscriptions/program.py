"""A program on subscriptions as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from jms_model.pulsar_subscriptions.calls import BROKER
from jms_model.pulsar_subscriptions.kinds import SubscriptionSettings
from touchstone.drawn import lockstep

CLASSIC: Final = "session"
SIMPLIFIED: Final = "context"
FOR_QUEUES: Final = "queue session"
FOR_TOPICS: Final = "topic session"
APIS: Final = (CLASSIC, SIMPLIFIED, FOR_QUEUES, FOR_TOPICS)


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call, or one look at the broker."""

    def __str__(self) -> str:
        if self.on == BROKER:
            of = "".join(f" of {each}" for each in self.args)
            what = "durability of subscriptions" if self.method == "lives" else self.method
            return f"look at the {what}{of}"
        given = ", ".join(_display_text(each) for each in self.args if each not in (None, ""))
        on = f"{self.on}." if self.on else ""
        called = f"{on}{self.method}({given})"
        return f"{self.makes} = {called}" if self.makes else called


def _display_text(value: Any) -> str:
    if isinstance(value, SubscriptionSettings):
        return ", ".join(f"{key}={each!r}" for key, each in value.given.items())
    return repr(value) if isinstance(value, str) else str(value)
