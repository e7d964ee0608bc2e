"""Drafts of deviation entries for the violations of a run; the empty reasons have to be filled."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable

from touchstone.providers.registry import Spelling
from touchstone_reports.results import Judgement, RunResults
from touchstone_reports.verdicts import Verdict


def draft(results: RunResults, today: datetime.date) -> str:
    """TOML with one entry for each violated requirement and scenario.

    Class and reason are empty, and a file with empty ones is refused: somebody has to look.
    """
    violations = [one for one in results.judgements if one.verdict is Verdict.VIOLATES]
    versions = {provider.name: provider.version for provider in results.run.providers}
    return "\n".join(_entry(one, versions[one.provider], today) for one in violations)


def _entry(one: Judgement, version: str, today: datetime.date) -> str:
    fields = {
        "provider": Spelling.parse(one.provider).base,
        "version": f"=={version}",
        "requirement": one.requirement,
        "scenario": one.scenario,
        "message": (one.reason or "").partition("\n")[0],
        "class": "",
        "reason": "",
        "link": "",
    }
    return "\n".join(_lines(fields.items(), today)) + "\n"


def _lines(fields: Iterable[tuple[str, str]], today: datetime.date) -> Iterable[str]:
    yield "[[deviation]]"
    for name, value in fields:
        yield f"{name} = {_text(value)}"
    yield f"date = {today.isoformat()}"


def _text(value: str) -> str:
    """`value` as a TOML string: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
