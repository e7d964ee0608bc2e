"""Verifying large histories: engines, plans, the report. NumPy and Arrow are loaded when used."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jms_histories.engines.local.verification import VolumeReport


def verify_history(
    path: str | Path,
    *,
    exact: bool = False,
    checks: Iterable[str] | None = None,
    out: Path | None = None,
) -> VolumeReport:
    """Verify a history on this machine; see `jms_histories.engines.local.verification.verify`."""
    from jms_histories.engines.local.verification import verify

    return verify(path, "local", exact=exact, checks=checks, out=out)
