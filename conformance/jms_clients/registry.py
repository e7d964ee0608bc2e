"""Providers by their spelling.

`name[/variant][@version][+on:family][+mutant:name]`, or `python:module:attribute` in place of
`name[/variant][@version]`. Names are found in the entry-point group `jms_clients.providers`; the
value is called as `provider(variant, version)` with texts or None and gives a `Provider`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Self

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import HintedError
from jms_brokers.machine.installed import registered_entry_points
from jms_brokers.machine.secrecy import learn_settings
from jms_clients.errors import ProviderError
from jms_clients.interface import Client, Provider
from jms_clients.mutants.mutant import Mutant
from jms_clients.mutants.registry import broken_by, mutant

GROUP = "jms_clients.providers"
_SPELLING = re.compile(
    r"(?P<name>[a-z][\w-]*)(/(?P<variant>[\w.-]+))?(@(?P<version>[\w.-]+))?"
    r"|(?P<python>python:(?P<module>[^:+]+):(?P<attribute>[^:+]+))"
)
_ADDED = re.compile(r"(\+on:(?P<on>[a-z][\w-]*))?(\+mutant:(?P<mutant>[\w.-]+))?")
_HINT = (
    "Write name[/variant][@version] or python:module:attribute, then [+on:family][+mutant:name]."
)
_FIELDS = ("name", "version", "documents", "capabilities", "broker_family", "transport", "open")


@dataclass(frozen=True)
class Spelling:
    """A provider as asked for, in parts; `module` and `attribute` are for `python:` alone.

    `on` is a family of brokers, where it is not the usual one that was asked for.
    """

    name: str
    variant: str | None = None
    version: str | None = None
    on: str | None = None
    mutant: str | None = None
    module: str | None = None
    attribute: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """The parts of `text`; `ProviderError` when it is none of the known forms."""
        plain, mark, rest = text.partition("+")
        client, added = _SPELLING.fullmatch(plain), _ADDED.fullmatch(mark + rest)
        if client is None or added is None:
            raise ProviderError(f"{text!r} does not name a provider", hint=_HINT)
        parts = {**client.groupdict(), **added.groupdict()}
        python = parts.pop("python")
        return cls(**{**parts, "name": parts["name"] or python})

    def __str__(self) -> str:
        """The text that is parsed to this."""
        version = f"@{self.version}" if self.version else ""
        on = f"+on:{self.on}" if self.on else ""
        mutated = f"+mutant:{self.mutant}" if self.mutant else ""
        return self.base + version + on + mutated

    @property
    def base(self) -> str:
        """The name with its variant: what deviations are keyed by."""
        return f"{self.name}/{self.variant}" if self.variant else self.name


def provider_names() -> tuple[str, ...]:
    """The names that are registered, in order."""
    return tuple(sorted(point.name for point in registered_entry_points(GROUP)))


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
            provider = _registered_provider(spelling.name)(spelling.variant, spelling.version)
    except HintedError:
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
            hint="See jms_clients.interface.Provider.",
        )
    learn_settings(getattr(provider, "presets", {}))
    checked: Provider = _for_family(provider, spelling.on) if spelling.on else provider
    return MutatedProvider.of(checked, broken, text) if broken else checked


def families_of(provider: Provider) -> tuple[str, ...]:
    """The families of brokers that the provider can talk to, the one that it is judged on first."""
    return (provider.broker_family, *getattr(provider, "other_families", ()))


def _for_family(provider: Provider, family: str) -> Provider:
    """The provider, to be judged on brokers of `family`."""
    known = families_of(provider)
    if family not in known:
        raise ProviderError(
            f"The provider {provider.name} does not talk to brokers of the family {family!r}",
            hint=f"It talks to: {', '.join(known)}.",
        )
    if family == provider.broker_family:
        return provider
    there: Provider = provider.on(family)  # type: ignore[attr-defined]
    return there


def _registered_provider(name: str) -> Any:
    for point in registered_entry_points(GROUP):
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
    own_protocol: str
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
            own_protocol=getattr(original, "own_protocol", ""),
            original=original,
            mutant=broken,
        )

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[Client]:
        """Open the broken client."""
        with broken_by(self.mutant), self.original.open(broker) as client:
            yield client
