"""Makes Allure's page: history over runs, known deviations as accepted, nothing from outside.

Allure writes a script of an analytics service into each page. It is taken out, and a policy in the
page forbids the browser every request to the outside, whatever else a later version may add.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from allure_commons.model2 import Status

from touchstone.errors import HarnessError, UsageError
from touchstone.results.allure_tool import AllureTool
from touchstone_reports import allure, allure_resolutions
from touchstone_reports.results import read_all

HISTORY = "allure-history.jsonl"
"""Allure's own file of earlier reports, a line each, beside the results."""
KEPT_REPORTS = 50
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'unsafe-inline' 'unsafe-eval' data: blob:",
        "style-src 'unsafe-inline' data: blob:",
        "img-src data: blob:",
        "font-src data:",
        "media-src data: blob:",
        "connect-src data: blob:",
        "worker-src data: blob:",
        "frame-src data: blob:",
        "base-uri 'self'",
        "form-action 'none'",
    )
)
_HEAD = "<head>"
_ANALYTICS = re.compile(
    r"""<script\b[^>]*\bsrc=["']?https?:[^>]*>\s*</script>"""
    r"""|<script>\s*window\.dataLayer\b.*?</script>""",
    re.DOTALL,
)


def make_page(
    runs: Sequence[Path],
    requirements: Sequence[Mapping[str, object]],
    out: Path,
    history: Path,
    tool: AllureTool,
) -> Path:
    """Writes Allure's page of `runs` into `out` and the runs into `history`; returns its path.

    The same runs again replace what the history has of them.
    """
    name = " ".join(results.run.id for results in read_all(runs))
    rules = allure_resolutions.rules(runs)
    with tempfile.TemporaryDirectory(prefix="touchstone-allure-") as place:
        folder = Path(place)
        given = folder / "allure-results"
        allure.write(runs, requirements, given, page="report.html", deviating=Status.FAILED)
        if not any(given.glob("*-result.json")):
            raise UsageError(
                f"{name} has no scenario for Allure's page",
                hint="Name a run of scenarios; pairs of clients are on the page of `touchstone "
                "report`.",
            )
        forget(name, history)
        config = folder / "allurerc.json"
        config.write_text(
            json.dumps(configuration(name, folder / "made", history, rules)), encoding="utf-8"
        )
        tool.run(["generate", "--config", str(config), str(given)], folder)
        made = folder / "made" / "index.html"
        if not made.is_file():
            raise HarnessError(
                f"Allure {tool.version} made no page of {name}",
                hint="Look whether the run can be read: `touchstone report` without --allure.",
            )
        page = out / "allure.html"
        page.write_text(without_outside(made.read_text("utf-8")), encoding="utf-8")
    return page


def configuration(
    name: str, output: Path, history: Path, rules: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """Returns Allure's configuration: one page in one file, grouped as the matrix is."""
    grouped = ["parentSuite", "suite", "subSuite"]
    return {
        "name": name,
        "output": str(output),
        "historyPath": str(history.absolute()),
        "historyLimit": KEPT_REPORTS,
        "resolutions": {
            "rules": list(rules),
            "knownIssuesPath": str(output.with_name("known-issues.json")),
        },
        "plugins": {"awesome": {"options": {"singleFile": True, "groupBy": grouped}}},
    }


def without_outside(html: str) -> str:
    """Returns a page of Allure without what asks the outside, and with a policy against it."""
    if _HEAD not in html:
        raise HarnessError(
            "Allure's page has no head, so nothing can be forbidden in it",
            hint="Was another version of Allure put in place of the pinned one?",
        )
    policy = f'{_HEAD}\n<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return _ANALYTICS.sub("", html).replace(_HEAD, policy, 1)


def forget(name: str, history: Path) -> None:
    """Takes the report of this name out of Allure's history; HarnessError where it is torn."""
    if not history.is_file():
        return
    kept = []
    for number, line in enumerate(history.read_text("utf-8").splitlines(), start=1):
        try:
            report = json.loads(line)["name"]
        except (ValueError, KeyError, TypeError) as error:
            raise HarnessError(
                f"{history}, line {number}, is no report of Allure's history",
                hint="Remove the line, or the file to begin a new history.",
            ) from error
        if report != name:
            kept.append(line)
    anew = history.with_suffix(".part")
    anew.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    anew.replace(history)
