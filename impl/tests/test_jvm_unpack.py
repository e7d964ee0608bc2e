"""Archives of a lock are unpacked once, whole and verified; what was changed is unpacked again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from zipfile import ZipFile

import pytest

from jvm_runtime import locks
from jvm_runtime.fetch import fetch
from jvm_runtime.jvm_errors import CorruptJarError

FILES = {
    "product/lib/one.jar": b"one",
    "product/lib/two.jar": b"two",
    "product/lib/props/defaults": b"three",
    "product/doc/index.html": b"four",
}
LEADING_OUT = "product/lib/../../../../outside"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven repository of the machine's own, which is all that there is."""
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))
    monkeypatch.setenv("TOUCHSTONE_OFFLINE", "1")
    return tmp_path / "m2"


def archive(repository: Path, *inside: str, files: dict[str, bytes] = FILES) -> locks.Lock:
    """A lock of an archive of `files` that lies in the repository."""
    path = repository / "org/example/all/1.0/all-1.0.zip"
    path.parent.mkdir(parents=True)
    with ZipFile(path, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    packed = path.read_bytes()
    line = f"org.example:all:zip:1.0 sha256:{hashlib.sha256(packed).hexdigest()} {len(packed)}"
    return locks.parse(f"{line} {' '.join(inside)}", "test.lock")


def test_what_is_named_comes_with_what_lies_beside_it(repository: Path) -> None:
    two_jar, one_jar = fetch(archive(repository, "product/lib/two.jar", "product/lib/one.jar"))

    assert (one_jar.read_bytes(), two_jar.read_bytes()) == (b"one", b"two")
    assert (one_jar.parent / "props" / "defaults").read_bytes() == b"three"
    assert not (one_jar.parents[1] / "doc").exists()


def test_no_name_leads_out_of_the_folder(repository: Path, tmp_path: Path) -> None:
    lock = archive(repository, "product/lib/one.jar", files={**FILES, LEADING_OUT: b"five"})
    fetch(lock)

    folder = tmp_path / "cache" / "unpacked" / lock.jars[0].sha256
    assert [path.is_relative_to(folder) for path in tmp_path.rglob("outside")] == [True]


@pytest.mark.parametrize("file", ["one.jar", "props/defaults"])
def test_what_was_changed_or_lost_is_unpacked_again(repository: Path, file: str) -> None:
    lock = archive(repository, "product/lib/one.jar")
    (jar,) = fetch(lock)
    changed = jar.parent / file
    content = changed.read_bytes()
    changed.write_bytes(b"x" * len(content))

    assert fetch(lock) == (jar,)
    assert changed.read_bytes() == content
    changed.unlink()
    fetch(lock)
    assert changed.read_bytes() == content


def test_a_whole_copy_is_left_as_it_is(repository: Path) -> None:
    lock = archive(repository, "product/lib/two.jar")
    (path,) = fetch(lock)
    before = path.stat().st_ino

    assert fetch(lock) == (path,)
    assert path.stat().st_ino == before


def test_a_jar_that_is_not_inside_is_named(repository: Path) -> None:
    with pytest.raises(CorruptJarError, match=r"product/lib/three\.jar is not in it"):
        fetch(archive(repository, "product/lib/one.jar", "product/lib/three.jar"))
