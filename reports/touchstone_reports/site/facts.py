"""What a site says besides what runs have recorded: it is handed in by whoever knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from touchstone_reports.site.addresses import name_in_address


@dataclass(frozen=True, slots=True)
class ClientFacts:
    """What a client is; what is not known of it is empty."""

    title: str
    """Its own name."""
    about: str = ""
    language: str = ""
    licence: str = ""
    homepage: str = ""
    source: str = ""
    """The address of its repository."""
    tracker: str = ""


@dataclass(frozen=True, slots=True)
class FindingCase:
    """A scenario in which a client does not keep a statement, and how that shows."""

    requirement: str
    scenario: str
    """Empty where any scenario may show it."""
    messages: tuple[str, ...] = ()
    conditions: str = ""
    """With which versions, on which broker, on which Java; empty where with any."""


@dataclass(frozen=True, slots=True)
class ShownInJava:
    """What came of the attempt to show a case in plain Java."""

    requirement: str
    scenario: str
    outcome: str
    client: str
    """The client's version."""
    broker: str
    java: str
    date: str
    control: str = ""
    """A client that keeps the statement, with its version."""
    why: str = ""
    """Why there is no program, or why it does not show it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of plain JMS that shows a finding."""

    name: str
    """Of its file."""
    text: str
    about: str
    """Who has written it, or which run it was made of."""
    path: str = ""
    """Where it stands in the site by itself, since several findings share it; else in the page."""


@dataclass(frozen=True, slots=True)
class FindingFacts:
    """A defect of a client: one reason for which it does not keep statements."""

    id: str
    """The name in its address, see `finding_id`."""
    client: str
    """The client without its version."""
    reason: str
    cases: tuple[FindingCase, ...]
    """One at least."""
    effect: str = ""
    """What a user suffers."""
    faults: tuple[str, ...] = ("client",)
    options: tuple[str, ...] = ()
    """The settings that mend it, each as NAME=VALUE."""
    links: tuple[str, ...] = ()
    """Where it is known upstream."""
    searched: str = ""
    """The day on which it was searched upstream in vain."""
    mended_in: str = ""
    """The first release that was judged and does not do so any more."""
    state: str = ""
    """What plain Java has shown of it."""
    why: str = ""
    shown: tuple[ShownInJava, ...] = ()
    programs: tuple[Program, ...] = ()

    @property
    def requirements(self) -> list[str]:
        """The statements that the client does not keep, each once."""
        return sorted({case.requirement for case in self.cases})

    @property
    def upstream(self) -> str:
        """Whether it is known upstream, in words."""
        if self.links:
            return "known upstream"
        return f"unknown upstream, searched {self.searched}" if self.searched else "not searched"


@dataclass(frozen=True, slots=True)
class Known:
    """All that is known besides the runs."""

    requirements: Sequence[Mapping[str, object]]
    """The catalogue's entries as plain mappings, `scenarios` with them where that is known."""
    titles: Mapping[str, str]
    """What a document is called, by its prefix."""
    clients: Mapping[str, ClientFacts]
    """By the client's name, without version and broker."""
    findings: Sequence[FindingFacts]
    """The worst first."""


def finding_id(client: str, requirement: str, *telling: str) -> str:
    """The name of a finding in addresses, by the place of its first case.

    Its words may change without it; so may every other case. `telling` is what else tells it from
    others of this client and requirement: scenario, versions, broker.
    """
    return name_in_address(f"{client}-{requirement}", "\n".join(telling)).lower()
