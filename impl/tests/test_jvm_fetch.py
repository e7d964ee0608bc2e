"""Jars come from a mirror on this machine: right, corrupt, truncated, absent, or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from jvm_runtime import locks
from jvm_runtime.cache import cache_error
from jvm_runtime.fetch import fetch
from jvm_runtime.jvm_errors import CacheError, CorruptJarError, NetworkError, OfflineError

CONTENTS = {name: name.encode() * 20_000 for name in ("alpha", "beta", "gamma")}


@dataclass
class Mirror:
    """A Maven repository on the loopback address; `spoil` changes what it sends for an artifact."""

    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    spoil: dict[str, Callable[[bytes], bytes]] = field(default_factory=dict)
    spoil_once: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    state = Mirror()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            artifact = self.path.rsplit("/", 3)[-3]
            if not self.path.endswith(".jar") or artifact not in CONTENTS:
                self.send_error(404)
                return
            if artifact in state.moved and not self.path.startswith("/moved"):
                self.send_response(302)
                self.send_header("Location", f"/moved{self.path}")
                self.end_headers()
                return
            state.asked[artifact] += 1
            body = CONTENTS[artifact]
            if artifact in state.spoil:
                body = state.spoil[artifact](body)
                if artifact in state.spoil_once:
                    del state.spoil[artifact]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if artifact in state.cut:
                state.cut.remove(artifact)
                body = body[: len(body) // 2]
            with suppress(ConnectionError):  # who has enough hangs up
                self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_port}/maven2"
    monkeypatch.setenv("TOUCHSTONE_MAVEN_URL", state.url + "/")
    yield state
    server.shutdown()
    server.server_close()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))
    monkeypatch.delenv("TOUCHSTONE_OFFLINE", raising=False)
    return tmp_path / "cache" / "jars"


def lock_of(*names: str) -> locks.Lock:
    return locks.parse(
        "\n".join(
            f"org.example:{name}:jar:1.0 "
            f"sha256:{hashlib.sha256(CONTENTS[name]).hexdigest()} {len(CONTENTS[name])}"
            for name in names
        ),
        "test.lock",
    )


def jar_path(name: str) -> str:
    return f"org/example/{name}/1.0/{name}-1.0.jar"


def test_jars_come_in_the_order_of_the_lock(mirror: Mirror, cache: Path) -> None:
    paths = fetch(lock_of("gamma", "alpha", "beta"))

    assert [path.read_bytes() for path in paths] == [
        CONTENTS[name] for name in ("gamma", "alpha", "beta")
    ]
    assert all(path.is_relative_to(cache) for path in paths)
    assert mirror.asked == {"alpha": 1, "beta": 1, "gamma": 1}


def test_verified_jars_are_never_fetched_again(mirror: Mirror, cache: Path) -> None:
    fetch(lock_of("alpha"))
    fetch(lock_of("alpha", "beta"))
    fetch(lock_of("alpha", "beta"), offline=True)

    assert mirror.asked == {"alpha": 1, "beta": 1}


@pytest.mark.parametrize("damage", ["other content", "truncated", "empty", "removed"])
def test_a_corrupt_jar_in_the_cache_is_noticed_and_replaced(
    mirror: Mirror, cache: Path, damage: str
) -> None:
    (path,) = fetch(lock_of("alpha"))
    match damage:
        case "other content":
            path.write_bytes(b"x" * path.stat().st_size)
        case "truncated":
            path.write_bytes(path.read_bytes()[:-1])
        case "empty":
            path.write_bytes(b"")
        case _:
            path.unlink()

    assert fetch(lock_of("alpha")) == (path,)
    assert path.read_bytes() == CONTENTS["alpha"]
    assert mirror.asked == {"alpha": 2}


def test_a_corrupt_jar_in_the_cache_is_named_offline(mirror: Mirror, cache: Path) -> None:
    (path,) = fetch(lock_of("alpha"))
    path.write_bytes(b"x" * path.stat().st_size)

    with pytest.raises(CorruptJarError, match=r"alpha-1\.0\.jar has other content than"):
        fetch(lock_of("beta", "alpha"), offline=True)


def test_a_corrupt_jar_is_noticed_even_with_its_old_modification_time(
    mirror: Mirror, cache: Path
) -> None:
    (path,) = fetch(lock_of("alpha"))
    before = path.stat()
    path.write_bytes(b"x" * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    fetch(lock_of("alpha"))

    assert path.read_bytes() == CONTENTS["alpha"]


def test_a_cache_that_everybody_may_write_is_refused(mirror: Mirror, cache: Path) -> None:
    fetch(lock_of("alpha"))
    cache.parent.chmod(0o777)
    with pytest.raises(CacheError, match="Every user of this machine may write") as caught:
        fetch(lock_of("alpha"), offline=True)
    assert f"chmod o-w {cache.parent}" in caught.value.hint


def test_a_jar_that_came_corrupt_is_fetched_once_more(mirror: Mirror, cache: Path) -> None:
    mirror.spoil["beta"] = lambda body: body[::-1]
    mirror.spoil_once.add("beta")

    (path,) = fetch(lock_of("beta"))

    assert path.read_bytes() == CONTENTS["beta"]
    assert mirror.asked == {"beta": 2}


@pytest.mark.parametrize("change", [lambda b: b[::-1], lambda b: b[:-7], lambda b: b + b"!"])
def test_a_repository_that_sends_other_content_is_told_of(
    mirror: Mirror, cache: Path, change: Callable[[bytes], bytes]
) -> None:
    mirror.spoil["beta"] = change

    with pytest.raises(CorruptJarError, match=r"org\.example:beta:1\.0") as caught:
        fetch(lock_of("alpha", "beta"))

    assert "TOUCHSTONE_MAVEN_URL" in caught.value.hint
    assert mirror.asked["beta"] == 2
    assert not (cache / jar_path("beta")).exists()
    assert not list(cache.glob(".incoming-*"))


def test_a_connection_cut_on_the_way_is_tried_again(mirror: Mirror, cache: Path) -> None:
    mirror.cut.add("gamma")

    (path,) = fetch(lock_of("gamma"))

    assert path.read_bytes() == CONTENTS["gamma"]
    assert mirror.asked == {"gamma": 2}


def test_a_jar_that_lies_elsewhere_is_fetched_from_there(mirror: Mirror, cache: Path) -> None:
    mirror.moved.add("beta")

    (path,) = fetch(lock_of("beta"))

    assert path.read_bytes() == CONTENTS["beta"]
    assert mirror.asked == {"beta": 1}


def test_of_what_is_much_longer_than_its_lock_says_little_is_taken(
    mirror: Mirror, cache: Path
) -> None:
    mirror.spoil["beta"] = lambda body: body * 500
    taken: list[int] = []

    @contextmanager
    def counted(title: str, size: int) -> Iterator[Callable[[int], None]]:
        yield taken.append

    with pytest.raises(CorruptJarError, match=r"org\.example:beta:1\.0"):
        fetch(lock_of("beta"), progress=counted)

    assert len(CONTENTS["beta"]) < sum(taken) < 10 * len(CONTENTS["beta"])


def test_a_jar_that_the_mirror_lacks_is_named(mirror: Mirror, cache: Path) -> None:
    absent = locks.parse(f"org.example:nothing:jar:1.0 sha256:{'0' * 64} 9", "test.lock")

    with pytest.raises(NetworkError, match=r"org\.example:nothing:1\.0") as caught:
        fetch(absent)

    assert mirror.url in str(caught.value)


def test_a_network_that_is_down_is_told_of(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_MAVEN_URL", "http://127.0.0.1:9")

    with pytest.raises(NetworkError, match=r"org\.example:alpha:1\.0") as caught:
        fetch(lock_of("alpha"))

    assert "proxy" in caught.value.hint
    assert "TOUCHSTONE_MAVEN_URL" in caught.value.hint


@pytest.mark.parametrize("by_variable", [False, True])
def test_offline_names_what_is_missing(
    mirror: Mirror, cache: Path, by_variable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(lock_of("alpha"))
    if by_variable:
        monkeypatch.setenv("TOUCHSTONE_OFFLINE", "1")

    with pytest.raises(OfflineError, match=r"org\.example:beta:1\.0") as caught:
        fetch(lock_of("alpha", "beta"), offline=not by_variable)

    assert "alpha" not in str(caught.value)
    assert "--offline" in caught.value.hint
    assert mirror.asked == {"alpha": 1}


def test_a_jar_in_mavens_own_repository_serves(mirror: Mirror, cache: Path, tmp_path: Path) -> None:
    ours = tmp_path / "m2" / jar_path("alpha")
    ours.parent.mkdir(parents=True)
    ours.write_bytes(CONTENTS["alpha"])

    assert fetch(lock_of("alpha")) == (ours,)
    assert not mirror.asked


def test_a_wrong_jar_in_mavens_own_repository_is_left_alone(
    mirror: Mirror, cache: Path, tmp_path: Path
) -> None:
    other = tmp_path / "m2" / jar_path("alpha")
    other.parent.mkdir(parents=True)
    other.write_bytes(b"y" * len(CONTENTS["alpha"]))

    assert fetch(lock_of("alpha")) == (cache / jar_path("alpha"),)
    assert other.read_bytes()[:1] == b"y"


def test_a_record_of_verification_that_cannot_be_read_costs_a_hash_only(
    mirror: Mirror, cache: Path
) -> None:
    fetch(lock_of("alpha"))
    (cache / "verified.json").write_text("{ broken")

    fetch(lock_of("alpha"))

    assert mirror.asked == {"alpha": 1}


def in_a_child(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `code` after the imports of this test's child, with `lock` at hand."""
    lock = lock_of("alpha", "beta", "gamma")
    program = f"""
        import os, resource
        from jvm_runtime import fetch, locks
        from jvm_runtime.jvm_errors import JvmRuntimeError
        jars = {[(j.artifact, j.sha256, j.size) for j in lock.jars]!r}
        lock = locks.parse("\\n".join(
            f"org.example:{{a}}:jar:1.0 sha256:{{s}} {{n}}" for a, s, n in jars), "test.lock")
        {code}
        try:
            print(len(fetch.fetch(lock)), "jars")
        except JvmRuntimeError as error:
            print(type(error).__name__, error)
    """
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_disk_that_fills_up_is_told_of(mirror: Mirror, cache: Path) -> None:
    # The kernel refuses to write beyond the limit, as it does on a full disk.
    answer = in_a_child("resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))")

    assert "CacheError The disk is full" in answer.stdout, answer.stderr
    assert str(cache) in answer.stdout
    assert "TOUCHSTONE_CACHE" in answer.stdout
    assert not list(cache.rglob("*.jar"))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_disk_too_small_is_told_of_before_anything_is_fetched(
    mirror: Mirror, cache: Path
) -> None:
    huge = locks.parse(f"org.example:alpha:jar:1.0 sha256:{'0' * 64} {10**18}", "test.lock")

    with pytest.raises(CacheError, match="1000000000000 MB are needed"):
        fetch(huge)

    assert not mirror.asked


def test_a_cache_that_cannot_be_written_is_told_of(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file where a folder should be stops even the super user.
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))

    with pytest.raises(CacheError, match="file/cache") as caught:
        fetch(lock_of("alpha"))

    assert "TOUCHSTONE_CACHE" in caught.value.hint


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "The disk is full"),
        (errno.EDQUOT, "The disk is full"),
        (errno.EACCES, "Permission denied"),
        (errno.EROFS, "Read-only file system"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_what_a_disk_refuses_is_told_in_words(number: int, says: str) -> None:
    error = cache_error(OSError(number, os.strerror(number)), Path("/cache/a.jar"))

    assert says in str(error)
    assert "/cache/a.jar cannot be written" in str(error)
    assert "TOUCHSTONE_CACHE" in error.hint


def test_two_processes_at_once_fetch_every_jar_once(mirror: Mirror, cache: Path) -> None:
    answers: list[subprocess.CompletedProcess[str]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(in_a_child("pass"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [answer.stdout for answer in answers] == ["3 jars\n", "3 jars\n"], answers
    assert mirror.asked == {"alpha": 1, "beta": 1, "gamma": 1}
