"""Drafts of deviation entries for the violations of a run; the empty reasons have to be filled."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable

from jms_clients.registry import Spelling
from touchstone.catalogue.deviation_files import VENDOR_CLASSES
from touchstone_reports.results import RunResults, VerdictLine
from touchstone_reports.verdicts import Verdict

_TO_DO = f"""\
# For each entry: find out why, and say it in `reason`. `class` is one of
# {", ".join(VENDOR_CLASSES)}, or one of those that the reference's entries have.
# In `message` put * for what is different in each run. An entry without `scenario` speaks of all
# scenarios of its requirement. What happens only now and then has `occurs = "sometimes"`. Where the
# cause is not the client but its broker, Java, a document or settings, `fault` says so. What a user
# suffers from a known-defect, `effect` says, as "loss"; `touchstone findings` puts the worst first.
"""
_NOTHING = "# Nothing in this run violates.\n"


def draft(results: RunResults, today: datetime.date) -> str:
    """TOML with one entry for each violated requirement and scenario.

    Class and reason are empty, and a file with empty ones is refused: somebody has to look.
    """
    violations = [
        judgement for judgement in results.judgements if judgement.verdict is Verdict.VIOLATES
    ]
    versions = {provider.name: provider.version for provider in results.run.providers}
    entries = "\n".join(
        _entry(violation, versions[violation.provider], today) for violation in violations
    )
    return f"{_TO_DO}\n{entries}" if entries else _NOTHING


def _entry(violation: VerdictLine, version: str, today: datetime.date) -> str:
    spelling = Spelling.parse(violation.provider)
    on = {"broker": spelling.on} if spelling.on else {}
    fields = {
        "provider": spelling.base,
        "version": f"=={version}",
        **on,
        "requirement": violation.requirement,
        "scenario": violation.scenario,
        "message": (violation.reason or "").partition("\n")[0],
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
