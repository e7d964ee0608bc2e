"""A wrong client as data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

WORKLOADS = "test_workload"
"""Part of the name of every scenario that is a workload."""
DAMAGED = "among_damaged_ones"
"""Part of the name of every scenario that waits for good messages among damaged ones."""
UNREADABLE = f"{DAMAGED} and body"
"""Those of them in which messages are that the reference cannot read."""


@dataclass(frozen=True)
class Mutant:
    """One wrong decision of the reference."""

    name: str
    area: str
    violates: tuple[str, ...]
    """Ids of requirements: its scenarios have to find it in violation of at least one."""
    doc: str
    """One line: what is broken."""
    apply: Callable[[], AbstractContextManager[object]]
    """Breaks the reference in this process for as long as the context lasts."""
    provider: str = "reference"
    """The provider that shows it: `reference-java` for what pulsar-client cannot do at all."""
    scenarios: str = ""
    """Part of the name of those scenarios that are to notice it, each of its ids being violated.

    By default all but workloads and streams of damaged messages: these take thousands of messages,
    or a wait for each kind of damage, and a fault that shows each time needs neither.
    """

    @property
    def spelling(self) -> str:
        """How it is asked for as a provider."""
        return f"{self.provider}+mutant:{self.name}"
