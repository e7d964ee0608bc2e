"""The settings for redeliveries of a factory's consumers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

DEFAULT_LETTERS: Final = "the default"
"""The dead letter topic of a policy that names none."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits before redeliveries."""

    least: int
    """Milliseconds, as the others."""
    most: int
    factor: float

    def seconds(self, redeliveries: int) -> float:
        """The wait before one more, where there were so many before."""
        return float(min(self.most, self.least * self.factor**redeliveries)) / 1000

    @property
    def given(self) -> Mapping[str, object]:
        """As a factory is given it."""
        return {"minDelayMs": self.least, "maxDelayMs": self.most, "multiplier": self.factor}


@dataclass(frozen=True, slots=True)
class Policy:
    """What is done with messages that fail too often."""

    limit: int
    letters: str = DEFAULT_LETTERS
    """The dead letter topic."""
    subscription: str = ""
    """Its first subscription, where one is named."""


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """The consumerConfig of a factory."""

    nack: Backoff
    timeout: int = 0
    """Milliseconds in which messages have to be acknowledged; 0 is for ever."""
    timeout_backoff: Backoff | None = None
    policy: Policy | None = None

    def given(self, named: Mapping[str, str]) -> Mapping[str, object]:
        """As a factory is given it; `named` has what program's dead letter topics are called."""
        config: dict[str, object] = {"negativeAckRedeliveryBackoff": self.nack.given}
        if self.timeout:
            config["ackTimeoutMillis"] = self.timeout
        if self.timeout_backoff is not None:
            config["ackTimeoutRedeliveryBackoff"] = self.timeout_backoff.given
        if self.policy is not None:
            policy: dict[str, object] = {"maxRedeliverCount": self.policy.limit}
            if self.policy.letters != DEFAULT_LETTERS:
                policy["deadLetterTopic"] = named[self.policy.letters]
            if self.policy.subscription:
                policy["initialSubscriptionName"] = self.policy.subscription
            config["deadLetterPolicy"] = policy
        return config

    def __str__(self) -> str:
        return str(self.given({self.policy.letters: self.policy.letters} if self.policy else {}))
