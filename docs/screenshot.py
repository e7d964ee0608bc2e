"""Takes the pictures of the report that the README shows: `make screenshot`.

The first is the top of the reference's newest whole run, without what it says of the machine, the
second a row of `touchstone report`.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from touchstone.commands.runs import folders_of_runs, newest_first, of_provider
from touchstone.results.reporting import PAGE
from touchstone_reports.results import read
from touchstone_reports.wholeness import shortcomings

RESULTS = Path("results")
FOLDER = Path(__file__).parent
REQUIREMENT = "JMS-HDR-023"


def main() -> None:
    """Save the pictures as Chromium shows the pages."""
    runs = of_provider(newest_first(folders_of_runs(RESULTS)), "reference")
    whole = next((run for run in runs if not shortcomings(read(run))), None)
    if whole is None:
        sys.exit(f"There is no whole run of the reference below {RESULTS}: make conformance")
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("The pictures need Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto((whole / PAGE).resolve().as_uri())
        page.locator(".facts > div", has_text="Machine").evaluate("fact => fact.remove()")
        page.screenshot(path=FOLDER / "report.png")
        side_by_side = (RESULTS / "report" / PAGE).resolve().as_uri()
        page.goto(f"{side_by_side}#area=headers&open={REQUIREMENT}")
        page.locator(f"#{REQUIREMENT}").evaluate("row => row.scrollIntoView()")
        page.screenshot(path=FOLDER / "report-row.png")
        browser.close()


if __name__ == "__main__":
    main()
