"""Results that are kept: one file for each measurement, named by its date and commit."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep(name: str, content: Mapping[str, object]) -> Path:
    """Write `content` to bench/results with date and commit; gives the file."""
    now = datetime.now(UTC)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}-{now:%Y%m%d}-{commit}.json"
    dated = {"date": f"{now:%Y-%m-%d}", "commit": commit, **content}
    path.write_text(json.dumps(dated, indent=1) + "\n")
    return path
