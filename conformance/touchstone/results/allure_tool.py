"""Allure 3 from npm, kept in the cache by the content of its lock, and the Node that runs it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jvm_runtime.cache import cache_folder, process_lock, writing
from jvm_runtime.fetch import is_offline_wanted
from touchstone.errors import HarnessError

OLDEST_NODE = 20
PINNED = ("package.json", "package-lock.json")
_WITHIN = 600.0
_ENTRY = Path("node_modules") / "allure" / "cli.js"


@dataclass(frozen=True)
class AllureTool:
    """How Allure is called."""

    node: Path
    entry: Path
    version: str

    def run(self, arguments: list[str], folder: Path) -> None:
        """Calls Allure in `folder`; raises HarnessError with the end of what it said."""
        done = subprocess.run(  # noqa: S603 # the Node found in PATH, and our own pinned program
            [str(self.node), str(self.entry), *arguments],
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "CI": "true"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            raise HarnessError(
                f"Allure {self.version} ended with {done.returncode}:\n{_end_of(done.stdout)}",
                hint=f"Delete {self.entry.parents[2]} to have it fetched anew.",
            )


def find_node() -> Path:
    """Returns Node; raises HarnessError where there is none, or one that is too old."""
    path = shutil.which("node")
    if path is None:
        raise HarnessError(
            "Allure's page needs Node, and there is no command `node`",
            hint=f"Install Node {OLDEST_NODE} or newer with npm, or do without: report.html and "
            "allure-results/ need neither.",
        )
    told = subprocess.run(  # noqa: S603 # the Node found in PATH
        [path, "--version"], capture_output=True, text=True, check=False
    ).stdout.strip()
    major = told.removeprefix("v").partition(".")[0]
    if not major.isdigit() or int(major) < OLDEST_NODE:
        raise HarnessError(
            f"Allure's page needs Node {OLDEST_NODE} or newer; {path} says {told!r}",
            hint="Install a newer Node and put it first in PATH.",
        )
    return Path(path)


def pinned_version() -> str:
    """Returns the version of Allure in the lock."""
    lock = json.loads(_pinned_file("package-lock.json"))
    return str(lock["packages"]["node_modules/allure"]["version"])


def installed_tool() -> AllureTool | None:
    """Returns Allure where it was fetched already; raises HarnessError without a fit Node."""
    node, entry = find_node(), _home() / _ENTRY
    return AllureTool(node, entry, pinned_version()) if entry.is_file() else None


def install() -> AllureTool:
    """Returns Allure, fetched from npm once; raises HarnessError where that is impossible."""
    node, home = find_node(), _home()
    with process_lock(home.with_suffix(".lock")):
        if not (home / _ENTRY).is_file():
            _fetch(home)
    return AllureTool(node, home / _ENTRY, pinned_version())


def _fetch(home: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise HarnessError(
            "Allure's page needs npm, and there is no command `npm`",
            hint="Install npm, or do without: report.html and allure-results/ need neither.",
        )
    if is_offline_wanted():
        raise HarnessError(
            f"Offline, and Allure is not in {home}",
            hint="Run `touchstone report --allure` once with the network.",
        )
    with writing(home), tempfile.TemporaryDirectory(prefix=".allure-", dir=home.parent) as made:
        for name in PINNED:
            (Path(made) / name).write_bytes(_pinned_file(name))
        _npm_ci(npm, Path(made))
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        (Path(made) / "node_modules").rename(home / "node_modules")


def _npm_ci(npm: str, folder: Path) -> None:
    try:
        done = subprocess.run(  # noqa: S603 # the npm found in PATH, our own lock
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_WITHIN,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise HarnessError(
            f"npm did not fetch Allure within {_WITHIN:.0f} s",
            hint="Is npm's registry in reach? `npm ping` says so.",
        ) from error
    if done.returncode:
        raise HarnessError(
            f"npm could not fetch Allure; it ended with {done.returncode}:\n{_end_of(done.stdout)}",
            hint="Is npm's registry in reach? `npm ping` says so.",
        )


def _home() -> Path:
    content = b"".join(_pinned_file(name) for name in PINNED)
    return cache_folder() / "allure" / hashlib.sha256(content).hexdigest()[:16]


def _pinned_file(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()


def _end_of(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-15:])
