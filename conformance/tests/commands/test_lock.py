"""`touchstone lock`: a release of a client, resolved by Maven, can be asked for ever after.

A script stands for Maven, which would need the network. It writes a list, and what it was asked.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from jms_clients import qpid
from jms_clients.errors import ProviderError
from jms_clients.registry import load_provider
from jvm_runtime import locks
from touchstone.cli import main
from touchstone.verdicts import ExitStatus

CLIENT = "org.apache.qpid:qpid-jms-client:0.0.1"
PLATFORMS = ("linux-x86_64", "osx-x86_64", "windows-x86_64")
MAVEN = """#!/bin/sh
for argument; do case $argument in
    -DoutputFile=*) file=${{argument#*=}};;
    *pom.xml) project=$argument;;
esac; done
cat "$project" >> {asked}
grep -q slf4j-jdk14 "$project" && bridge="org.slf4j:slf4j-jdk14:jar:1.7:compile"
printf '%s\\n' {jars} "$bridge" > "$file"
"""


def jar(repository: Path, group: str, artifact: str, version: str, entry: str) -> str:
    """A jar with one entry in a Maven repository; returns its line of Maven's list."""
    folder = repository.joinpath(*group.split("."), artifact, version)
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / f"{artifact}-{version}.jar", "w") as file:
        file.writestr(entry, b"")
    return f"{group}:{artifact}:jar:{version}:compile"


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven that knows one release of Qpid JMS; returns the file of what it was asked."""
    repository, asked = tmp_path / "m2", tmp_path / "asked"
    lines = [
        jar(repository, "org.apache.qpid", "qpid-jms-client", "0.0.1", "org/Client.class"),
        jar(repository, "javax.jms", "javax.jms-api", "1.1", "javax/jms/Message.class"),
        jar(repository, "org.slf4j", "slf4j-api", "1.7", "org/Logger.class"),
        *(f"io.netty:netty-epoll:jar:{platform}:4.1:runtime" for platform in PLATFORMS),
    ]
    for platform in PLATFORMS:
        folder = repository / "io" / "netty" / "netty-epoll" / "4.1"
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(folder / f"netty-epoll-4.1-{platform}.jar", "w") as file:
            file.writestr("Epoll.class", b"")
    jar(repository, "org.slf4j", "slf4j-jdk14", "1.7", "org/Bridge.class")
    script = tmp_path / "bin" / "mvn"
    script.parent.mkdir()
    script.write_text(MAVEN.format(asked=asked, jars=" ".join(f"'{line}'" for line in lines)))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
    monkeypatch.setenv("M2_REPO", str(repository))
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    return asked


@pytest.mark.usefixtures("maven")
def test_a_client_is_locked_by_its_coordinates(capsys: pytest.CaptureFixture[str]) -> None:
    """With the bridge of its logging, and without native libraries of other platforms."""
    assert main(["lock", CLIENT]) == 0

    title, *lines = capsys.readouterr().out.splitlines()
    assert title == f"# {CLIENT} (javax.jms)"
    native = [line for line in lines if "netty-epoll" in line]
    assert len(native) == (locks.platform_tag() == "linux-x86_64")
    assert [line.split(" ")[0] for line in lines if line not in native] == [
        "javax.jms:javax.jms-api:jar:1.1",
        "org.apache.qpid:qpid-jms-client:jar:0.0.1",
        "org.slf4j:slf4j-api:jar:1.7",
        "org.slf4j:slf4j-jdk14:jar:1.7",
    ]


def test_a_release_that_was_kept_can_be_asked_for(maven: Path) -> None:
    with pytest.raises(ProviderError, match=r"no Qpid JMS 0\.0\.1 here") as refused:
        load_provider("qpid@0.0.1")
    assert "touchstone lock GROUP:ARTIFACT:0.0.1 --as qpid" in refused.value.hint

    assert main(["lock", CLIENT, "--as", "qpid"]) == 0

    assert qpid.RELEASES.known[0] == "0.0.1"
    assert qpid.RELEASES.known[-1] == qpid.RELEASES.newest
    assert qpid.provider(version="0.0.1").namespace == "javax.jms"
    assert "<artifactId>qpid-jms-client</artifactId>" in maven.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["org.apache.qpid:qpid-jms-client"], "is no jar of a Maven repository"),
        (["a:b:1</version>"], "is no jar of a Maven repository"),
        ([CLIENT, "--as", "../qpid"], r"\.\./qpid@0\.0\.1 cannot be asked for"),
        (["jars.txt", "--as", "qpid"], r"jars\.txt is no GROUP:ARTIFACT:VERSION"),
        (["jars.txt", CLIENT], r"jars\.txt is no GROUP:ARTIFACT:VERSION"),
    ],
)
@pytest.mark.usefixtures("maven")
def test_what_cannot_be_locked_is_one_clear_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lock", *arguments]) == ExitStatus.FAULT
    error = capsys.readouterr().err
    assert re.search(message, error), error


def test_a_release_that_touchstone_brings_stays(
    maven: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = f"org.apache.qpid:qpid-jms-client:{qpid.RELEASES.newest}"
    assert main(["lock", newest, "--as", "qpid"]) == ExitStatus.FAULT
    assert "is there already" in capsys.readouterr().err
    assert maven.exists()


def test_without_maven_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["lock", CLIENT]) == ExitStatus.FAULT
    assert "Maven is not installed" in capsys.readouterr().err


def test_what_maven_cannot_resolve_is_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "mvn"
    said = r"\033[0m[ERROR] Could not find artifact\n[ERROR] \n[ERROR] Re-run Maven\n"
    script.write_text(f"#!/bin/sh\nprintf '{said}'\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert main(["lock", CLIENT]) == ExitStatus.FAULT
    assert f"cannot resolve {CLIENT}: Could not find artifact\n" in capsys.readouterr().err


def test_deviations_were_seen_with_the_releases_that_touchstone_brings(maven: Path) -> None:
    assert maven.parent.is_dir()
    assert main(["lock", CLIENT, "--as", "qpid"]) == 0
    assert qpid.provider(version="0.0.1").judged_releases == ("1.16.0", qpid.RELEASES.newest)
