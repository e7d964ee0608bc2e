"""The wrong clients of all packages in the entry-point group `jms_clients.wrong_clients`."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from functools import cache
from types import ModuleType

from jms_brokers.machine.installed import registered_entry_points
from jms_clients.errors import ProviderError
from jms_clients.mutants.mutant import Mutant

GROUP = "jms_clients.wrong_clients"
_lock = threading.Lock()
_at_work: dict[str, tuple[ExitStack, int]] = {}
"""By name, what mends the reference, and how many want it broken."""


@contextmanager
def broken_by(mutant: Mutant) -> Iterator[None]:
    """The reference is broken by `one` until the last who asked for that has ended.

    They may end in any order: patches that are undone in another order than they were made would
    mend what others still want broken.
    """
    with _lock:
        fault, users = _at_work.get(mutant.name) or (ExitStack(), 0)
        if not users:
            fault.enter_context(mutant.apply())
        _at_work[mutant.name] = fault, users + 1
    try:
        yield
    finally:
        with _lock:
            fault, users = _at_work.pop(mutant.name)
            if users > 1:
                _at_work[mutant.name] = fault, users - 1
            else:
                fault.close()


@cache
def all_mutants() -> Mapping[str, Mutant]:
    """Every wrong client by its name; `ProviderError` for a name of two, and a package in error."""
    return {name: mutant for own in by_package().values() for name, mutant in own.items()}


@cache
def by_package() -> Mapping[ModuleType, Mapping[str, Mutant]]:
    """The wrong clients of each registered package, by their names."""
    known: dict[str, Mutant] = {}
    packages: dict[ModuleType, Mapping[str, Mutant]] = {}
    for package, modules in _packages():
        own: dict[str, Mutant] = {}
        for module in modules:
            for row in vars(module).values():
                if not isinstance(row, Mutant):
                    continue
                if known.setdefault(row.name, row) is not row:
                    raise ProviderError(
                        f"Two wrong clients are called {row.name}", hint="Rename one of them."
                    )
                own[row.name] = row
        packages[package] = own
    return packages


def _packages() -> Iterator[tuple[ModuleType, list[ModuleType]]]:
    """Each registered package with its modules; `ProviderError` names what cannot be loaded."""
    for point in registered_entry_points(GROUP):
        try:
            package = point.load()
            names = [
                module.name for module in pkgutil.walk_packages(package.__path__, f"{point.value}.")
            ]
            modules = [importlib.import_module(name) for name in names]
        except Exception as error:
            raise ProviderError(
                f"The wrong clients {point.name!r} ({point.value}) cannot be loaded: {error!r}",
                hint=f"Mend or remove the distribution that registers them in {GROUP}.",
            ) from error
        yield package, modules


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
