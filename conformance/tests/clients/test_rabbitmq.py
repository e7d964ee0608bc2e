"""The provider rabbitmq and the parts of a local RabbitMQ: what is given, and what is refused."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import server as rabbitmq_server
from jms_brokers.families.rabbitmq.node import NodeView
from jms_brokers.families.rabbitmq.server import VARIABLE, Node
from jms_brokers.shared.registry import broker_for
from jms_clients import rabbitmq
from jms_clients.errors import ProviderError
from jvm_runtime import locks
from touchstone.brokers.option import broker_settings

ADDRESS = BrokerAddress(
    "amqp://127.0.0.1:21000", "", "plain", "external", "3.10.8", "rabbitmq", user_name="me"
)
NODE = Node("touchstone-1@localhost", 21000, 21001, 21002)


def script(folder: Path, content: str = "#!/bin/sh\nexec erl\n") -> Path:
    path = folder / "rabbitmq-server"
    path.write_text(content)
    path.chmod(0o755)
    return path


def test_locked_are_the_newest_versions_of_both_namespaces() -> None:
    assert locks.versions("rabbitmq") == ("2.13.0", "3.7.0")
    assert rabbitmq.provider(version="2.13.0").namespace == "javax.jms"
    assert rabbitmq.provider().namespace == "jakarta.jms"


@pytest.mark.parametrize(("variant", "version"), [("java", None), (None, "9.9.9")])
def test_what_there_is_not_is_refused(variant: str | None, version: str | None) -> None:
    with pytest.raises(ProviderError, match=r"9\.9\.9|java"):
        rabbitmq.provider(variant, version)


def test_a_factory_is_given_the_way_to_the_broker() -> None:
    settings = rabbitmq.connection_settings(replace(ADDRESS, password="secret"))

    assert settings == {
        "host": "127.0.0.1",
        "port": 21000,
        "username": "me",
        "password": "secret",
    }


def test_a_factory_is_given_the_virtual_host_and_tls() -> None:
    broker = broker_settings("amqps://host/a%2Fb", family="rabbitmq")
    address = replace(ADDRESS, service_url=broker.service_url)
    settings = rabbitmq.connection_settings(address)

    assert (settings["host"], settings["port"], settings["virtualHost"]) == ("host", 5671, "a/b")
    assert settings["ssl"] is True


def test_a_node_listens_on_the_loopback_address_alone() -> None:
    lines = rabbitmq_server.settings(NODE).splitlines()

    assert "listeners.tcp.1 = 127.0.0.1:21000" in lines
    assert "distribution.listener.interface = 127.0.0.1" in lines


def test_a_node_has_a_name_ports_and_folders_of_its_own(tmp_path: Path) -> None:
    inherited = {"PATH": "/bin", "HOME": "/home/me", "RABBITMQ_NODENAME": "rabbit@host"}
    environment = rabbitmq_server.environment(NODE, tmp_path, inherited)

    assert environment["RABBITMQ_NODENAME"] == NODE.name
    assert environment["ERL_EPMD_PORT"] == "21001"
    assert environment["ERL_EPMD_ADDRESS"] == "127.0.0.1"
    assert environment["HOME"] == str(tmp_path)
    assert environment["PATH"] == "/bin"
    assert environment["RABBITMQ_ENABLED_PLUGINS_FILE"] == str(tmp_path / "enabled_plugins")
    folders = [
        value for name, value in environment.items() if name.endswith(("_BASE", "_FILE", "_DIR"))
    ]
    assert {str(Path(folder).parent) for folder in folders} == {str(tmp_path), "/dev"}


def test_secrets_of_a_node_are_kept_and_shown_to_nobody(tmp_path: Path) -> None:
    rabbitmq_server.prepare(NODE, tmp_path, {})
    before = rabbitmq_server.password(tmp_path), rabbitmq_server.cookie(tmp_path)
    rabbitmq_server.prepare(NODE, tmp_path, {})

    assert (rabbitmq_server.password(tmp_path), rabbitmq_server.cookie(tmp_path)) == before
    for name in ("password", ".erlang.cookie", "rabbitmq.conf"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0


def test_a_script_that_is_named_is_used(tmp_path: Path) -> None:
    server = script(tmp_path)
    path = os.environ["PATH"]
    if not rabbitmq_server.programs(path)["erl"]:
        path = f"{tmp_path}{os.pathsep}{path}"
        for name in ("erl", "epmd"):
            script(tmp_path).rename(tmp_path / name)
        server = script(tmp_path)

    assert rabbitmq_server.find({VARIABLE: str(server), "PATH": path}).script == server


@pytest.mark.parametrize("content", ["", "#!/bin/sh\nsu rabbitmq -s /bin/sh -c x\n"])
def test_a_script_that_starts_no_node_is_refused_with_advice(tmp_path: Path, content: str) -> None:
    named = str(script(tmp_path, content) if content else tmp_path / "missing")

    with pytest.raises(BrokerError, match="cannot be run") as refusal:
        rabbitmq_server.find({VARIABLE: named, "PATH": str(tmp_path)})

    assert named in refusal.value.what
    assert "apt-get install rabbitmq-server" in refusal.value.hint


def test_a_lack_of_erlang_is_named(tmp_path: Path) -> None:
    named = str(script(tmp_path))

    with pytest.raises(BrokerError, match="Erlang's epmd is not on the path"):
        rabbitmq_server.find({VARIABLE: named, "PATH": str(tmp_path)})


@pytest.mark.parametrize("way", ["embedded", "container", "rabbitmq=amqp://127.0.0.1:1"])
def test_a_profile_of_pulsar_is_refused(way: str) -> None:
    with pytest.raises(BrokerError, match="profile 'tls'"):
        broker_for(broker_settings(way, family="rabbitmq"), "tls")


def test_a_broker_that_does_not_answer_is_named_without_the_password() -> None:
    option = "rabbitmq=amqp://me:secret@127.0.0.1:1"
    broker = broker_for(broker_settings(option, family="rabbitmq"))

    with pytest.raises(BrokerError, match=r"amqp://127\.0\.0\.1:1 does not let us in") as refusal:
        broker.start()

    assert "secret" not in str(refusal.value)
    assert "user name and password" in refusal.value.hint


def test_what_is_unacknowledged_cannot_be_told_of_a_broker_elsewhere() -> None:
    with pytest.raises(BrokerError, match="cannot be seen on amqp://127") as refusal:
        NodeView(ADDRESS)

    assert "--broker embedded" in refusal.value.hint
