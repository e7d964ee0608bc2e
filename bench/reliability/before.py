"""What is wrong before a run begins: caches, temporary folders, Java."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from bench.reliability.faults import Place

FILLER: Final = "filler"
"""The file that fills a disk."""
Before = Callable[[Place], AbstractContextManager[Mapping[str, str]]]


def in_cache(pattern: str, change: Callable[[Path], None]) -> Before:
    """One file of the cache that `pattern` finds is changed, and put back afterwards."""

    @contextmanager
    def before(place: Place) -> Iterator[Mapping[str, str]]:
        file = max(place.cache.glob(pattern), key=lambda candidate: candidate.stat().st_size)
        kept = place.folder / "kept"
        shutil.copy2(file, kept)
        change(file)
        try:
            yield {}
        finally:
            shutil.copy2(kept, file)

    return before


def cut(file: Path) -> None:
    """Half of the file is missing."""
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2)


def overwritten(file: Path) -> None:
    """A few bytes in the middle are others; the size is the same."""
    with file.open("r+b") as stream:
        stream.seek(file.stat().st_size // 2)
        stream.write(b"damaged" * 100)


def emptied(file: Path) -> None:
    """There is nothing in it."""
    file.write_bytes(b"")


@contextmanager
def leftovers_in_cache(place: Place) -> Iterator[Mapping[str, str]]:
    """A run was killed while it fetched and while it prepared quick starts."""
    incoming = place.cache / "jars/.incoming-killed/org/half"
    unfinished = place.cache / "aot/.pulsar-broker-4.0.7-0123456789abcdef.aot.unfinished"
    incoming.mkdir(parents=True)
    (incoming / "half.jar").write_bytes(b"PK")
    unfinished.write_bytes(b"half")
    yield {}
    shutil.rmtree(place.cache / "jars/.incoming-killed", ignore_errors=True)
    unfinished.unlink(missing_ok=True)


@contextmanager
def read_only_cache(place: Place) -> Iterator[Mapping[str, str]]:
    """Nobody can write to the cache; root alone can make it so."""
    there = str(place.cache)
    subprocess.run(["mount", "--bind", there, there], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", there], check=True)
        yield {}
    finally:
        subprocess.run(["umount", "--lazy", there], check=True)


@contextmanager
def full_temporary(place: Place) -> Iterator[Mapping[str, str]]:
    """There is no room for temporary files."""
    with (place.temporary / FILLER).open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(4096)) == 4096:
            pass
    yield {}


class _Quiet(SimpleHTTPRequestHandler):
    """Tells nobody what it was asked for."""

    def log_message(self, *given: object) -> None:
        """Nothing."""


@contextmanager
def fresh_cache(place: Place) -> Iterator[Mapping[str, str]]:
    """Nothing is in the cache; jars come from a repository on this machine."""
    serve = partial(_Quiet, directory=str(place.cache / "jars"))
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield {
                "TOUCHSTONE_CACHE": str(place.folder / "fresh"),
                "TOUCHSTONE_MAVEN_URL": f"http://127.0.0.1:{server.server_port}",
                "M2_REPO": str(place.folder / "none"),
            }
        finally:
            server.shutdown()
