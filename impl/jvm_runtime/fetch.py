"""Fetches the jars of a lock from a Maven repository and checks every one against its SHA-256.

A jar is taken from the cache, else from the local Maven repository (`~/.m2`), else over the network
(`download`), jar by jar: nothing is resolved at run time. `TOUCHSTONE_OFFLINE=1` forbids the
network.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from jvm_runtime.cache import Verified, cache_folder, process_lock, sha256, writing
from jvm_runtime.download import Download, downloading
from jvm_runtime.jvm_errors import CacheError, CorruptJarError, OfflineError
from jvm_runtime.locks import Jar, Lock
from jvm_runtime.progress import Progress, quiet
from jvm_runtime.unpack import unpack_jars

_THREADS = 8
_log = logging.getLogger(__name__)


def fetch(lock: Lock, *, offline: bool = False, progress: Progress = quiet) -> tuple[Path, ...]:
    """Return the jars of `lock` in its order, each verified; fetch only those that are missing.

    In place of an archive come the jars inside that its lock names.
    Raises OfflineError, NetworkError, CorruptJarError or CacheError (full disk, no permission).
    """
    repository = (cache_folder() / "jars").resolve()
    verified = Verified(repository / "verified.json")
    paths, missing = _look_up(lock.jars, repository, verified)
    if missing:
        if offline or is_offline_wanted():
            raise _offline(missing, repository)
        with process_lock(repository / "fetch.lock"):
            # Another process may have fetched them while this one waited for the lock.
            verified = Verified(repository / "verified.json")
            paths, missing = _look_up(lock.jars, repository, verified)
            if missing:
                _download(missing, repository, progress)
                paths, missing = _look_up(lock.jars, repository, verified)
            verified.save()
    verified.save()
    if missing:
        raise CorruptJarError(
            f"{missing[0].coordinates} changed in {repository} just after it was verified",
            hint="Something else writes there; name another folder with TOUCHSTONE_CACHE",
        )
    return tuple(
        path
        for jar in lock.jars
        for path in (unpack_jars(paths[jar], jar) if jar.inside else (paths[jar],))
    )


def is_offline_wanted() -> bool:
    """Return whether `TOUCHSTONE_OFFLINE` forbids the network."""
    return os.environ.get("TOUCHSTONE_OFFLINE", "") not in ("", "0")


def local_maven_repository() -> Path:
    """Return where Maven keeps its own jars: `M2_REPO`, else `~/.m2/repository`."""
    return Path(os.environ.get("M2_REPO") or Path.home() / ".m2" / "repository")


def _look_up(
    jars: Sequence[Jar], repository: Path, verified: Verified
) -> tuple[dict[Jar, Path], list[Jar]]:
    paths: dict[Jar, Path] = {}
    missing: list[Jar] = []
    places = (repository, local_maven_repository())
    for jar in jars:
        path = next((p / jar.path for p in places if verified.matches(p / jar.path, jar)), None)
        if path is None:
            missing.append(jar)
        else:
            paths[jar] = path
    return paths, missing


def _download(jars: list[Jar], repository: Path, progress: Progress) -> None:
    size = sum(jar.size for jar in jars)
    with writing(repository):
        repository.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(repository).free
    if free < size:
        raise CacheError(
            f"The disk of {repository} is too full: {size / 1e6:.0f} MB are needed, "
            f"{free / 1e6:.0f} MB are free",
            hint="Free some space, or name a folder on another disk with TOUCHSTONE_CACHE",
        )
    for jar in jars:
        stale = repository / jar.path
        if stale.exists():
            _log.warning("%s is corrupt and is fetched again", stale)
    title = f"Fetching {len(jars)} jars ({size / 1e6:.0f} MB)"
    largest_first = sorted(jars, key=lambda jar: -jar.size)
    with (
        _incoming(repository) as incoming,
        progress(title, size) as advance,
        downloading(incoming, advance) as download,
    ):
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="fetch")
        try:
            for future in [
                pool.submit(_fetch_one, jar, download, repository) for jar in largest_first
            ]:
                future.result()
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _incoming(repository: Path) -> Iterator[Path]:
    """A folder for files that are not verified yet; jars move from it into place in one step."""
    with writing(repository):
        for leftover in repository.glob(
            ".incoming-*"
        ):  # of a run that was killed: we hold the lock
            shutil.rmtree(leftover)
        folder = Path(tempfile.mkdtemp(prefix=".incoming-", dir=repository))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fetch_one(jar: Jar, download: Download, repository: Path) -> None:
    target = repository / jar.path
    for attempt in (1, 2):
        path = download(jar)
        with writing(path):
            size = path.stat().st_size
            if size == jar.size and sha256(path) == jar.sha256:
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
                return
            path.unlink()
        _log.warning("%s: attempt %d brought other content", jar.coordinates, attempt)
    raise CorruptJarError(
        f"{jar.coordinates} came with other content than its lock says, twice "
        f"({size} bytes, expected {jar.size})",
        hint="The repository or a proxy on the way changes files: name a mirror that does not "
        "with TOUCHSTONE_MAVEN_URL",
    )


def _offline(missing: list[Jar], repository: Path) -> OfflineError | CorruptJarError:
    for jar in missing:
        if (path := repository / jar.path).exists():
            return CorruptJarError(
                f"Offline, and {path} has other content than the lock of {jar.coordinates} says",
                hint="Run once with the network (without --offline and TOUCHSTONE_OFFLINE): it is "
                "fetched again. Or copy the jar from the cache of another machine",
            )
    names = ", ".join(jar.coordinates for jar in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return OfflineError(
        f"Offline, and not in {repository}: {names}{more}",
        hint="Run once with the network (without --offline and TOUCHSTONE_OFFLINE), or copy the "
        "cache of a machine that has done so and name it with TOUCHSTONE_CACHE",
    )
