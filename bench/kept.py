"""Results that are kept: a file for each measurement, named by arguments, date and commit."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from jms_brokers.machine.secrecy import hide_secrets

RESULTS = Path(__file__).parent / "results"


def keep(
    name: str,
    arguments: Mapping[str, object],
    content: Mapping[str, object],
    folder: Path = RESULTS,
) -> Path:
    """Write `content` with arguments, date and commit to `folder`; gives the file.

    It takes the place only of one that was measured with the same arguments at the same commit on
    the same day.
    """
    return write(folder, name, arguments, content, current_commit(), datetime.now(UTC))


def current_commit() -> str:
    """The commit that is measured, in short."""
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()


def write(
    folder: Path,
    name: str,
    arguments: Mapping[str, object],
    content: Mapping[str, object],
    commit: str,
    now: datetime,
) -> Path:
    """The same in `folder`, for a commit and a time."""
    given = [f"{key}={value}" for key, value in arguments.items() if value is not None]
    stem = "-".join([name, *given, f"{now:%Y%m%d}", commit])
    folder.mkdir(exist_ok=True)
    path = folder / f"{re.sub(r'[^A-Za-z0-9.=-]+', '_', stem)}.json"
    dated = {"date": f"{now:%Y-%m-%d}", "commit": commit, "arguments": {**arguments}, **content}
    path.write_text(json.dumps(hide_secrets(dated), indent=1) + "\n")
    return path
