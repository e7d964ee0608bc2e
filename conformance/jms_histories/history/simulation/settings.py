"""What a simulated history is made of: its size, its shares and its two presets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from jms_histories.errors import HistoryError

LEAST_MESSAGES: Final = 1000
MOST_MESSAGES: Final = 1 << 33


class Acknowledging(IntEnum):
    """How the sessions of the shared queue settle what they receive."""

    AUTO = 0
    CLIENT = 1
    """acknowledge() for a block of messages; now and then recover() instead."""
    TRANSACTED = 2
    """commit() for a block of messages; now and then rollback() instead."""
    LAZY = 3


_A, _C, _T, _L = Acknowledging

SUBSCRIPTION_SHARES: Final[Mapping[str, float]] = {
    "queue": 0.57,
    "durable": 0.228,
    "grouped": 0.2,
    "through": 0.002,
}
"""Share of the messages by who consumes them; durable: a topic with two durable subscriptions."""


@dataclass(frozen=True)
class SimulationSettings:
    """One simulated history. Shares are of its messages.

    subscriptions: weights by the names of SUBSCRIPTION_SHARES; queue is required. sessions: those
    of the queue. scatter: messages of the queue arrive far out of the order of their numbers.
    """

    messages: int
    seed: int = 1
    preset: str = "plain"
    subscriptions: Mapping[str, float] = field(default_factory=lambda: dict(SUBSCRIPTION_SHARES))
    sessions: tuple[Acknowledging, ...] = (_A, _A, _C, _T)
    keys: int = 1000
    redelivered: float = 0.01
    delayed: float = 0.02
    expiring: float = 0.001
    volatile: float = 0.001
    unsure: float = 0.0002
    transactional: float = 0.004
    other_priorities: float = 0.1
    scatter: bool = False

    def __post_init__(self) -> None:
        """Raises HistoryError if this cannot be made."""
        if not LEAST_MESSAGES <= self.messages <= MOST_MESSAGES:
            raise HistoryError(
                f"a history of {self.messages} messages cannot be simulated",
                hint=f"Ask for {LEAST_MESSAGES} to {MOST_MESSAGES} messages.",
            )
        unknown = sorted(set(self.subscriptions) - set(SUBSCRIPTION_SHARES))
        if unknown or self.subscriptions.get("queue", 0) <= 0:
            what = f"{', '.join(unknown)} is unknown" if unknown else "there is no queue"
            raise HistoryError(
                f"subscriptions of a simulated history: {what}",
                hint="Give weights such as queue=0.6,durable=0.2,grouped=0.2,through=0.01; queue "
                "is required.",
            )
        if any(not 0 <= weight < math.inf for weight in self.subscriptions.values()):
            raise HistoryError(
                "subscriptions of a simulated history: a weight is negative or no number",
                hint="Leave out what should get no messages.",
            )


def read_weights(text: str | None) -> Mapping[str, float]:
    """Weights of subscriptions such as queue=0.6,durable=0.4; the default ones for None.

    Raises HistoryError if it is no such text.
    """
    if text is None:
        return SUBSCRIPTION_SHARES
    try:
        pairs = [part.split("=") for part in text.split(",")]
        return {name.strip(): float(weight) for name, weight in pairs}
    except ValueError as error:
        raise HistoryError(
            f"subscriptions {text!r} cannot be read", hint="Write queue=0.6,durable=0.4."
        ) from error


def preset(
    name: str,
    messages: int,
    seed: int = 1,
    *,
    subscriptions: Mapping[str, float] = SUBSCRIPTION_SHARES,
) -> SimulationSettings:
    """The settings of a preset: plain, or hard for every shortcut of a checker."""
    if name == "plain":
        return SimulationSettings(messages, seed, subscriptions=subscriptions)
    if name == "hard":
        return SimulationSettings(
            messages,
            seed,
            preset="hard",
            subscriptions=subscriptions,
            sessions=(_A, _A, _A, _A, _C, _C, _T, _L),
            redelivered=0.03,
            delayed=0.05,
            expiring=0.01,
            volatile=0.01,
            unsure=0.001,
            transactional=0.2,
            scatter=True,
        )
    raise HistoryError(f"there is no preset {name}", hint="Choose plain or hard.")
