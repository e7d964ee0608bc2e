"""What was found in a history: report.json, validated."""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from touchstone_reports.records import ResultsError

VolumeResults = dict[str, Any]
"""A report by volume.schema.json."""


@functools.cache
def validator() -> Draft202012Validator:
    """Validator for report.json."""
    text = (files("touchstone_reports") / "volume.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def read_volume(file: Path) -> VolumeResults:
    """Read a report.json; raises ResultsError that names the file, the place and what is wrong."""
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{file}: cannot be read ({error}); verify the history again") from error
    mismatch = best_match(validator().iter_errors(report))
    if mismatch is not None:
        raise ResultsError(
            f"{file}: {mismatch.json_path} is not as volume.schema.json says: "
            f"{mismatch.message[:300]}; it is of another version of "
            "Touchstone, or was changed: verify the history again"
        )
    checked: VolumeResults = report
    return checked
