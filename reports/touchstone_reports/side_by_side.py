"""A page of verdicts side by side: what changed between runs, group by group, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from touchstone_reports.differences import Observation
from touchstone_reports.grid import KEYS, Column
from touchstone_reports.legible import one_line
from touchstone_reports.matrix import STATES
from touchstone_reports.results import VerdictLine
from touchstone_reports.run_facts import run_facts
from touchstone_reports.templating import environment, in_one_file, is_address
from touchstone_reports.wholeness import shortcomings

_OF_EACH_RUN: Final = frozenset({"Run", "Started", "Seed"})
"""Facts that two runs of the same do not share either."""
_MOST_FILTERS: Final = 24
"""Groups for which there is a filter each; more of them are no choice."""
_SHEETS: Final = ("page.css", "matrix.css", "differences.css", "side_by_side.css")
_SCRIPTS: Final = ("theme.js", "differences.js")


@dataclass(frozen=True, slots=True)
class Statements:
    """What a page says of requirements, by their ids."""

    texts: Mapping[str, str] = field(default_factory=dict)
    address_of: Callable[[str], str] = field(default=lambda _: "")
    """Where a statement stands; empty where nothing leads there."""

    @classmethod
    def of(cls, requirements: Sequence[Mapping[str, Any]]) -> Statements:
        """Those of the catalogue's entries as plain mappings; each leads to its document."""
        addresses = {
            str(each["id"]): address
            for each in requirements
            for source in reversed(each.get("source") or ())
            if is_address(address := str(source.get("address", "")))
        }
        texts = {str(each["id"]): str(each["statement"]) for each in requirements}
        return cls(texts, lambda id_: addresses.get(id_, ""))


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the page, with a verdict for each head; None where there is none."""

    label: str
    text: str
    aside: str
    lines: tuple[VerdictLine | None, ...]
    note: str = ""
    address: str = ""
    """Where the label leads."""

    @property
    def said(self) -> list[dict[str, Any]]:
        """What the verdicts say besides, told once of those that say the same."""
        groups: dict[tuple[object, ...], dict[str, Any]] = {}
        for place, line in enumerate(self.lines):
            if line is not None and (line.reason or line.deviation):
                told = line.verdict, line.reason, line.expected, line.seen, line.deviation
                group = groups.setdefault(told, {"line": line, "places": []})
                group["places"].append(place)
        return list(groups.values())

    @property
    def in_short(self) -> str:
        """The reason of the last verdict that has one, in a line."""
        reasons = [line.reason for line in self.lines if line is not None and line.reason]
        return one_line(reasons[-1]) if reasons else ""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of which the same is to be said."""

    title: str
    rows: tuple[Row, ...] = ()
    texts: tuple[str, ...] = ()
    """Lines without verdicts."""
    told: str = ""
    folded: bool = False
    """Whether it is shown only when asked for."""

    @property
    def size(self) -> int:
        """How many lines it has."""
        return len(self.rows) + len(self.texts)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """All that a page says."""

    title: str
    lead: str
    heads: tuple[str, ...]
    """The names of the columns of verdicts."""
    groups: tuple[Group, ...]
    columns: tuple[Column, ...] = ()
    """The runs that the page tells of first, those of the heads."""
    observations: tuple[Observation, ...] = ()
    labels: str = "Requirement"
    texts: str = "Statement"


def row_of(
    statements: Statements,
    requirement: str,
    scenario: str,
    lines: tuple[VerdictLine | None, ...],
    note: str = "",
) -> Row:
    """The row of a statement in a scenario."""
    text = statements.texts.get(requirement, "Not in the catalogue that this page was made with.")
    return Row(requirement, text, scenario, lines, note, statements.address_of(requirement))


def render(page: SideBySide, home: str = "") -> str:
    """The page as text, in one file; `home` leads to the first page of a site around it."""
    groups = [group for group in page.groups if group.size]
    facts = list(map(facts_of, page.columns))
    differing = differing_facts(facts)
    shared = (
        {name: value for name, value in facts[0].items() if name not in differing} if facts else {}
    )
    templates = environment()
    return templates.get_template("side_by_side.html.j2").render(
        page=page,
        home=home,
        groups=groups,
        has_filters=len(groups) <= _MOST_FILTERS,
        cards=[
            _card(column, {name: told.get(name, "none") for name in differing})
            for column, told in zip(page.columns, facts, strict=True)
        ],
        shared=shared,
        keys=KEYS,
        states=STATES,
        columns=[{"title": head} for head in page.heads],
        observations=page.observations,
        **in_one_file(templates, _SHEETS, _SCRIPTS),
    )


def _card(column: Column, facts: Mapping[str, str]) -> Mapping[str, Any]:
    counts = column.results.counts(column.provider.name)
    return {
        "title": column.title,
        "tally": Counter({KEYS[verdict]: count for verdict, count in counts.items()}),
        "facts": facts,
        "shortcomings": shortcomings(column.results),
    }


def facts_of(column: Column) -> dict[str, str]:
    """What was judged on what, when: the facts of a column by name."""
    told = {
        "Client": column.provider.name,
        "Version": column.provider.version,
        **run_facts(column.results.run),
        "Java": column.java,
    }
    return {name: value for name, value in told.items() if value and name != "Took"}


def differing_facts(facts: Sequence[Mapping[str, str]]) -> list[str]:
    """The names of the facts that are not the same in all."""
    names = dict.fromkeys(name for told in facts for name in told)
    return [name for name in names if len({told.get(name) for told in facts}) > 1]


def what_differs(columns: Sequence[Column]) -> str:
    """In words, what distinguishes these runs but for what every run has of its own."""
    names = [
        name.lower() if name != "Java" else name
        for name in differing_facts(list(map(facts_of, columns)))
        if name not in _OF_EACH_RUN
    ]
    return (
        f"What differs: {', '.join(names)}." if names else "Client, broker and Java are the same."
    )
