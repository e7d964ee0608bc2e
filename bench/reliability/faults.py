"""A fault: what breaks, where, and what the command has to say and to end with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Where a run with a fault is at work."""

    folder: Path
    results: Path
    temporary: Path
    cache: Path
    journal: Path
    """The pipe by which the owner of the run reports what it has taken down."""


@contextmanager
def change_nothing(place: Place) -> Iterator[Mapping[str, str]]:
    """Nothing is different before the run."""
    del place
    yield {}


@dataclass(frozen=True)
class Fault:
    """One fault of one run."""

    kind: str
    act: str
    """What happens: by its name in `points.ACTIONS` where it happens `at` a point of the run."""
    at: str = ""
    nth: int = 1
    statuses: frozenset[int] = frozenset()
    says: str = ""
    """A pattern of what the command has to say."""
    client: str = "memory"
    scenarios: str = "memory"
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[Place], AbstractContextManager[Mapping[str, str]]] = change_nothing
    """Around the run; it gives further variables of the environment."""
    through: Callable[[Sequence[str]], Sequence[str]] = list
    """The command line for the one that is to be run."""
    own_disk: bool = False
    """Whether the results are on a small disk of their own, which root alone can make."""
    own_temporary: bool = False
    """The same of the temporary folder."""
    takes_results: bool = False
    """Whether the fault itself removes what was written."""
    offline: bool = True
    without: str = ""
    """A guard of the harness that is switched off, by its name in `points.GUARDS`: what is wrong
    then shows that the guard is needed, and that its absence would be noticed."""

    @property
    def name(self) -> str:
        """What distinguishes it from the others."""
        where = f", {self.at} {self.nth}" if self.at else ""
        return " ".join((f"{self.kind}: {self.act}{where}", self.scenarios, *self.options))
