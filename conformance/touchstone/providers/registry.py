"""Providers by their spelling.

`name[/variant][@version][+mutant:name]`, or `python:module:attribute`. Names are found in the
entry-point group `touchstone.providers`; the value is called as `provider(variant, version)` with
texts or None and gives a `Provider`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Any, Self

from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import ProviderError, TouchstoneError
from touchstone.machine.secrecy import learn_settings
from touchstone.mutants.registry import Mutant, broken_by, mutant
from touchstone.providers.interface import Client, Provider

GROUP = "touchstone.providers"
_SPELLING = re.compile(
    r"(?P<name>[a-z][\w-]*)(/(?P<variant>[\w.-]+))?(@(?P<version>[\w.-]+))?"
    r"(\+mutant:(?P<mutant>[\w.-]+))?"
)
_FIELDS = ("name", "version", "documents", "capabilities", "broker_family", "transport", "open")


@dataclass(frozen=True)
class Spelling:
    """A provider as asked for, in parts; `module` and `attribute` are for `python:` alone."""

    name: str
    variant: str | None = None
    version: str | None = None
    mutant: str | None = None
    module: str | None = None
    attribute: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """The parts of `text`; `ProviderError` when it is none of the known forms."""
        if text.startswith("python:"):
            plain, _, mutated = text.partition("+mutant:")
            parts = plain.split(":")
            if len(parts) == 3 and all(parts):
                return cls(plain, mutant=mutated or None, module=parts[1], attribute=parts[2])
        elif match := _SPELLING.fullmatch(text):
            return cls(**match.groupdict())
        raise ProviderError(
            f"{text!r} does not name a provider",
            hint="Write name[/variant][@version][+mutant:name], or python:module:attribute.",
        )

    @property
    def base(self) -> str:
        """The name with its variant: what deviations are keyed by."""
        return f"{self.name}/{self.variant}" if self.variant else self.name


def provider_names() -> tuple[str, ...]:
    """The names that are registered, in order."""
    return tuple(sorted(point.name for point in entry_points(group=GROUP)))


def load_provider(text: str) -> Provider:
    """The provider that `text` spells; `ProviderError` says what is wrong with it."""
    spelling = Spelling.parse(text)
    broken = mutant(spelling.mutant) if spelling.mutant else None
    try:
        if spelling.module and spelling.attribute:
            made = getattr(importlib.import_module(spelling.module), spelling.attribute)
            made_by_call = isinstance(made, type) or not hasattr(made, "open")
            provider = made() if made_by_call else made
        else:
            provider = _registered(spelling.name)(spelling.variant, spelling.version)
    except TouchstoneError:
        raise
    except Exception as error:
        raise ProviderError(
            f"The provider {text!r} cannot be loaded: {type(error).__name__}: {error}",
            hint="Is its distribution whole? `touchstone doctor` says what is there.",
        ) from error
    missing = [name for name in _FIELDS if not hasattr(provider, name)]
    if missing:
        raise ProviderError(
            f"{text!r} is no provider: it has no {', '.join(missing)}",
            hint="See touchstone.providers.interface.Provider.",
        )
    learn_settings(getattr(provider, "presets", {}))
    checked: Provider = provider
    return MutatedProvider.of(checked, broken, text) if broken else checked


def _registered(name: str) -> Any:
    for point in entry_points(group=GROUP):
        if point.name == name:
            return point.load()
    known = provider_names()
    close = get_close_matches(name, known, n=3)
    raise ProviderError(
        f"There is no provider {name!r}",
        hint=f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(known)}.",
    )


@dataclass(frozen=True)
class MutatedProvider:
    """A provider that is broken by a mutant while it is open."""

    name: str
    version: str
    documents: frozenset[str]
    capabilities: frozenset[str]
    broker_family: str
    transport: str
    built_on: str
    presets: Mapping[str, Mapping[str, object]]
    lacks: frozenset[str]
    original: Provider
    mutant: Mutant

    @classmethod
    def of(cls, original: Provider, broken: Mutant, name: str) -> Self:
        """`original` broken by `broken`, under the name that was asked for."""
        return cls(
            name=name,
            version=original.version,
            documents=original.documents,
            capabilities=original.capabilities,
            broker_family=original.broker_family,
            transport=original.transport,
            built_on=getattr(original, "built_on", ""),
            presets=getattr(original, "presets", {}),
            lacks=getattr(original, "lacks", frozenset()),
            original=original,
            mutant=broken,
        )

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[Client]:
        """Open the broken client."""
        with broken_by(self.mutant), self.original.open(broker) as client:
            yield client
