"""The list of mutants: every module-level `Mutant` of the modules in this package."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from touchstone import mutants
from touchstone.errors import HarnessError, ProviderError

_lock = threading.Lock()
_at_work: dict[str, tuple[ExitStack, int]] = {}
"""By name, what mends the reference, and how many want it broken."""
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

    By default those that are neither workloads nor streams of damaged messages: what is wrong each
    time takes thousands of messages, or a wait for each kind of damage, to nobody's use.
    """

    @property
    def spelling(self) -> str:
        """How it is asked for as a provider."""
        return f"{self.provider}+mutant:{self.name}"


@contextmanager
def broken_by(one: Mutant) -> Iterator[None]:
    """The reference is broken by `one` until the last who asked for that has ended.

    They may end in any order: patches that are undone in another order than they were made would
    mend what others still want broken.
    """
    with _lock:
        fault, users = _at_work.get(one.name) or (ExitStack(), 0)
        if not users:
            fault.enter_context(one.apply())
        _at_work[one.name] = fault, users + 1
    try:
        yield
    finally:
        with _lock:
            fault, users = _at_work.pop(one.name)
            if users > 1:
                _at_work[one.name] = fault, users - 1
            else:
                fault.close()


@cache
def all_mutants() -> Mapping[str, Mutant]:
    """Every mutant by its name; `HarnessError` when two share one."""
    found: dict[str, Mutant] = {}
    for module in pkgutil.iter_modules(mutants.__path__, mutants.__name__ + "."):
        for row in vars(importlib.import_module(module.name)).values():
            if not isinstance(row, Mutant):
                continue
            if found.get(row.name, row) is not row:
                raise HarnessError(f"Two mutants are called {row.name}", hint="Rename one of them.")
            found[row.name] = row
    return found


def mutant(name: str) -> Mutant:
    """The mutant called `name`; `ProviderError` with close matches otherwise."""
    try:
        return all_mutants()[name]
    except KeyError:
        close = get_close_matches(name, all_mutants(), n=3)
        raise ProviderError(
            f"There is no mutant {name!r}",
            hint=f"Close to it: {', '.join(close)}."
            if close
            else "`touchstone providers --json` lists them.",
        ) from None
