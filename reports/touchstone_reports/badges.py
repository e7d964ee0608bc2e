"""What runs came to in a few words: as pictures, and as what shields.io makes one of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from touchstone_reports.legible import one_line
from touchstone_reports.results import RunResults, read_all
from touchstone_reports.verdicts import Verdict

ENDPOINT: Final = "badge.json"
PICTURES: Final = "badges"
"""The folder with a picture for each document, and for all of them."""
ALL: Final = "all"
_LABEL: Final = "JMS conformance"
_PAINT: Final[Mapping[str, str]] = {
    "brightgreen": "#17703f",
    "yellow": "#815300",
    "red": "#b0231c",
    "lightgrey": "#626873",
}
"""By the names of shields.io; white letters can be read on each."""
_CHARACTER: Final = 7
_MARGIN: Final = 14
_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{alt}">
<title>{alt}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#1e2126"/>\
<rect x="{left}" width="{right}" height="20" fill="{color}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{label_at}" y="14" textLength="{label_length}">{label}</text>
<text x="{message_at}" y="14" textLength="{message_length}">{message}</text>
</g>
</svg>
"""


@dataclass(frozen=True)
class Badge:
    """A label, what is to be said of it, and a colour by its name."""

    label: str
    message: str
    color: str

    def as_endpoint(self) -> dict[str, object]:
        """What shields.io shows (its endpoint format, schema 1)."""
        return {
            "schemaVersion": 1,
            "label": self.label,
            "message": self.message,
            "color": self.color,
        }

    def as_svg(self) -> str:
        """The picture, of a fixed height; it asks for nothing from elsewhere."""
        label, message = one_line(self.label), one_line(self.message)
        lengths = [_CHARACTER * len(text) for text in (label, message)]
        left, right = (length + _MARGIN for length in lengths)
        quoted = {"'": "&apos;", '"': "&quot;"}
        return _SVG.format(
            alt=escape(f"{label}: {message}", quoted),
            label=escape(label),
            message=escape(message),
            width=left + right,
            left=left,
            right=right,
            color=_PAINT[self.color],
            label_at=left / 2,
            message_at=left + right / 2,
            label_length=lengths[0],
            message_length=lengths[1],
        )


def write(runs: Sequence[Path], folder: Path) -> None:
    """Write the badges of `runs` into a folder. Raises ResultsError."""
    results = [result for result in read_all(runs) if not result.of_pairs]
    of_all = badge_of(results)
    endpoint = json.dumps(of_all.as_endpoint(), indent=2)
    (folder / ENDPOINT).write_text(f"{endpoint}\n", encoding="utf-8")
    pictures = folder / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    judged = {_document(line.requirement) for run in results for line in run.judgements}
    badges = {ALL: of_all, **{name: badge_of(results, name) for name in judged if name.isalnum()}}
    for name, badge in badges.items():
        (pictures / f"{name}.svg").write_text(badge.as_svg(), encoding="utf-8")


def badge_of(runs: Sequence[RunResults], document: str = "") -> Badge:
    """The badge of some runs: of what they judged of a document by its prefix, or of all."""
    counts = Counter(
        verdict
        for run in runs
        for provider in run.run.providers
        for id_, verdict in run.worst_by_requirement(provider.name).items()
        if document in ("", _document(id_))
    )
    judged = counts.total() - counts[Verdict.NOT_APPLICABLE]
    label = f"{_LABEL}, {document}" if document else _LABEL
    if not all(run.finished for run in runs):
        return Badge(label, "not finished", "lightgrey")
    if not judged or any(run.judged_nothing for run in runs):
        return Badge(label, "nothing judged", "lightgrey")
    if violated := counts[Verdict.VIOLATES]:
        return Badge(label, f"{violated} of {judged} violated", "red")
    if stale := sum(len(run.run.stale) for run in runs):
        return Badge(label, f"{stale} stale", "red")
    if unclear := counts[Verdict.INCONCLUSIVE]:
        return Badge(label, f"{unclear} of {judged} inconclusive", "yellow")
    return Badge(label, f"{counts[Verdict.CONFORMS]} of {judged} conform", "brightgreen")


def _document(requirement: str) -> str:
    return requirement.partition("-")[0]
