"""What goes wrong with containers: one clear error each, and nothing left running."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from containers.tests.conftest import remaining_containers
from jms_brokers.brokers import container_engine, container_ownership, ports
from jms_brokers.brokers.container_engine import asking
from jms_brokers.errors import BrokerError
from jms_brokers.families.artemis.container import ContainerArtemis
from jms_brokers.families.pulsar.container import ContainerPulsar
from jms_brokers.families.rabbitmq.container import ContainerRabbitMQ
from touchstone.brokers.broker_set import BrokerSet
from touchstone.brokers.option import broker_settings

_WITHIN = 120.0
_NOWHERE = "touchstone.invalid/no/such:image"


def test_an_image_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_PULSAR_IMAGE", _NOWHERE)

    with pytest.raises(BrokerError) as caught, ContainerPulsar():
        pass

    assert _NOWHERE in caught.value.what
    assert "TOUCHSTONE_PULSAR_IMAGE" in caught.value.what
    assert "make images" in caught.value.hint


def test_without_public_and_local_image_the_hint_is_to_make_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TOUCHSTONE_PULSAR_IMAGE", raising=False)
    nowhere = container_engine.Images(_NOWHERE, f"{_NOWHERE}-local", "TOUCHSTONE_PULSAR_IMAGE")
    monkeypatch.setattr(ContainerPulsar, "images", nowhere)

    with pytest.raises(BrokerError, match="cannot be pulled") as caught, ContainerPulsar():
        pass

    assert "make images" in caught.value.hint


def test_our_own_image_is_used_where_the_public_one_cannot_be_pulled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TOUCHSTONE_ARTEMIS_IMAGE", raising=False)
    ours = container_engine.image(ContainerArtemis.images)
    fallback = container_engine.Images(_NOWHERE, ours, "TOUCHSTONE_ARTEMIS_IMAGE")
    capsys.readouterr()

    assert container_engine.image(fallback) == ours

    said = capsys.readouterr().err
    assert f"{_NOWHERE} cannot be pulled" in said
    assert ours in said


def test_a_container_that_ends_at_once_shows_how(monkeypatch: pytest.MonkeyPatch) -> None:
    other = container_engine.image(ContainerArtemis.images)
    monkeypatch.setenv("TOUCHSTONE_PULSAR_IMAGE", other)

    with pytest.raises(BrokerError, match="exited with status") as caught, ContainerPulsar():
        pass

    assert "apply-config-from-env.py" in caught.value.what  # the end of its log
    assert "Is the image one of Pulsar" in caught.value.hint


def test_a_container_that_never_gets_ready_is_given_up() -> None:
    broker = ContainerArtemis(ready_within=0)

    with pytest.raises(BrokerError, match="was not ready within 0 s"), broker:
        pass


def test_too_little_memory_is_told_of() -> None:
    broker = ContainerPulsar(memory=24)

    with pytest.raises(BrokerError) as caught, broker:
        pass

    assert "24 MiB" in str(caught.value)
    assert "TOUCHSTONE_CONTAINER_MEMORY" in caught.value.hint


def test_a_taken_port_is_told_of_after_some_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(
            "jms_brokers.families.artemis.container.free_ports", lambda count: (port,) * count
        )
        monkeypatch.setattr("jms_brokers.brokers.container.require_free", lambda *ports: None)
        with pytest.raises(BrokerError, match="could not run a container") as caught:
            ContainerArtemis().__enter__()

    assert str(port) in caught.value.what
    assert "A port is taken" in caught.value.hint


def test_default_ports_that_are_taken_are_named() -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if ports.is_free(6650):
            taken.bind(("127.0.0.1", 6650))
            taken.listen()
        with pytest.raises(BrokerError, match=r"Port 6650 on 127\.0\.0\.1 is taken"):
            ContainerPulsar("default-ports").__enter__()


_OWNER = """
import os, sys, time
from jms_brokers.brokers import container_ownership
from jms_brokers.families.artemis.container import ContainerArtemis
broker = ContainerArtemis()
broker.start()
print(container_ownership.owner_of(os.getpid()), container_ownership._watcher.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def owner() -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """A process that has a broker in a container: itself, its name, its watcher's number."""
    with subprocess.Popen(
        [sys.executable, "-c", _OWNER], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            name, watcher = process.stdout.readline().split()
            assert len(remaining_containers(name)) == 1
            yield process, name, int(watcher)
        finally:
            process.kill()


def await_removal(name: str) -> None:
    deadline = time.monotonic() + _WITHIN
    while remaining_containers(name):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_killed_run_leaves_no_container(owner: tuple[subprocess.Popen[str], str, int]) -> None:
    process, name, _ = owner

    process.kill()

    await_removal(name)


def test_what_a_killed_watcher_left_is_removed_at_the_next_start(
    owner: tuple[subprocess.Popen[str], str, int],
) -> None:
    process, name, watcher = owner
    os.kill(watcher, signal.SIGKILL)
    process.kill()
    process.wait()
    assert len(remaining_containers(name)) == 1

    with asking("remove what has no owner"):
        engine = container_engine.client()
        try:
            assert len(container_ownership.sweep(engine)) >= 1
        finally:
            engine.close()

    assert remaining_containers(name) == []


class EngineThatDies:
    """A way to the engine that can be closed, as if the engine had died."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def die(self) -> None:
        """No connection stays, and none is accepted any more."""
        self.path.unlink()
        for each in (self._listening, *self._open):
            with_shutdown(each)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._engine.removeprefix("unix://"))
            self._open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=forward, args=(source, sink), daemon=True).start()


def forward(source: socket.socket, sink: socket.socket) -> None:
    try:
        while content := source.recv(65536):
            sink.sendall(content)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def with_shutdown(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


def test_an_engine_that_dies_in_mid_run_is_told_of_and_nothing_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert os.environ.get("DOCKER_HOST", "unix:").startswith("unix:")
    ours = container_ownership.owner_of(os.getpid())
    with monkeypatch.context() as through:
        way = EngineThatDies(tmp_path / "docker.sock")
        through.setenv("DOCKER_HOST", f"unix://{way.path}")
        brokers = BrokerSet(broker_settings("container", family="artemis"))
        brokers.address()
        way.die()

        with pytest.raises(BrokerError, match="No container engine answers") as caught:
            brokers.address()
        brokers.close()

    assert "docker info" in caught.value.hint
    assert "removed later" in capsys.readouterr().err
    assert len(remaining_containers(ours)) == 1
    container_ownership.remove_all_of(ours)  # as the watcher does when this process ends


def test_a_node_that_ran_out_of_memory_in_mid_run_makes_room_for_another() -> None:
    with BrokerSet(broker_settings("container", family="rabbitmq")) as brokers:
        first = brokers.address()
        broker = brokers._brokers["plain"]
        assert isinstance(broker, ContainerRabbitMQ)
        container = broker._container()
        container.kill()  # not by the harness: as the kernel does
        container.wait()
        assert not broker.alive

        assert brokers.address().service_url != first.service_url
