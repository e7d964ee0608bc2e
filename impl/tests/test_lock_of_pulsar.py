"""The command that locks another version of the broker: what it leaves out and replaces."""

from __future__ import annotations

import importlib.util
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from jvm_runtime import locks
from jvm_runtime.locks import Jar

_FILE = Path(__file__).parents[2] / "locks" / "pulsar_broker.py"


@pytest.fixture(scope="module")
def command() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pulsar_broker", _FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jar(group: str, artifact: str, classifier: str = "") -> Jar:
    return Jar(group, artifact, "1.0", classifier, sha256="", size=0)


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (jar("org.a", "b"), True),
        (jar("org.a", "bc"), False),
        (jar("org.c", "anything"), True),
        (jar("org.d", "e"), False),
        (jar("org.d", "e", "osx-x86_64"), True),
        (jar("org.f", "g", "linux"), False),
        (jar("org.f", "g-h", "linux"), True),
    ],
)
def test_rules_name_jars_by_group_artifact_and_classifier(
    command: ModuleType, candidate: Jar, expected: bool
) -> None:
    globs = command.rules("# why\norg.a:b  # also why\n\norg.c:*\n*:*:osx-*\norg.f:g-*\n")

    assert globs == ["org.a:b", "org.c:*", "*:*:osx-*", "org.f:g-*"]
    assert command.is_left_out(candidate, globs) is expected


def test_maven_is_told_the_rules_that_it_understands(command: ModuleType) -> None:
    text = command.pom("4.2.4", ["org.a:b", "org.c:*", "*:*:osx-*", "org.f:g-*"])

    assert text.count("<exclusion>") == 2
    assert "<groupId>org.a</groupId><artifactId>b</artifactId></exclusion>" in text
    assert "<groupId>org.c</groupId><artifactId>*</artifactId></exclusion>" in text
    assert text.count("<version>4.2.4</version>") == 2


def test_a_path_in_a_repository_tells_the_jar(command: ModuleType) -> None:
    for expected in (jar("org.a.b", "c-d"), jar("org.a", "c", "linux-x86_64")):
        assert command.jar_at(expected.path) == expected
    assert command.jar_at(PurePosixPath("a/b/1.0/b-1.0.jar")) == jar("a", "b")


def test_the_lock_has_nothing_that_is_left_out_or_replaced(command: ModuleType) -> None:
    globs = command.rules((_FILE.parent / "pulsar_broker.left-out").read_text())
    jars = locks.load("pulsar-broker-4.2.4").jars

    assert [
        each
        for each in jars
        if command.is_left_out(each, globs) or command.smaller_jar(each) != each
    ] == []
    assert command.smaller_jar(jar("it.unimi.dsi", "fastutil")) == jar(
        "it.unimi.dsi", "fastutil-core"
    )
    assert {each.classifier for each in jars if each.artifact == "rocksdbjni"} == {"linux64"}
