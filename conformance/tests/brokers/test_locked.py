"""Versions of embedded brokers: how one is asked for, which lock it has, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jms_brokers.errors import BrokerError
from jms_brokers.families.artemis.embedded import EmbeddedArtemis
from jms_brokers.machine.findings import CheckState, examine
from jms_brokers.shared.locked import LockedBroker
from jms_brokers.shared.registry import broker_for, families, locked_versions
from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime import locks
from touchstone.brokers.option import broker_settings
from touchstone.cli import main
from touchstone.commands.matrix import BrokerChoice
from touchstone.doctor.checks import broker_versions
from touchstone.verdicts import ExitStatus

_SERVERS = {
    "pulsar": "pulsar-broker",
    "artemis": "artemis-server",
    "activemq": "activemq-broker",
    "brokerj": "qpid-broker",
    "openmq": "mq-distribution",
}


LOCKED = {name: family.locked for name, family in families().items() if family.locked is not None}


def test_these_families_are_embedded_from_locked_jars() -> None:
    assert LOCKED.keys() == _SERVERS.keys()


@pytest.mark.parametrize("family", LOCKED)
def test_each_version_is_that_of_the_broker_in_its_lock(family: str) -> None:
    broker = LOCKED[family]

    assert broker.usual in broker.known
    for version in broker.known:
        jars = locks.load(broker.lock(version)).jars
        assert [jar.version for jar in jars if jar.artifact == _SERVERS[family]] == [version]


def test_without_a_version_it_is_the_usual_one() -> None:
    assert LOCKED["pulsar"].known == ("4.0.7", "4.2.4")
    assert LOCKED["pulsar"].lock() == LOCKED["pulsar"].lock("4.0.7") == "pulsar-broker-4.0.7"


@pytest.mark.parametrize(
    ("options", "family", "version"),
    [
        (["embedded"], "pulsar", ""),
        (["embedded:4.0.7"], "pulsar", "4.0.7"),
        (["pulsar=embedded:4.2.4", "artemis=embedded:2.50.0"], "pulsar", "4.2.4"),
        (["pulsar=embedded:4.2.4", "artemis=embedded:2.50.0"], "artemis", "2.50.0"),
        (["pulsar=embedded:4.2.4"], "artemis", ""),
        (["embedded:4.2.4", "embedded"], "pulsar", ""),
        (["container"], "pulsar", ""),
    ],
)
def test_an_option_names_the_version_of_an_embedded_broker(
    options: list[str], family: str, version: str
) -> None:
    settings = broker_settings(*options, family=family)

    assert settings.way == ("container" if options == ["container"] else "embedded")
    assert settings.version == version
    assert BrokerSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


@pytest.mark.parametrize("version", ["4.1.0", "4.0", "4", "", "4.0.7-linux-x86_64", "../4.0.7"])
def test_a_version_that_is_not_locked_is_refused_with_those_that_are(version: str) -> None:
    with pytest.raises(BrokerError, match=r"There is no embedded Pulsar") as caught:
        broker_settings(f"embedded:{version}")

    assert version in caught.value.what
    assert "4.0.7, 4.2.4" in caught.value.hint


def test_a_product_for_older_java_says_so_where_java_is_newer() -> None:
    old = LockedBroker("Old", "artemis", "2.55.0", newest_java=8)

    assert "Old runs on Java 8 or older, and" in old.obstacle()
    assert "TOUCHSTONE_JAVA" in old.obstacle()


def test_a_family_without_locks_has_no_versions() -> None:
    with pytest.raises(BrokerError, match="family rabbitmq have no versions") as caught:
        broker_settings("embedded:3.10", family="rabbitmq")

    assert "rabbitmq=image:NAME" in caught.value.hint


@pytest.mark.parametrize("option", ["container:4.0.7", "embedded=4.0.7", "embedded-4.0.7"])
def test_versions_are_spelled_in_one_way(option: str) -> None:
    with pytest.raises(BrokerError, match="is no broker of the family pulsar") as caught:
        broker_settings(option)

    assert "embedded:VERSION" in caught.value.hint


def test_a_token_for_an_embedded_broker_of_any_version_is_refused() -> None:
    with pytest.raises(BrokerError, match="token is for an external broker"):
        broker_settings("embedded:4.2.4", token="t")


def test_the_matrix_takes_versions_and_refuses_others() -> None:
    choice = BrokerChoice.of("pulsar=embedded:4.2.4")

    assert (choice.family, choice.named, choice.option) == (
        "pulsar",
        "embedded:4.2.4",
        "pulsar=embedded:4.2.4",
    )
    assert not choice.environment
    with pytest.raises(BrokerError, match=r"There is no embedded Artemis 1\.0"):
        BrokerChoice.of("artemis=embedded:1.0")


def test_an_unknown_version_ends_a_run_before_anything_starts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "--broker", "embedded:1.2.3", "--results-dir", str(tmp_path)]

    assert main(words) == ExitStatus.FAULT
    said = "".join(capfd.readouterr())
    assert "There is no embedded Pulsar 1.2.3" in said
    assert "4.0.7, 4.2.4" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["run", "matrix"])
def test_help_lists_the_versions(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])

    told = " ".join(capsys.readouterr().out.split())
    assert "Artemis 2.50.0, 2.55.0; Qpid Broker-J 9.2.1; OpenMQ 6.6.0; Pulsar 4.0.7, 4.2.4" in told
    assert "ActiveMQ 6.3.1" in locked_versions()


def test_the_doctor_lists_the_versions_and_what_is_to_be_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))

    finding = examine(broker_versions)

    assert finding.state is CheckState.FINE
    assert "Pulsar 4.0.7 (usual) (fetched when first asked for), 4.2.4 (fetched" in finding.seen
    assert "ActiveMQ 6.3.1 (usual)" in finding.seen


def test_the_broker_that_starts_has_the_version_asked_for() -> None:
    with broker_for(broker_settings("embedded:2.50.0", family="artemis")) as broker:
        assert isinstance(broker, EmbeddedArtemis)
        assert (broker.address.way, broker.address.version) == ("embedded", "2.50.0")
