"""Which client was judged when on what: the runs as the site tells of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from touchstone_reports.combination import Combination, titles
from touchstone_reports.grid import Column
from touchstone_reports.results import RunProvider, RunResults
from touchstone_reports.wholeness import shortcomings

_ADDED = re.compile(r"(@[\w.-]+)?(\+on:[^+]+)?\Z")
_MUTANT = "+mutant:"


@dataclass(frozen=True, slots=True)
class Judged:
    """A client in one version, as one run judged it."""

    results: RunResults
    provider: RunProvider

    @property
    def client(self) -> str:
        """The client without its version and broker: what its page is about."""
        return client_of(self.provider.name)

    @property
    def version(self) -> str:
        """The version of the client."""
        return self.provider.version

    @property
    def family(self) -> str:
        """The families of the brokers."""
        return ", ".join(dict.fromkeys(broker.family for broker in self.results.run.brokers))

    @property
    def combination(self) -> Combination:
        """What was judged on what, by the version of the client."""
        told = self.results.run.combination(self.provider.name)
        return Combination(f"{self.client} {self.version}", told.broker, told.java)

    @property
    def key(self) -> tuple[Combination, str]:
        """What later runs of the same have as well."""
        given = {"as shipped": self.provider.as_shipped, **self.provider.settings}
        return self.combination, json.dumps(given, sort_keys=True, default=str)

    @property
    def is_whole(self) -> bool:
        """Whether the run shows all that it could."""
        return not shortcomings(self.results)


def client_of(provider: str) -> str:
    """The client of a provider as it is spelled: `qpid@1.16.0+on:brokerj` is `qpid`."""
    return _ADDED.sub("", provider) or provider


def judged_by(runs: Iterable[RunResults]) -> list[Judged]:
    """Every client of these runs, the newest first; no wrong clients, and no runs of pairs."""
    judged = [
        Judged(results, provider)
        for results in runs
        if not results.of_pairs
        for provider in results.run.providers
        if _MUTANT not in provider.name
    ]
    return sorted(
        judged, key=lambda one: (one.results.run.started, one.results.run.id), reverse=True
    )


def current(judged: Iterable[Judged]) -> list[Judged]:
    """What is told of each client, version, broker and Java: its newest whole run.

    Where no run of it is whole, the newest that has ended, else the newest. By the name of the
    client, then the newest version first.
    """
    of_each: dict[object, list[Judged]] = {}
    for one in judged:
        of_each.setdefault(one.key, []).append(one)
    chosen = [
        next(
            (one for one in several if one.is_whole),
            next((one for one in several if one.results.finished), several[0]),
        )
        for several in of_each.values()
    ]
    chosen.sort(key=lambda one: one.combination)
    chosen.sort(key=lambda one: version_order(one.version), reverse=True)
    return sorted(chosen, key=lambda one: one.client)


def columns(chosen: Sequence[Judged]) -> list[Column]:
    """A column for each, named by what distinguishes it: version, broker, Java, else its run."""
    named = titles([one.combination for one in chosen])
    count = Counter(named)
    return [
        Column(
            one.results,
            one.provider,
            title if count[title] == 1 else f"{title} · {one.results.run.id}",
        )
        for one, title in zip(chosen, named, strict=True)
    ]


def by_client(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The same by client, in their order."""
    ordered = sorted(judged, key=lambda one: one.client)
    return {name: list(group) for name, group in groupby(ordered, key=lambda one: one.client)}


def version_order(version: str) -> tuple[tuple[int, int, str], ...]:
    """What sorts versions as people do: 2.9 before 2.10, a release behind what precedes it."""
    parts = re.findall(r"\d+|[A-Za-z]+", version)
    told = [(1, int(part), "") if part.isdigit() else (-1, 0, part.lower()) for part in parts]
    return (*told, (0, 0, ""))
