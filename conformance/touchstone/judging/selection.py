"""Which scenarios of a collection run for a provider, and in which order: pure functions."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jms_brokers.brokers.profiles import PLAIN
from jms_clients.errors import ProviderError
from jms_clients.interface import Provider
from touchstone.catalogue import Library
from touchstone.catalogue.items import Scenario
from touchstone.judging.options import ScenarioSelection

_NARROWING = {
    "touchstone_requirement": "--requirement",
    "touchstone_scenario": "--scenario",
    "touchstone_area": "--area",
    "touchstone_document": "--document",
    "touchstone_sample": "--sample",
    "touchstone_draw": "--draw",
    "keyword": "-k",
    "markexpr": "-m",
    "deselect": "--deselect",
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
}
"""Options after which not every scenario is asked for, by their names in pytest's configuration."""


@dataclass(frozen=True)
class Excused:
    """A requirement that a scenario is not run for, with the reason."""

    scenario: Scenario
    requirement: str
    reason: str


def applicable(
    scenario: Scenario, provider: Provider, library: Library
) -> tuple[tuple[str, ...], list[Excused]]:
    """The ids of the scenario that this provider is judged on, and those that it is not."""
    lacking = [name for name in scenario.needs if name not in provider.capabilities]
    kept, excused = [], []
    for id_ in scenario.requirements:
        prefix = library.requirements[id_].document
        if not library.applies(prefix, provider.documents):
            title = library.documents[prefix].title
            excused.append(Excused(scenario, id_, f"{title} does not speak of {provider.name}"))
        elif lacking:
            excused.append(
                Excused(scenario, id_, f"{provider.name} does not offer {', '.join(lacking)}")
            )
        else:
            kept.append(id_)
    return tuple(kept), excused


def check_documents(provider: Provider, library: Library) -> None:
    """`ProviderError` for a document that no catalogue has: by it nothing would be judged."""
    if unknown := sorted(provider.documents - library.documents.keys()):
        raise ProviderError(
            f"{provider.name} names the document {unknown[0]!r}, which no catalogue has",
            hint=library.prefixes_text,
        )


def runs_silently(scenario: Scenario, provider: Provider) -> bool:
    """Whether a scenario whose documents are silent on this provider runs to see what it does."""
    if scenario.portable is None or not provider.capabilities.issuperset(scenario.needs):
        return False
    return not scenario.portable or provider.broker_family in scenario.portable


def ordered(scenarios: Iterable[Scenario], seed: int) -> list[Scenario]:
    """Random by the seed, but those that wait long first, and those of one special broker together.

    A scenario with a private broker waits for its start, and so does the first of those that need
    a special one. The others of these follow when some on the plain broker, which most need, have
    bridged that start: several workers would wait for it together. Behind the last of them nobody
    asks for that broker again.
    """
    shuffled = sorted(scenarios, key=lambda scenario: scenario.id)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 (an order, not a secret)
    long: list[Scenario] = []
    groups: dict[str, list[Scenario]] = {PLAIN: []}
    for scenario in shuffled:
        waits = scenario.exclusive or (scenario.slow and scenario.profile == PLAIN)
        (long if waits else groups.setdefault(scenario.profile, [])).append(scenario)
    plain = groups.pop(PLAIN)
    share = len(plain) // (len(groups) + 1)
    order = sorted(long, key=lambda s: (s.profile != PLAIN, s.profile))
    for name in sorted(groups):
        first, *others = sorted(groups[name], key=lambda s: not s.slow)
        order += [first, *plain[:share], *others]
        plain = plain[share:]
    return order + plain


def cheapest_first(
    scenarios: Iterable[Scenario], seed: int, seconds: Mapping[str, float]
) -> list[Scenario]:
    """For a run that ends at the first failure: a start of a broker, or a wait, may be spared.

    `seconds`: how long some of them are known to take; of the others those that are said to be slow
    come last. Random by the seed otherwise.
    """

    def cost(scenario: Scenario) -> tuple[bool, bool, float]:
        special = scenario.profile != PLAIN
        unknown = math.inf if scenario.slow else 0.0
        return scenario.exclusive, special, seconds.get(scenario.id, unknown)

    return sorted(ordered(scenarios, seed), key=cost)


def selected(scenarios: Iterable[Scenario], selection: ScenarioSelection) -> list[Scenario]:
    """The scenarios that were asked for."""
    return [s for s in scenarios if selection.takes(s)]


def narrowing(option: Any, incomplete: Iterable[str]) -> list[str]:
    """What keeps scenarios from being asked for, in words.

    That is pytest's options as they were given, and catalogues that were not collected whole.
    """
    given = {spelt: getattr(option, name, None) for name, spelt in _NARROWING.items()}
    return [
        *(f"{spelt} {each}" for spelt, value in given.items() if value for each in _each(value)),
        *(f"leaving out some or all of the catalogue {name}" for name in incomplete),
    ]


def _each(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else [value]


def drawn(scenarios: Iterable[Scenario], count: int, seed: int) -> list[Scenario]:
    """At most `count` scenarios in all, drawn by the seed."""
    candidates = sorted(scenarios, key=lambda scenario: scenario.id)
    return random.Random(seed).sample(candidates, min(count, len(candidates)))  # noqa: S311 (a choice)


def sampled(scenarios: Iterable[Scenario], each: int, seed: int) -> list[Scenario]:
    """At most `each` scenarios of every area, drawn by the seed."""
    by_area: dict[str, list[Scenario]] = {}
    for scenario in sorted(scenarios, key=lambda scenario: scenario.id):
        by_area.setdefault(scenario.area, []).append(scenario)
    draw = random.Random(seed)  # noqa: S311 (a choice, not a secret)
    return [
        scenario
        for area in by_area.values()
        for scenario in draw.sample(area, min(each, len(area)))
    ]
