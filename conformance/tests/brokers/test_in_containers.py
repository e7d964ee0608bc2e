"""Brokers in containers, as far as no engine is needed: versions, owners, errors in words."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import docker.errors
import pytest
import requests

from jms_brokers.brokers import container, container_engine, container_ownership
from jms_brokers.brokers.child_process import PortTakenError
from jms_brokers.brokers.container import ContainerBroker
from jms_brokers.errors import BrokerError
from jms_brokers.families.artemis.container import ContainerArtemis
from jms_brokers.families.artemis.product import LOCKED as ARTEMIS
from jms_brokers.families.pulsar.container import ContainerPulsar
from jms_brokers.families.pulsar.product import LOCKED as PULSAR
from jms_brokers.families.rabbitmq.container import ContainerRabbitMQ
from jms_brokers.shared.locked import LockedBroker
from jvm_runtime import locks

ALL: list[type[ContainerBroker]] = [ContainerArtemis, ContainerPulsar, ContainerRabbitMQ]


@pytest.mark.parametrize(
    ("broker", "locked", "group", "artifact"),
    [
        (ContainerPulsar, PULSAR, "org.apache.pulsar", "pulsar-broker"),
        (ContainerArtemis, ARTEMIS, "org.apache.artemis", "artemis-server"),
    ],
)
def test_images_have_the_version_that_is_embedded(
    broker: type[ContainerBroker], locked: LockedBroker, group: str, artifact: str
) -> None:
    jars = locks.load(locked.lock()).jars
    [version] = [jar.version for jar in jars if (jar.group, jar.artifact) == (group, artifact)]

    assert broker.images.public.rpartition(":")[2] == version
    assert broker.images.local.rpartition(":")[2] == version


@pytest.mark.parametrize("kind", ALL)
def test_an_engine_that_is_not_there_is_told_of(
    kind: type[ContainerBroker], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")

    with pytest.raises(BrokerError, match="No container engine answers") as caught, kind("plain"):
        pass

    assert str(tmp_path) in caught.value.what
    assert "docker info" in caught.value.hint
    assert "--broker embedded" in caught.value.hint


def test_a_socket_that_this_user_may_not_use_is_told_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    container_engine.require_extra()
    path = tmp_path / "docker.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
    we = os.geteuid()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        path.chmod(0)
        try:
            if we == 0:  # whom no permission stops
                os.seteuid(65534)
            with pytest.raises(BrokerError, match="may not use") as caught:
                ContainerPulsar().start()
        finally:
            os.seteuid(we)

    assert "usermod -aG docker" in caught.value.hint


@pytest.mark.parametrize("text", ["many", "0", "-5", "1.5", "5", "1024m", "99999999"])
def test_a_size_of_memory_that_is_none_is_told_of(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(container.MEMORY, text)

    with pytest.raises(BrokerError, match="is no number of MiB") as caught:
        ContainerPulsar()

    assert container.MEMORY in caught.value.hint


def test_the_size_of_memory_is_taken_from_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(container.MEMORY, "700")

    assert container.wanted_memory() == 700


def refusal(text: str) -> docker.errors.APIError:
    """What the engine's client raises when the engine answers with `text`."""
    response = requests.Response()
    response.status_code = 500
    return docker.errors.APIError("500 Server Error", response, explanation=text)


@pytest.mark.parametrize(
    ("text", "kind", "hint"),
    [
        (
            "driver failed programming external connectivity: Bind for 127.0.0.1:6650 failed: "
            "port is already allocated",
            PortTakenError,
            "end what listens there",
        ),
        (
            "listen tcp4 127.0.0.1:8080: bind: address already in use",
            PortTakenError,
            "end what listens there",
        ),
        ("fork/exec: cannot allocate memory", BrokerError, "TOUCHSTONE_CONTAINER_MEMORY"),
        ("mkdir /var/lib/docker: no space left on device", BrokerError, "Free some space"),
        ("open /var/lib/docker: permission denied", BrokerError, "docker info"),
    ],
)
def test_what_the_engine_refuses_is_told_with_what_to_do(
    text: str, kind: type[BrokerError], hint: str
) -> None:
    error = container_engine.explain_error("run a container of x", refusal(text))

    assert type(error) is kind
    assert "could not run a container of x" in error.what
    assert text in error.what
    assert hint in error.hint


def test_an_owner_is_gone_when_its_process_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        owner = container_ownership.owner_of(process.pid)
        assert not container_ownership.is_gone(owner)
        process.communicate(b"\n")

    assert container_ownership.is_gone(owner)


def test_an_owner_is_one_process_and_not_the_next_of_its_number() -> None:
    ours = container_ownership.owner_of(os.getpid())
    *same, began = ours.split("/")

    assert not container_ownership.is_gone(ours)
    assert container_ownership.is_gone("/".join([*same, str(int(began) - 1)]))


@pytest.mark.parametrize(
    ("place", "other", "gone"),
    [
        (0, "another-machine", False),  # not ours to judge
        (1, "another-boot", True),  # its processes ended with the machine
        (2, "another-space", False),  # its numbers are not ours
    ],
)
def test_an_owner_elsewhere_is_left_alone(place: int, other: str, gone: bool) -> None:
    parts = container_ownership.owner_of(os.getpid()).split("/")
    parts[place], parts[4] = other, "1"

    assert container_ownership.is_gone("/".join(parts)) is gone


@pytest.mark.parametrize("label", ["", "somebody", "a/b/c"])
def test_what_is_no_owner_is_never_removed(label: str) -> None:
    assert not container_ownership.is_gone(label)
