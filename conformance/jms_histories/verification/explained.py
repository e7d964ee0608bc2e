"""A check in words: how its function defines it, and what was found, as report.json says them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from jms_histories.checks import FUNCTIONS
from jms_histories.definitions import CHECKS
from jms_histories.verification.verdicts import Count

_DOCSTRING: Final = re.compile(
    r"(?P<title>[^:]+): (?P<finding>.+?)\. (?:a, b: (?P<evidence>.+)\. )?Power: (?P<power>.+)\."
)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a check means: what is a finding, what its two numbers are, what could be one."""

    title: str
    finding: str
    evidence: str
    """Empty for a check without findings."""
    power: str


def definition_of(check: str) -> Definition:
    """The definition of a check: the docstring of its function, in parts, as Markdown."""
    said = _DOCSTRING.fullmatch(" ".join((FUNCTIONS[check].__doc__ or "").split()))
    assert said is not None
    return Definition(said["title"], said["finding"], said["evidence"] or "", said["power"])


def outcome(count: Count) -> str:
    """What was found of a check, in a sentence without its full stop."""
    check = CHECKS[count.check]
    if not count.shoulds:
        return check.found.of(count.violations) if count.violations else _nothing(count)
    if not count.violations:
        return f"{check.found.of(count.shoulds)}: shown, and does not decide"
    return f"{check.found.of(count.violations)}; of shoulds, which do not decide, {count.shoulds:,}"


def explained(count: Count) -> dict[str, Any]:
    """The parts of a check in report.json that are for readers."""
    check = CHECKS[count.check]
    definition = definition_of(count.check)
    return {
        "outcome": outcome(count),
        "evidence": [{"name": each.name, "kind": str(each.kind)} for each in check.evidence],
        "definition": {
            "finding": _plain(definition.finding),
            "evidence": _plain(definition.evidence),
            "power": _plain(definition.power),
        },
    }


def _plain(markdown: str) -> str:
    """Without what marks words."""
    return markdown.replace("*", "")


def _nothing(count: Count) -> str:
    return CHECKS[count.check].nothing if count.power else "nothing to look at"
