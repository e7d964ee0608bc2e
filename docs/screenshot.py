"""Takes the pictures of the report that the README shows: `make screenshot`, after a run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from touchstone.commands.runs import named_or_newest
from touchstone.results.reporting import PAGE

FOLDER = Path(__file__).parent
ROW = "#area=headers&open=SLJ-HDR-004"


def main() -> None:
    """Save the top of the newest run's page, and one row unfolded, as Chromium shows them."""
    [run] = named_or_newest([], Path("results"))
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("The pictures need Chromium: apt-get install chromium")
    address = (run / PAGE).resolve().as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        page.screenshot(path=FOLDER / "report.png")
        page.goto(address + ROW)
        page.reload()
        page.locator("form").first.evaluate("form => form.scrollIntoView()")
        page.screenshot(path=FOLDER / "report-row.png")
        browser.close()


if __name__ == "__main__":
    main()
