"""Releases of several clients, and what is known besides, made up for tests of the site."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from touchstone_reports.results import RunResults, read
from touchstone_reports.site.facts import (
    ClientFacts,
    FindingCase,
    FindingFacts,
    Known,
    Program,
    ShownInJava,
    finding_id,
)

Record = dict[str, Any]
REASON = "The header JMSXDeliveryCount is 2 at the first delivery; {0}."


def defect(client: str, number: int = 0, **changes: Any) -> FindingFacts:
    """A finding of a client, in every statement of the number."""
    requirement = f"JMS-HDR-{number:03}"
    scenario = f"headers/test_{number}"
    facts: Record = {
        "id": finding_id(client, requirement, scenario),
        "client": client,
        "reason": REASON.format(f"{client} {number}"),
        "cases": (FindingCase(requirement, scenario, ("assert 2 == 1",), "versions >=2"),),
        "effect": "duplicates",
        "links": ("https://tracker.example/1",),
        "state": "confirmed",
        "shown": (
            ShownInJava(
                requirement,
                scenario,
                "confirmed",
                "2.0",
                f"{client} 9",
                "21",
                "2026-11-28",
                "other 1",
            ),
        ),
        "programs": (Program("Reproducer.java", "class Reproducer {}", "Made of a run."),),
    }
    return FindingFacts(**{**facts, **changes})


def known(
    requirements: Iterable[Record], findings: Iterable[FindingFacts] = (), **clients: ClientFacts
) -> Known:
    """What is known besides the runs."""
    return Known(list(requirements), {"JMS": "The specification"}, clients, list(findings))


def write_releases(
    folder: Path,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
    clients: Iterable[str],
    releases: Iterable[str],
    requirements: Iterable[Record],
    defects: int = 1,
) -> list[RunResults]:
    """A whole run of each release of each client; the first statements are those of `defect`."""
    wanted = list(requirements)
    runs = []
    for client in clients:
        for day, release in enumerate(releases, start=1):
            name = f"{client}@{release}"
            lines = []
            for number, requirement in enumerate(wanted):
                line = verdict(
                    requirement=requirement["id"],
                    document=requirement["document"],
                    area=requirement["area"],
                    scenario=f"{requirement['area']}/test_{number}",
                    provider=name,
                )
                if number < defects:
                    line |= {
                        "verdict": "DEVIATES-AS-DOCUMENTED",
                        "reason": "assert 2 == 1",
                        "expected": "1",
                        "seen": "2",
                        "deviation": {
                            "class": "known-defect",
                            "reason": REASON.format(f"{client} {number}"),
                            "link": "",
                        },
                    }
                lines.append(line)
            run = write_run(
                folder / f"{client}-{release}",
                lines,
                id=f"{client}-{release}",
                started=f"2026-11-{day:02}T09:00:00+00:00",
                finished=f"2026-11-{day:02}T09:01:00+00:00",
                providers=[{"name": name, "version": release, "documents": []}],
                brokers=[{"family": client, "way": "embedded", "version": "9"}],
                selection={"narrowed_by": [], "scenarios": []},
                not_applicable_documents=[],
            )
            runs.append(read(run))
    return runs


class Links(HTMLParser):
    """What a page names: its links, what it loads, and the places that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if not value:
                continue
            if name == "id":
                self.places.add(value)
            elif name in ("src", "srcset", "poster") or (tag == "link" and name == "href"):
                self.loaded.append(value)
            elif name in ("href", "action"):
                self.links.append(value)
