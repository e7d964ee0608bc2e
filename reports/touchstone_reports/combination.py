"""What a row of any output stands for besides its scenario: a client on a broker on a Java."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_ON = re.compile(r"\+on:[^+]+")


@dataclass(frozen=True, slots=True, order=True)
class Combination:
    """A client, the broker and the Java that it was judged on: the same over runs.

    `broker` has family and version, and the way where it was not embedded; `java` has a version.
    Both are empty where nothing is known of them.
    """

    client: str
    broker: str = ""
    java: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """What is known, by name: what distinguishes the row from others in tools."""
        named = {"provider": self.client, "broker": self.broker, "java": self.java}
        return {name: value for name, value in named.items() if value}

    @property
    def on_broker(self) -> str:
        """`qpid on rabbitmq 3.10` for people; a family that the client's name has is named once."""
        client = _ON.sub("", self.client) if self.broker else self.client.replace("+on:", " on ")
        return f"{client} on {self.broker}" if self.broker else client

    @property
    def title(self) -> str:
        """All of it for people: `reference on pulsar 4.0.7, Java 21.0.8`."""
        return f"{self.on_broker}, Java {self.java}" if self.java else self.on_broker


def titles(combinations: Sequence[Combination]) -> list[str]:
    """The shortest names that distinguish them; equal combinations have the same name."""
    different = set(combinations)

    def alone(names: Iterable[str]) -> set[str]:
        return {name for name, count in Counter(names).items() if count == 1}

    plain = alone(combination.client for combination in different)
    on_broker = alone(combination.on_broker for combination in different)

    def title(combination: Combination) -> str:
        if combination.client in plain:
            return combination.client.replace("+on:", " on ")
        return combination.on_broker if combination.on_broker in on_broker else combination.title

    return list(map(title, combinations))
