"""AOT caches are made once, belong to one combination of Java, options and jars, and may fail."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from jvm_runtime.aot import cache_key, with_aot_cache
from jvm_runtime.jre import Jre
from jvm_runtime.jvm_errors import JavaError
from jvm_runtime.launch import JavaCommand


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JavaCommand:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"a")
    return JavaCommand(Jre(Path("/java"), "25.0.1", 25), ("-Xmx1m",), (jar,), "Main")


class Training:
    """Writes the file that the JVM would write, and counts."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, command: JavaCommand) -> None:
        self.runs += 1
        target = command.options[-1].removeprefix("-XX:AOTCacheOutput=")
        Path(target).write_bytes(b"classes")


def aot_file(command: JavaCommand) -> Path:
    return Path(command.options[-1].removeprefix("-XX:AOTCache="))


def test_a_cache_is_made_once(command: JavaCommand) -> None:
    train = Training()

    first, second = (with_aot_cache(command, "prog", train) for _ in range(2))

    assert train.runs == 1
    assert first == second
    assert aot_file(first).read_bytes() == b"classes"


def test_a_cache_is_made_once_by_several_at_once(command: JavaCommand) -> None:
    train = Training()
    threads = [
        threading.Thread(target=with_aot_cache, args=(command, "prog", train)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert train.runs == 1


def test_the_key_follows_java_options_and_jars(command: JavaCommand, tmp_path: Path) -> None:
    (tmp_path / "b.jar").write_bytes(b"b")
    others = [
        replace(command, jre=replace(command.jre, version="25.0.2")),
        command.with_options("-Xmx2m"),
        replace(command, class_path=(*command.class_path, tmp_path / "b.jar")),
        replace(command, main="Other"),
    ]

    keys = {cache_key(c) for c in (command, *others)}
    same = cache_key(replace(command, arguments=("--port", "1")))
    (tmp_path / "a.jar").write_bytes(b"changed")

    assert len(keys) == 5
    assert same in keys
    assert cache_key(command) not in keys


def test_the_same_java_installed_twice_shares_a_cache(command: JavaCommand, tmp_path: Path) -> None:
    keys = []
    for home, release in (("one", "BUILD=7"), ("two", "BUILD=7"), ("three", "BUILD=8")):
        java = tmp_path / home / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.touch()
        (tmp_path / home / "release").write_text(release)
        keys.append(cache_key(replace(command, jre=replace(command.jre, java=java))))

    assert keys[0] == keys[1] != keys[2]


def test_an_older_java_goes_without(command: JavaCommand) -> None:
    old = replace(command, jre=Jre(Path("/java"), "21.0.4", 21))
    train = Training()

    assert with_aot_cache(old, "prog", train) == old
    assert train.runs == 0


def test_a_training_that_fails_is_told_of_and_not_fatal(
    command: JavaCommand, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    def fail(_: JavaCommand) -> None:
        raise JavaError("It broke", hint="Mend it")

    with caplog.at_level(logging.WARNING):
        assert with_aot_cache(command, "prog", fail) == command

    assert "starts more slowly: It broke. Mend it" in caplog.text
    assert not list((tmp_path / "cache" / "aot").glob("*.aot*"))


def test_a_training_that_leaves_no_cache_is_not_fatal(command: JavaCommand) -> None:
    assert with_aot_cache(command, "prog", lambda _: None) == command


def test_leftovers_and_the_oldest_caches_are_removed(command: JavaCommand, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "aot"
    folder.mkdir(parents=True)
    (folder / ".prog-0000.aot.unfinished").write_bytes(b"half")

    for megabytes in range(1, 6):
        newest = with_aot_cache(command.with_options(f"-Xms{megabytes}m"), "prog", Training())

    assert not list(folder.glob(".prog-*"))
    assert len(list(folder.glob("prog-*.aot"))) == 3
    assert aot_file(newest).exists()
