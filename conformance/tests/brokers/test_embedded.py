"""A real broker of our own: ready when it says so, loses nothing by a kill, gone with us."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import httpx
import pulsar as pulsar_client
import pytest

from jms_brokers.brokers import broker_folders, ports
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar import embedded
from jms_brokers.families.pulsar.embedded import EmbeddedPulsar
from jms_brokers.families.pulsar.profiles import PROFILES, SERIAL_DISPATCH, PulsarProfile
from jms_brokers.families.pulsar.readiness import client
from jms_brokers.machine.process_table import began, listening
from jms_brokers.shared.registry import broker_for
from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime import own_folders
from jvm_runtime.progress import quiet
from touchstone.brokers import broker_set
from touchstone.brokers.broker_set import BrokerSet

pytestmark = pytest.mark.thorough


def send(address: BrokerAddress, topic: str, *contents: bytes) -> None:
    connection = client(address)
    producer = connection.create_producer(topic)
    for content in contents:
        producer.send(content)
    connection.close()


def read_all(address: BrokerAddress, topic: str) -> list[bytes]:
    connection = client(address)
    reader = connection.create_reader(topic, pulsar_client.MessageId.earliest)
    contents = []
    while reader.has_message_available():
        contents.append(reader.read_next(5000).data())
    connection.close()
    return contents


def native_libraries(pid: int) -> list[Path]:
    """What the process has unpacked of its jars and loaded."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    return [Path(name) for name in set(re.findall(r"/\S+/lib(?:circe|rocksdb)\S+\.so", maps))]


def is_alive(pid: int) -> bool:
    return began(pid) is not None


def test_the_broker_is_ready_when_its_address_is_there(pulsar: BrokerAddress) -> None:
    assert pulsar.version == "4.0.7"
    assert (pulsar.family, pulsar.way, pulsar.profile) == ("pulsar", "embedded", "plain")
    send(pulsar, "brokers-ready", b"one")
    assert read_all(pulsar, "brokers-ready") == [b"one"]


def test_the_readiness_check_leaves_no_topic_behind(pulsar: BrokerAddress) -> None:
    topics = httpx.get(f"{pulsar.admin_url}/admin/v2/persistent/public/default").json()

    assert not [topic for topic in topics if "touchstone-ready" in topic]


def test_the_broker_listens_on_the_loopback_address_only(pulsar: BrokerAddress) -> None:
    assert pulsar.pid is not None
    addresses = {where.partition(":")[0] for where in listening(pulsar.pid)}

    assert addresses <= {"0100007F", "0000000000000000FFFF00000100007F"}
    assert addresses


def test_nothing_is_lost_by_stop_kill_and_restart(tmp_path: Path) -> None:
    topic = "persistent://public/default/kept"
    with EmbeddedPulsar(log=tmp_path / "logs" / "broker.log", show=quiet) as broker:
        first = broker.address
        assert broker.timings is not None
        assert broker.resident_bytes() < 350 * 2**20
        send(first, topic, b"before the kill")

        assert first.pid is not None
        unpacked = native_libraries(first.pid)
        assert all(library.is_relative_to(own_folders.place()) for library in unpacked)
        broker.kill()
        assert not is_alive(first.pid)
        second = broker.start()
        assert (second.service_url, second.admin_url) == (first.service_url, first.admin_url)
        assert read_all(second, topic) == [b"before the kill"]

        send(second, topic, b"before the restart")
        third = broker.restart()
        assert read_all(third, topic) == [b"before the kill", b"before the restart"]

        broker.pause()
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{third.admin_url}/admin/v2/clusters", timeout=0.3)
        broker.resume()
        send(third, topic, b"after the pause")

        with pytest.raises(BrokerError, match="runs already"):
            broker.start()
        folder = Path(third.log or "").parent
        running = third.pid
    assert running is not None
    assert not is_alive(running)
    assert (folder / "broker.log").exists(), "a log that was asked for stays"
    assert {library.name for library in unpacked} >= {"libcirce-checksum.so"}
    assert not any(library.exists() for library in unpacked), "a killed broker left libraries"
    assert not list(Path("/tmp").glob(f"hsperfdata_*/{first.pid}")), "... or counters"


def test_a_broker_is_gone_with_its_process_and_its_data_with_the_next_broker(
    tmp_path: Path,
) -> None:
    program = """
        import json, sys, time
        from jms_brokers.shared.registry import broker_for
        from jms_brokers.shared.settings import BrokerSettings
        broker = broker_for(BrokerSettings(), "plain")
        print(json.dumps(broker.start().to_dict()), flush=True)
        time.sleep(60)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as parent:
        assert parent.stdout is not None
        address = BrokerAddress.from_dict(json.loads(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
    assert address.pid is not None
    deadline = time.monotonic() + 60
    while is_alive(address.pid):
        assert time.monotonic() < deadline, "the broker outlived its process"
        time.sleep(0.01)

    (parent_folder,) = tmp_path.iterdir()
    (left,) = parent_folder.iterdir()
    assert (left / "data").is_dir()
    own_folders.sweep(parent_folder)
    assert not left.exists()


def test_a_temporary_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"touchstone-{os.getuid()}").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(BrokerError, match="belongs to somebody else") as caught:
        broker_folders.BrokerFolder("x")

    assert "TMPDIR" in caught.value.hint


def test_a_disk_too_full_for_a_broker_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(BrokerError, match="1000000000000 MB") as caught:
        broker_folders.require_space(tmp_path, 10**18)

    assert "TMPDIR" in caught.value.hint


def test_a_broker_without_room_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(broker_folders, "NEEDED_BYTES", 10**18)

    with pytest.raises(BrokerError, match="is too full"):
        broker_folders.BrokerFolder("x")

    (parent,) = tmp_path.iterdir()
    assert list(parent.iterdir()) == []


def test_a_taken_default_port_is_named() -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 8080))
        taken.listen()
        with (
            pytest.raises(BrokerError, match="Port 8080") as caught,
            EmbeddedPulsar("default-ports", show=quiet),
        ):
            pass

    assert "touchstone broker stop" in caught.value.hint


def test_free_ports_are_free_and_different() -> None:
    free = ports.free_ports(5)

    assert len(set(free)) == 5
    assert all(ports.is_free(port) for port in free)


def test_a_port_lost_to_somebody_else_on_the_way_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between our look and the broker's own somebody takes the port: another one is tried."""
    from jvm_runtime import launch

    held: list[socket.socket] = []
    spawn = launch.spawn

    def take_the_port_first(command, *, folder, **how):  # type: ignore[no-untyped-def]
        if not held:
            text = (folder / "standalone.conf").read_text()
            port = re.search(r"^brokerServicePort=(\d+)$", text, re.MULTILINE)
            assert port is not None
            held.append(socket.create_server(("127.0.0.1", int(port[1]))))
        return spawn(command, folder=folder, **how)

    monkeypatch.setattr(launch, "spawn", take_the_port_first)
    with EmbeddedPulsar(show=quiet) as broker:
        address = broker.address
    with held[0]:
        assert address.service_port != held[0].getsockname()[1]


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("TOUCHSTONE_JAVA", "/nowhere", "TOUCHSTONE_JAVA=/nowhere"),
        ("TOUCHSTONE_CACHE", "EMPTY", "Offline, and not in"),
    ],
)
def test_what_a_start_lacks_is_told_as_a_broker_error(
    variable: str, value: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("M2_REPO", str(tmp_path))
    monkeypatch.setenv(variable, value.replace("EMPTY", str(tmp_path)))

    with (
        pytest.raises(BrokerError, match=named) as caught,
        EmbeddedPulsar(offline=True, show=quiet),
    ):
        pass

    assert "No embedded broker" in str(caught.value)
    assert caught.value.hint


def test_a_broker_that_does_not_start_shows_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = PulsarProfile(
        "broken", "a number is no number", configuration={"numIOThreads": "many"}
    )
    monkeypatch.setattr(embedded, "PROFILES", {**PROFILES, "broken": broken})

    with (
        pytest.raises(BrokerError, match="exited with status") as caught,
        EmbeddedPulsar("broken", show=quiet),
    ):
        pass

    assert "numIOThreads" in str(caught.value)


def test_the_broker_knows_the_settings_of_its_profile() -> None:
    """A setting that it does not know it would pass over in silence."""
    profile = PROFILES[SERIAL_DISPATCH]
    with EmbeddedPulsar(profile.name, show=quiet) as broker:
        answer = httpx.get(f"{broker.address.admin_url}/admin/v2/brokers/configuration/runtime")

    assert profile.configuration.items() <= answer.json().items()


class Sleeping:
    """A broker as a set of them sees one: an address, and a process that does nothing."""

    def __init__(self, profile: str) -> None:
        self._profile = profile

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(["sleep", "600"])
        self.address = BrokerAddress(
            "pulsar://127.0.0.1:1", "", self._profile, "embedded", "", "pulsar",
            pid=self._process.pid,
        )  # fmt: skip
        return self

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


@pytest.fixture
def sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of brokers start no real ones; a profile that there is not is refused as ever."""

    def broker(settings: BrokerSettings, profile: str) -> Sleeping:
        broker_for(settings, profile)  # which starts nothing yet
        return Sleeping(profile)

    monkeypatch.setattr(broker_set, "broker_for", broker)


@pytest.mark.usefixtures("sleeping")
def test_one_broker_per_profile_and_the_oldest_makes_room() -> None:
    with BrokerSet(BrokerSettings(), alive=1) as brokers:
        with brokers.lease("no-transactions") as leased:
            assert brokers.address("no-transactions") == leased
            other = brokers.address("plain")
            assert leased.pid is not None
            assert other.pid is not None
            assert is_alive(leased.pid), "a broker in use does not make room"
        assert not is_alive(leased.pid), "no longer in use, it makes room"
        with pytest.raises(BrokerError):
            brokers.address("no-such-profile")
        assert is_alive(other.pid)
        assert brokers.address("plain") == other
    assert not is_alive(other.pid)


@pytest.mark.usefixtures("sleeping")
def test_a_broker_that_starts_keeps_nobody_from_another(monkeypatch: pytest.MonkeyPatch) -> None:
    with BrokerSet(BrokerSettings()) as brokers, ThreadPoolExecutor(1) as pool:
        plain = brokers.address("plain")
        begun, may_go_on = threading.Event(), threading.Event()

        class Slow(EmbeddedPulsar):
            def start(self) -> BrokerAddress:
                begun.set()
                assert may_go_on.wait(60)
                raise BrokerError("It does not start")

        monkeypatch.setattr(broker_set, "broker_for", lambda _, profile: Slow(profile))
        starting = pool.submit(brokers.address, "tls")
        assert begun.wait(60)
        try:
            with brokers.lease("plain") as leased:
                assert leased == plain
        finally:
            may_go_on.set()
        with pytest.raises(BrokerError, match="It does not start"):
            starting.result()


def test_an_exclusive_broker_is_like_any_other() -> None:
    broker = broker_for(BrokerSettings(), "plain")

    with pytest.raises(BrokerError, match="has not been started"):
        _ = broker.address
    with pytest.raises(BrokerError, match="is not running"):
        broker.pause()
    broker.close()
