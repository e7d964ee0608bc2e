"""All that the project knows of each requirement, gathered from its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jms_clients.mutants.mutant import Mutant
from jms_clients.mutants.registry import all_mutants
from touchstone.catalogue import Document, Library, Requirement
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.items import Scenario
from touchstone.catalogue.scenarios import by_requirement, collect_scenarios

if TYPE_CHECKING:
    from pulsar_jms.implements import Implementation


@dataclass(frozen=True)
class Explanation:
    """A requirement with the rules that implement it, who judges it, and what differs."""

    requirement: Requirement
    document: Document
    rules: tuple[Implementation, ...]
    scenarios: tuple[Scenario, ...]
    deviations: tuple[Deviation, ...]
    mutants: tuple[Mutant, ...]
    """The wrong clients that its scenarios have to notice."""

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {
            **self.requirement.as_dict(),
            "title": self.document.title,
            "rules": [
                {"name": rule.name, "module": rule.module, "statement": rule.statement}
                for rule in self.rules
            ],
            "scenarios": [
                {"id": each.id, "shows": each.shows, "presets": list(each.presets)}
                for each in self.scenarios
            ],
            "deviations": [
                {
                    "provider": entry.provider,
                    "broker": entry.broker,
                    "scenario": entry.scenario or None,
                    **entry.as_dict(),
                }
                for entry in self.deviations
            ],
            "mutants": [{"name": mutant.name, "doc": mutant.doc} for mutant in self.mutants],
        }


def explanations(
    library: Library, requirements: Iterable[str] | None = None
) -> Mapping[str, Explanation]:
    """An explanation for each id, in the order of the files; without ids for all there are."""
    # The reference brings its client along.
    from pulsar_jms.implements import implementations_by_requirement

    rules = implementations_by_requirement()
    judges = by_requirement(collect_scenarios(library))
    deviations = load_deviations(library)
    mutants = all_mutants().values()
    wanted = library.requirements if requirements is None else requirements
    return {
        id_: Explanation(
            requirement=library.requirements[id_],
            document=library.documents[library.requirements[id_].document],
            rules=rules.get(id_, ()),
            scenarios=judges.get(id_, ()),
            deviations=tuple(entry for entry in deviations if entry.requirement == id_),
            mutants=tuple(mutant for mutant in mutants if id_ in mutant.violates),
        )
        for id_ in wanted
    }
