"""A lock is written from what Maven prints, and can be read again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from jvm_runtime import locks
from jvm_runtime.jvm_errors import LockFileError
from jvm_runtime.locking import lock_text

PRINTED = """
The following files have been resolved:
   org.example:client:jar:1.0:compile
   org.example:native:jar:linux-x86_64:4.1.Final:runtime -- module example.native [auto]
   org.example:judge:jar:5.0:test
[INFO]    com.example:core:jar:2.0-SNAPSHOT:compile
[INFO]    com.example:core:jar:2.0-SNAPSHOT:compile
   org.example:parent:pom:1.0:compile
"""
JARS = {
    "org/example/client/1.0/client-1.0.jar": b"client",
    "org/example/native/4.1.Final/native-4.1.Final-linux-x86_64.jar": b"native code",
    "com/example/core/2.0-SNAPSHOT/core-2.0-SNAPSHOT.jar": b"core",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder laid out as Maven's own."""
    for path, content in JARS.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_bytes(content)
    return tmp_path


def test_every_jar_to_run_with_is_locked_once_with_its_sum(repository: Path) -> None:
    lock = locks.parse(lock_text(PRINTED, repository), "mine-1.0.lock")

    assert [jar.coordinates for jar in lock.jars] == [
        "com.example:core:2.0-SNAPSHOT",
        "org.example:client:1.0",
        "org.example:native:linux-x86_64:4.1.Final",
    ]
    for jar in lock.jars:
        content = JARS[str(jar.path)]
        assert (jar.size, jar.sha256) == (len(content), hashlib.sha256(content).hexdigest())


def test_a_list_without_jars_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LockFileError, match=r"names no jar(.|\n)*dependency:list"):
        lock_text("The following files have been resolved:\n   none\n", tmp_path)


def test_a_jar_that_is_not_there_is_named(repository: Path) -> None:
    (repository / "org/example/client/1.0/client-1.0.jar").unlink()
    with pytest.raises(LockFileError, match=r"org\.example:client:1\.0 cannot be read(.|\n)*M2_"):
        lock_text(PRINTED, repository)
