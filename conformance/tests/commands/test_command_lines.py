"""Who else uses this machine sees every command line: none of ours has a secret in it."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import CLIENT
from jms_brokers.machine.process_table import running
from jms_brokers.shared.registry import broker_for, obstacle, probe_for
from jms_brokers.shared.settings import BrokerSettings
from jms_clients.other_process import OtherProcess
from jmsapi import Queue
from touchstone.verdicts import ExitStatus
from touchstone.workloads.catalogue import WORKLOADS
from touchstone.workloads.driving import WorkloadRequest, drive

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows command lines in /proc"),
]
TOKEN = re.compile(r"\beyJ[\w-]+\.eyJ")
CLIENTS = {
    "pulsar": "reference",
    "artemis": "qpid",
    "activemq": "activemq",
    "brokerj": "qpid+on:brokerj",
    "openmq": "openmq",
    "rabbitmq": "rabbitmq",
}
"""A client of each family."""


class CommandLines:
    """All command lines that this machine had while it was looked at, again and again."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.01):
            self.look()

    def look(self) -> None:
        """See those that there are at this moment."""
        for pid in running():
            with suppress(OSError):  # it has ended
                self.seen.add(Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace"))

    def close(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def having(self, *parts: str) -> list[str]:
        """Those with one of these in them."""
        return [line for line in self.seen if any(part in line for part in parts)]


@contextmanager
def looking() -> Iterator[CommandLines]:
    """What is run during the block."""
    lines = CommandLines()
    try:
        yield lines
        lines.look()
    finally:
        lines.close()


def secrets_of(address: BrokerAddress) -> list[str]:
    """All that lets somebody in."""
    proofs = (address.token, address.password, *address.role_tokens.values())
    return [proof for proof in proofs if proof]


def test_what_is_in_a_command_line_is_seen() -> None:
    with looking() as lines:
        command = [sys.executable, "-c", "input()", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi"]
        with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
            lines.look()
            child.communicate(b"\n")
    [line] = lines.having("IUzI1NiJ9.eyJzdWIi")
    assert TOKEN.search(line)


class Named(Queue):
    """A queue by its name alone."""

    queue_name = "of-nobody"


@pytest.mark.parametrize("family", CLIENTS)
def test_a_broker_with_accounts_a_client_elsewhere_and_what_looks_into_the_broker(
    family: str,
) -> None:
    if why := obstacle(family):
        pytest.skip(why)
    with looking() as lines, broker_for(BrokerSettings(family=family), "auth") as broker:
        address = broker.address
        with closing(probe_for(address, "touchstone/command-lines")) as probe:
            probe.round_trip()
            if family == "rabbitmq":
                probe.queues.pending(Named())
        with OtherProcess(CLIENTS[family], address.as_role(CLIENT)):
            lines.look()
            assert address.log is not None
            assert lines.having(Path(address.log).parent.name) != []

    assert lines.having("jms_clients.other_process_child") != []
    if family == "rabbitmq":  # the other way round says nothing: other tests may run beside this
        assert lines.having("touchstone-view-") != []
    assert len(secrets_of(address)) >= 4
    assert lines.having(*secrets_of(address)) == []


def test_a_broker_with_tls() -> None:
    """Its key is in a file; of no key is there anything in a command line."""
    if why := obstacle("pulsar"):
        pytest.skip(why)
    with looking() as lines, broker_for(BrokerSettings(), "tls") as broker:
        assert broker.address.trust_certificate is not None
        file = Path(broker.address.trust_certificate).with_name("key.pem")
        key = file.read_text().splitlines()
        assert file.stat().st_mode & 0o077 == 0
    assert len(key) > 3
    assert lines.having("PulsarStandalone") != []
    assert lines.having("PRIVATE KEY", *key[1:-1]) == []


def test_processes_of_a_workload(guarded: BrokerAddress, tmp_path: Path) -> None:
    settings = BrokerSettings(
        way="external", service_url=guarded.service_url, admin_url=guarded.admin_url,
        token=guarded.token,
    )  # fmt: skip
    with looking() as lines:
        wanted = WorkloadRequest(WORKLOADS["queue"], "reference", 100, 1, tmp_path, settings)
        assert drive(wanted).outcome.failure == ""

    assert lines.having("touchstone.workloads.child") != []
    assert lines.having(*secrets_of(guarded)) == []


def test_workers_of_a_run(tmp_path: Path) -> None:
    """The broker is the run's own, and so its tokens are known by their form alone."""
    if why := obstacle("pulsar"):
        pytest.skip(why)
    words = ("--provider", "reference", "-n", "1", "--results-dir", str(tmp_path))
    command = [sys.executable, "-m", "touchstone", "run", *words, "-k", "test_only_tokens"]
    with looking() as lines:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == ExitStatus.NOTHING_UNEXPECTED, done.stdout + done.stderr
    assert '"profile": "auth"' in next(tmp_path.glob("*/run.json")).read_text()
    assert lines.having("exec(eval(sys.stdin.readline()))") != []  # a worker
    assert [line for line in lines.seen if TOKEN.search(line)] == []
