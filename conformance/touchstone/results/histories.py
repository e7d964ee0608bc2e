"""A history verified: what a command ends with, and the report that it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jms_brokers.machine.secrecy import hide_secrets
from touchstone.extras import require_volume
from touchstone.verdicts import ExitStatus
from touchstone_reports.volume import PAGE, write_volume

if TYPE_CHECKING:
    from jms_histories.verification.verification import VolumeReport

_STATUS: Final[Mapping[str, ExitStatus]] = {
    "VIOLATES": ExitStatus.UNEXPECTED,
    "INCONCLUSIVE": ExitStatus.COULD_NOT_JUDGE,
    "CONFORMS": ExitStatus.NOTHING_UNEXPECTED,
}


def status_of(report: VolumeReport) -> ExitStatus:
    """What a command ends with that verified a history."""
    return _STATUS[report.verdict]


def write_report(report: VolumeReport, folder: Path) -> Path:
    """Write report.json, findings.parquet and the page to a folder; returns the page's path.

    Raises VerificationError if the folder cannot be written.
    """
    discreet = replace(report, document=hide_secrets(report.document))
    return write_volume(discreet.write(folder), folder / PAGE)


def verify_history(
    path: str | Path,
    *,
    exact: bool = False,
    checks: Iterable[str] | None = None,
    out: Path | None = None,
) -> VolumeReport:
    """Verify a history on this machine, and write the report to the folder `out` if there is one.

    See `jms_histories.verification.verification.verify`. Raises UsageError without the extra
    `volume`.
    """
    require_volume()
    from jms_histories.verification.verification import verify

    report = verify(path, "local", exact=exact, checks=checks)
    if out is not None:
        write_report(report, out)
    return report
