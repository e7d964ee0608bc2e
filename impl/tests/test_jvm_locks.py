"""Lock files are read strictly: what is not understood is named, never skipped."""

from __future__ import annotations

import platform
from pathlib import Path, PurePosixPath

import pytest

from jvm_runtime import locks
from jvm_runtime.jvm_errors import LockFileError

DIGEST = "a" * 64
LINE = f"org.example:thing:jar:1.0 sha256:{DIGEST} 12"


def test_a_line_is_one_jar() -> None:
    lock = locks.parse(f"# made by hand\n\n{LINE}  # why\n", "x.lock")

    (jar,) = lock.jars
    assert (jar.group, jar.artifact, jar.version, jar.classifier) == (
        "org.example",
        "thing",
        "1.0",
        "",
    )
    assert (jar.sha256, jar.size) == (DIGEST, 12)
    assert jar.path == PurePosixPath("org/example/thing/1.0/thing-1.0.jar")
    assert jar.coordinates == "org.example:thing:1.0"


def test_a_classifier_is_part_of_the_file_name() -> None:
    lock = locks.parse(f"org.rocksdb:rocksdbjni:jar:linux64:7.10.2 sha256:{DIGEST} 1", "x.lock")

    assert lock.jars[0].name == "rocksdbjni-7.10.2-linux64.jar"
    assert lock.jars[0].coordinates == "org.rocksdb:rocksdbjni:linux64:7.10.2"


def test_an_archive_names_the_jars_inside_that_are_wanted() -> None:
    lock = locks.parse(f"{LINE.replace(':jar:', ':zip:')} a/lib/b.jar a/lib/c-1.jar", "x.lock")

    assert lock.jars[0].name == "thing-1.0.zip"
    assert lock.jars[0].inside == ("a/lib/b.jar", "a/lib/c-1.jar")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "no jar"),
        ("# only a comment", "no jar"),
        (LINE.replace(" 12", ""), "2 fields"),
        (LINE.replace(":jar:", ":war:"), "org.example:thing:war:1.0"),
        (LINE.replace("thing:jar:1.0", "thing"), "org.example:thing"),
        (LINE.replace("org.example", "../etc"), "no Maven name"),
        (LINE.replace("1.0", "1..0"), "no Maven name"),
        (LINE.replace(DIGEST, "beef"), "sha256:beef"),
        (LINE.replace("sha256:", "md5:"), "md5:"),
        (LINE.replace(" 12", " -1"), "-1"),
        (LINE.replace(" 12", " 0"), "'0'"),
        (f"{LINE}\n{LINE}", "twice"),
        (f"{LINE} lib/a.jar", "org.example:thing:jar:1.0"),
        (LINE.replace(":jar:", ":zip:"), "org.example:thing:zip:1.0"),
        (LINE.replace(":jar:", ":zip:") + " lib/a.so", "lib/a.so"),
        (LINE.replace(":jar:", ":zip:") + " lib/../../a.jar", "lib/../../a.jar"),
        (LINE.replace(":jar:", ":zip:") + " /lib/a.jar", "/lib/a.jar"),
    ],
)
def test_a_bad_line_is_named(text: str, named: str) -> None:
    with pytest.raises(LockFileError) as caught:
        locks.parse(text, "x.lock")

    assert "x.lock" in str(caught.value)
    assert named in str(caught.value)
    assert caught.value.hint


def test_the_number_of_the_bad_line_is_told() -> None:
    with pytest.raises(LockFileError, match=r"x\.lock, line 3"):
        locks.parse(f"# one\n{LINE}\nrubbish", "x.lock")


def test_a_program_may_bring_its_own_lock(tmp_path: Path) -> None:
    file = tmp_path / "mine-1.0.lock"
    file.write_text(LINE)

    lock = locks.load(str(file))

    assert (lock.name, len(lock.jars)) == ("mine-1.0.lock", 1)
    assert locks.known_locks(tmp_path) == ("mine-1.0.lock",)


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_lock_of_ones_own_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "mine-1.0.lock"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(LockFileError, match=r"mine-1\.0\.lock cannot be read") as caught:
        locks.load(str(file))

    assert caught.value.hint


def test_the_broker_is_locked_for_this_platform() -> None:
    lock = locks.load("pulsar-broker-4.0.7")

    assert lock.name == "pulsar-broker-4.0.7-linux-x86_64.lock"
    assert len(lock.jars) == 211
    assert any(jar.artifact == "pulsar-broker" and jar.version == "4.0.7" for jar in lock.jars)


def test_another_platform_is_told_what_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    with pytest.raises(LockFileError, match="linux-riscv64") as caught:
        locks.load("pulsar-broker-4.0.7")

    assert "--broker container" in caught.value.hint
    assert "pulsar-broker-4.0.7-linux-x86_64.lock" in caught.value.hint


def test_versions_are_the_locks_that_fit_the_platform_the_oldest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "platform_tag", lambda: "linux-x86_64")
    for name in (
        "mine-10.0.lock",
        "mine-9.1-linux-x86_64.lock",
        "mine-9.1.lock",
        "mine-9.0-linux-aarch64.lock",
        "mine-2.0-SNAPSHOT.lock",
        "mine-2.0-rc1-linux-x86_64.lock",
        "mine-client-1.0.lock",
        "mine.lock",
        "other-1.0.lock",
        "mine-1.0.txt",
    ):
        (tmp_path / name).touch()

    assert locks.versions("mine", tmp_path) == ("2.0-SNAPSHOT", "2.0-rc1", "9.1", "10.0")
    assert locks.versions("nobody", tmp_path) == ()
