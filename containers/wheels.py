"""Wheels of a lock, made on this machine and kept, so that an image needs no network."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from jvm_runtime.cache import cache_folder
from touchstone.errors import HarnessError


def make(lock: Path, folder: Path) -> None:
    """Puts the wheels of every package of `lock`, checked against its hashes, into `folder`.

    Raises HarnessError where one cannot be had.
    """
    name = hashlib.sha256(lock.read_bytes()).hexdigest()[:16]
    python = f"{sys.version_info.major}{sys.version_info.minor}"
    kept = cache_folder() / "wheels" / f"{name}-cp{python}"
    if not (kept / ".whole").exists():
        command = [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
            *(
                "--no-deps",
                "--require-hashes",
                "--wheel-dir",
                str(kept),
                "--requirement",
                str(lock),
            ),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise HarnessError(
                f"No wheels of {lock}:\n{done.stderr}", hint="Is the package index in reach?"
            )
        (kept / ".whole").touch()
    for wheel in kept.glob("*.whl"):
        shutil.copyfile(wheel, folder / wheel.name)
