"""Documents of the repository as pages of the site: their links lead there too."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

DOCUMENTS = {
    "README.md": "index.md",
    "docs/design.md": "design.md",
    "docs/new-java-client.md": "new-java-client.md",
    "docs/new-broker.md": "new-broker.md",
    "docs/own-catalogue.md": "own-catalogue.md",
    "scenarios/jms_scenarios/requirements/README.md": "requirements.md",
    "docs/control.md": "control.md",
    "docs/installing.md": "installing.md",
    "docs/reference.md": "reference.md",
    "docs/reports.md": "reports.md",
    "docs/ci.md": "ci.md",
    "impl/DECISIONS.md": "decisions.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Where each document of the repository stands on the site."""
_FENCED_OR_LINK = re.compile(r"(?ms)^```.*?^```|(\]\()(?![a-z]+:|#)([^)\s#]+)")


def for_the_site(markdown: str, document: str, root: Path) -> str:
    """The text of `document` with links that lead to pages; LookupError for one that cannot."""

    def lead(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(document), match[2]))
        return match[1] + _relative(_page(target, document, root), DOCUMENTS[document])

    return _FENCED_OR_LINK.sub(lead, markdown)


def _page(target: str, document: str, root: Path) -> str:
    if target in DOCUMENTS:
        return DOCUMENTS[target]
    if target.startswith("docs/") and (root / target).is_file():
        return target.removeprefix("docs/")
    raise LookupError(f"{document}: the link to {target} leads to nothing on the site")


def _relative(page: str, source: str) -> str:
    return posixpath.relpath(page, posixpath.dirname(source) or ".")
