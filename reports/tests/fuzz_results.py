"""Results of runs: run.json, lines of verdicts and of exchanges, what was found in a history."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzz.json_changes import change_document
from fuzz.targets import Target
from touchstone_reports import results, volume_results
from touchstone_reports.records import ResultsError

_FOLDER = TemporaryDirectory(prefix="touchstone-fuzz-")
_RUN, _LINES = results.RUN_FILE, results.VERDICTS_FILE


def _results(data: bytes) -> None:
    """run.json is the first line of an input, verdicts the others."""
    folder = Path(_FOLDER.name)
    run, _, lines = data.partition(b"\n")
    (folder / _RUN).write_bytes(run)
    (folder / _LINES).write_bytes(lines)
    read = results.read(folder)
    assert read.run.seconds is None or read.run.seconds == read.run.seconds
    for provider in read.run.providers:
        assert sum(read.counts(provider.name).values()) <= len(read.judgements)


def _volume(data: bytes) -> None:
    report = Path(_FOLDER.name) / "report.json"
    report.write_bytes(data)
    volume_results.read_volume(report)


def _changed(data: bytes, random: Random) -> bytes:
    """Another line instead of one of them."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    lines[at] = change_document(lines[at], random)
    return b"\n".join(lines)


TARGETS = (
    Target("results-runs", "reports", _results, (ResultsError,), _changed),
    Target("results-volume", "reports", _volume, (ResultsError,), change_document),
)
