"""Brokers seen from other processes: workers of a run, and people after the command has ended."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar.embedded import prepare
from jms_brokers.machine.process_table import began
from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime.cache import cache_folder
from touchstone.brokers import broker_set, detached
from touchstone.brokers.broker_set import BrokerSet
from touchstone.brokers.sharing import BrokerServer, RemoteBrokers
from touchstone.cli import main
from touchstone.verdicts import Verdict
from touchstone_reports.results import read

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def brokers() -> Iterator[BrokerSet]:
    prepare()
    with BrokerSet(BrokerSettings()) as own:
        yield own


@pytest.fixture
def server(brokers: BrokerSet) -> Iterator[BrokerServer]:
    server = BrokerServer(brokers)
    yield server
    server.close()


def is_alive(pid: int) -> bool:
    return began(pid) is not None


def in_a_worker(code: str, endpoint: dict[str, object]) -> str:
    program = f"""
        import json, os, sys
        from touchstone.brokers.sharing import RemoteBrokers
        from jms_brokers.errors import BrokerError
        brokers = RemoteBrokers(json.loads(sys.argv[1]))
        {code}
    """
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), json.dumps(endpoint)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout.strip()


def test_a_worker_uses_the_controllers_broker(brokers: BrokerSet, server: BrokerServer) -> None:
    seen = in_a_worker(
        "with brokers.lease('plain') as address: print(address.service_url, address.pid)",
        server.endpoint,
    )

    own = brokers.address("plain")
    assert seen == f"{own.service_url} {own.pid}"


def test_what_a_worker_leased_is_free_when_it_dies() -> None:
    prepare()
    with BrokerSet(BrokerSettings(), alive=0) as crowded:
        server = BrokerServer(crowded)
        pid = int(
            in_a_worker(
                "print(brokers.lease('plain').__enter__().pid, flush=True); os._exit(0)",
                server.endpoint,
            )
        )
        deadline = time.monotonic() + 60
        while is_alive(pid):
            assert time.monotonic() < deadline, "nobody uses it and it does not make room"
            time.sleep(0.01)
        server.close()


def test_the_controllers_errors_reach_the_worker(server: BrokerServer) -> None:
    remote = RemoteBrokers(server.endpoint)

    with pytest.raises(BrokerError, match="have no profile 'odd'") as caught:
        remote.address("odd")

    assert "plain" in caught.value.hint
    remote.close()


def test_what_no_broker_is_expected_to_raise_reaches_the_worker_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(settings: BrokerSettings, profile: str) -> None:
        raise OSError(errno.ENOSPC, f"no room for {profile}")

    monkeypatch.setattr(broker_set, "broker_for", full)
    with (
        closing(BrokerServer(BrokerSet(BrokerSettings()))) as server,
        closing(RemoteBrokers(server.endpoint)) as remote,
    ):
        for profile in ("plain", "auth"):
            with pytest.raises(BrokerError, match=f"OSError: .* no room for {profile}"):
                remote.address(profile)


def test_many_workers_may_wait_while_one_is_let_in() -> None:
    """Where there was room for one, a worker of six in a run once waited for ever."""
    with closing(BrokerServer(BrokerSet(BrokerSettings()))) as server, ExitStack() as waiting:
        address = (server.endpoint["host"], server.endpoint["port"])
        connected = [  # the first says nothing, so that nobody else is let in
            waiting.enter_context(socket.create_connection(address, timeout=10)) for _ in range(20)
        ]
        assert {each.getpeername() for each in connected} == {address}
        waiting.close()
        RemoteBrokers(server.endpoint).close()


def test_a_controller_that_is_gone_is_told_of(brokers: BrokerSet) -> None:
    server = BrokerServer(brokers)
    endpoint = server.endpoint
    server.close()

    with pytest.raises(BrokerError, match="controller"):
        RemoteBrokers(endpoint)


def test_a_stranger_without_the_key_learns_nothing(
    brokers: BrokerSet, server: BrokerServer
) -> None:
    with pytest.raises(BrokerError, match="controller"):
        RemoteBrokers({**server.endpoint, "key": "00" * 32})

    remote = RemoteBrokers(server.endpoint)
    assert remote.address("plain") == brokers.address("plain")
    remote.close()


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with the usual jars, but without the detached broker of the person here."""
    prepare()
    for part in ("jars", "aot"):
        (tmp_path / part).symlink_to(cache_folder() / part)
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    return tmp_path


def test_a_detached_broker_outlives_its_command(own_cache: Path) -> None:
    assert detached.status() is None
    assert detached.stop() is False
    command = """
        import json
        from touchstone.brokers import detached
        print(json.dumps(detached.start("auth").to_dict()))
    """
    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(command)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    address = BrokerAddress.from_dict(json.loads(answer.stdout))
    assert address.pid is not None
    try:
        running = detached.status()
        assert running is not None
        assert running.address == address
        assert 100 * 2**20 < running.resident_bytes < 350 * 2**20
        assert 0 <= running.uptime < 60
        assert running.state_file.stat().st_mode & 0o077 == 0
        assert detached.start("auth") == address, "it runs already"
        answer_to_admin = httpx.get(
            f"{address.admin_url}/admin/v2/clusters",
            headers={"Authorization": f"Bearer {address.token}"},
        )
        assert answer_to_admin.status_code == 200

        assert detached.stop() is True
        assert not is_alive(address.pid)
        assert not list((own_cache / "detached" / "pulsar" / "data").iterdir())
    finally:
        if is_alive(address.pid):
            os.kill(address.pid, signal.SIGKILL)


def test_a_run_judges_on_a_detached_broker_that_it_names(
    own_cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = "properties/test_all_types_stand_side_by_side"
    results = own_cache / "results"
    asked = ("--scenario", name, "--results-dir", str(results), "--no-reports")
    try:
        address = detached.start(name="mine")
        assert main(["run", "--broker", "detached:mine", *asked]) == 0
        running = detached.status("mine")
    finally:
        detached.stop("mine")

    assert running is not None
    assert running.pid == address.pid
    [folder] = results.iterdir()
    told = read(folder)
    assert [(broker.way, broker.version) for broker in told.run.brokers] == [
        ("external", address.version)
    ]
    assert {line.verdict for line in told.judgements} == {Verdict.CONFORMS}
    rerun = told.judgements[0].rerun
    assert "--broker detached:mine" in rerun
    assert "--admin-url" not in rerun
