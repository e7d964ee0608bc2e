"""Detached brokers by their names; a process that only waits stands for each broker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from touchstone.brokers import detached
from touchstone.brokers.option import broker_settings
from touchstone.cli import main
from touchstone.commands import broker as command
from touchstone.verdicts import ExitStatus


class WaitingBroker:
    """What `detached` does with a broker, done with a process that waits."""

    started: list[subprocess.Popen[bytes]]

    def __init__(self, profile: str, version: str, offline: bool, folder: Path) -> None:
        self._profile, self._version, self._folder = profile, version or "1.0", folder

    def start(self) -> BrokerAddress:
        process = subprocess.Popen(["sleep", "600"])
        self.started.append(process)
        (self._folder / "ledger").write_text("data")
        return BrokerAddress(
            f"pulsar://127.0.0.1:{process.pid}",
            "http://127.0.0.1:1",
            self._profile,
            "embedded",
            self._version,
            "pulsar",
            token="ADMIN-SECRET",
            pid=process.pid,
        )

    def kill(self) -> None:
        self.started[-1].kill()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of detached brokers in a cache of its own."""
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    monkeypatch.setattr(detached, "_broker", WaitingBroker)
    WaitingBroker.started = []
    yield tmp_path / "detached"
    for process in WaitingBroker.started:
        process.kill()
        process.wait()


def names() -> list[str]:
    return [broker.name for broker in detached.running()]


def test_several_run_by_name_and_each_is_ended_alone(cache: Path) -> None:
    usual, other = detached.start(), detached.start("auth", "2.0", name="mine")
    assert (usual.profile, usual.version) == ("plain", "1.0")
    assert (other.profile, other.version) == ("auth", "2.0")
    assert usual.pid != other.pid
    assert names() == ["mine", "pulsar"]

    assert detached.stop("mine") is True
    assert names() == ["pulsar"]
    assert not list((cache / "mine" / "data").iterdir())
    assert [*(cache / "pulsar" / "data").iterdir()] == [cache / "pulsar" / "data" / "ledger"]
    assert detached.stop("mine") is False


def test_one_that_runs_is_found_again_and_no_other_takes_its_name(cache: Path) -> None:
    first = detached.start("auth", name="mine")
    assert detached.start("auth", name="mine") == first
    assert detached.start("auth", "1.0", name="mine") == first
    for profile, version in (("plain", ""), ("auth", "2.0")):
        with pytest.raises(BrokerError, match=r"mine runs already: version 1\.0.*'auth'") as caught:
            detached.start(profile, version, name="mine")
        assert "broker stop mine" in caught.value.hint
        assert "--name" in caught.value.hint
    assert len(WaitingBroker.started) == 1


def test_two_commands_at_once_start_one_broker_of_a_name(cache: Path) -> None:
    asked = ["mine"] * 6 + ["yours"] * 6
    with ThreadPoolExecutor(len(asked)) as together:
        addresses = list(together.map(lambda name: detached.start(name=name), asked))

    assert names() == ["mine", "yours"]
    assert len(WaitingBroker.started) == 2
    assert len({address.pid for address in addresses[:6]}) == 1
    assert len({address.pid for address in addresses[6:]}) == 1

    with ThreadPoolExecutor(len(asked)) as together:
        ended = list(together.map(detached.stop, asked))
    assert [ended[:6].count(True), ended[6:].count(True)] == [1, 1]
    assert names() == []


def test_one_that_does_not_start_leaves_no_name_behind(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise BrokerError("no disk", hint="")

    monkeypatch.setattr(detached, "write_atomically", fail)
    with pytest.raises(BrokerError, match="no disk"):
        detached.start(name="mine")

    assert WaitingBroker.started[0].wait() == -signal.SIGKILL
    assert names() == []


def test_a_state_file_whose_process_is_gone_counts_for_nothing(cache: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    for pid in (ended.pid, os.getpid()):  # gone; or its number used again by another process
        write_state(cache / "pulsar", pid)

        assert detached.status() is None
        assert names() == []
        assert detached.stop() is False
        assert not (cache / "pulsar" / "broker.json").exists()


def write_state(folder: Path, pid: int) -> None:
    address = BrokerAddress("a://h:1", "", "plain", "embedded", "1.0", "a", pid=pid)
    state = {"address": address.to_dict(), "began": 1, "started": 1.0}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "broker.json").write_text(json.dumps(state))


def test_what_a_killed_one_left_goes_with_the_next_start_or_stop(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for clean in (lambda: detached.start(name="new"), lambda: main(["broker", "stop"])):
        write_state(cache / "old", os.getpid())
        (cache / "old" / "data").mkdir(exist_ok=True)
        (cache / "old" / "data" / "ledger").write_text("data")

        clean()

        assert not (cache / "old" / "broker.json").exists()
        assert not list((cache / "old" / "data").iterdir())


def test_a_state_file_that_cannot_be_read_is_named_and_spares_the_others(cache: Path) -> None:
    detached.start(name="good")
    (cache / "bad").mkdir()
    (cache / "bad" / "broker.json").write_text("{")

    for ask in (lambda: detached.status("bad"), detached.running, lambda: detached.stop("bad")):
        with pytest.raises(BrokerError, match=r"bad/broker\.json"):
            ask()
    assert detached.status("good") is not None
    assert detached.stop("good") is True
    assert detached.start(name="another").profile == "plain"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "-x", "a b", "ä", "a" * 65])
def test_a_name_is_no_path(name: str, cache: Path) -> None:
    for ask in (detached.status, detached.stop, lambda given: detached.start(name=given)):
        with pytest.raises(BrokerError, match="is no name of a broker"):
            ask(name)
    assert WaitingBroker.started == []


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What `touchstone broker` prints, on both streams, as it ends with this status."""
    assert main(["broker", *arguments]) == status
    seen = capsys.readouterr()
    return seen.out + seen.err


def test_the_command_starts_lists_and_stops_by_name(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "none was running" in told(capsys, "stop")
    assert "0 brokers" in told(capsys, "list")
    assert "pulsar://127.0.0.1" in told(capsys, "start")
    assert "pulsar stopped" in told(capsys, "stop")
    told(capsys, "start", "--name", "mine")
    told(capsys, "start", "--name", "yours", "--profile", "auth")

    listed = told(capsys, "list").splitlines()
    assert [line.split()[:2] for line in listed[2:]] == [["mine", "plain"], ["yours", "auth"]]
    assert "SECRET" not in "".join(listed)
    for action in ("stop", "status"):
        answer = told(capsys, action, status=ExitStatus.FAULT)
        assert "2 brokers run, and none of them was named" in answer
        assert "Name one of mine, yours" in answer
    assert names() == ["mine", "yours"]
    assert "mine stopped" in told(capsys, "stop", "mine")
    assert names() == ["yours"]
    assert "yours" in told(capsys, "status")
    assert "yours stopped" in told(capsys, "stop")


def test_to_stop_a_name_that_does_not_run_is_a_fault_that_names_those_that_do(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "start", "--name", "mine")
    answer = told(capsys, "stop", "mien", status=ExitStatus.FAULT)
    assert "No broker mien runs" in answer
    assert "These run: mine" in answer
    assert names() == ["mine"]


def test_the_list_keeps_to_its_schema(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(Path(command.__file__).with_name("listings.schema.json").read_text())
    for expected in (0, 1):
        data = json.loads(told(capsys, "list", "--json"))
        Draft202012Validator({**schema, "$ref": "#/$defs/broker-list"}).validate(data)
        assert len(data["brokers"]) == expected
        told(capsys, "start")


def test_a_run_takes_one_by_name_with_what_gets_in(cache: Path) -> None:
    mine, yours = detached.start("auth", name="mine"), detached.start(name="yours")

    for option in ("detached:mine", "pulsar=detached:mine"):
        settings = broker_settings("container", option)
        assert (settings.way, settings.service_url) == ("external", mine.service_url)
        assert (settings.admin_url, settings.token) == (mine.admin_url, "ADMIN-SECRET")
    with pytest.raises(BrokerError, match="2 brokers run") as caught:
        broker_settings("detached")
    assert "mine, yours" in caught.value.hint

    detached.stop("mine")
    assert broker_settings("detached").service_url == yours.service_url
    with pytest.raises(BrokerError, match="No broker mine runs") as caught:
        broker_settings("detached:mine")
    assert "These run: yours" in caught.value.hint
    detached.stop("yours")
    with pytest.raises(BrokerError, match="No broker pulsar runs") as caught:
        broker_settings("detached")
    assert "touchstone broker start" in caught.value.hint


def test_one_of_another_family_is_refused_with_the_option_that_fits(cache: Path) -> None:
    detached.start(name="mine")
    with pytest.raises(BrokerError, match="mine is of the family pulsar, not rabbitmq") as caught:
        broker_settings("detached:mine", family="rabbitmq")
    assert "--broker pulsar=detached:mine" in caught.value.hint
    assert broker_settings("pulsar=detached:mine", family="rabbitmq").way == "embedded"


def test_what_is_known_of_a_detached_one_is_not_given_besides(cache: Path) -> None:
    detached.start(name="mine")
    with pytest.raises(BrokerError, match="token is for an external broker"):
        broker_settings("detached:mine", token="t")
