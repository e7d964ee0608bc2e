"""Private brokers: which scenario gets one that another has used, and when it is ended."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from touchstone.scenario import worker as module
from touchstone.scenario.worker import Worker


class FakeBroker:
    """Accepts connections while it runs, and gives control messages back unless it is `deaf`."""

    deaf = False

    def __enter__(self) -> FakeBroker:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.ended = False
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.ended = True

    @property
    def address(self) -> BrokerAddress:
        port = self.listening.getsockname()[1] if self.listening.fileno() >= 0 else self.port
        return BrokerAddress(f"echo://127.0.0.1:{port}", "", "plain", "embedded", "", "echo")

    def kill(self) -> None:
        self.port = self.address.service_port
        self.listening.close()


class FakeBrokers:
    """Private brokers alone."""

    def __init__(self) -> None:
        self.made: list[FakeBroker] = []

    def exclusive(self, _profile: str = "plain") -> FakeBroker:
        self.made.append(FakeBroker())
        return self.made[-1]


class FakeProbe:
    """The harness's own client on a fake broker."""

    def __init__(self, broker: FakeBroker) -> None:
        self._broker = broker

    def round_trip(self) -> None:
        if self._broker.deaf:
            raise BrokerError("no answer", hint="none")

    def close(self) -> None:
        pass


@pytest.fixture
def brokers(monkeypatch: pytest.MonkeyPatch) -> FakeBrokers:
    """Brokers whose control messages come back."""
    found = FakeBrokers()
    monkeypatch.setattr(module, "probe_for", lambda *_: FakeProbe(found.made[-1]))
    return found


@pytest.fixture
def worker(brokers: FakeBrokers) -> Iterator[Worker]:
    """A worker of these brokers, behind which another scenario with a private broker comes."""
    provider: Any = object()
    given: Any = brokers
    with closing(Worker("gw0", provider, "fake", given)) as found:
        found.next_private = "plain"
        yield found


def test_the_next_scenario_gets_one_that_answers(worker: Worker, brokers: FakeBrokers) -> None:
    with worker.private_broker("plain") as first:
        pass
    with worker.private_broker("plain") as second:
        assert second is first
    [only] = brokers.made
    assert not only.ended

    worker.close()

    assert only.ended


@pytest.mark.parametrize("asked", [None, "limits"])
def test_one_that_the_next_scenario_does_not_ask_for_is_ended(
    asked: str | None, worker: Worker, brokers: FakeBrokers
) -> None:
    worker.next_private = asked
    with worker.private_broker("plain"):
        pass
    assert brokers.made[0].ended


@pytest.mark.parametrize("harm", ["killed", "deaf"])
def test_one_that_does_not_answer_is_ended(harm: str, worker: Worker, brokers: FakeBrokers) -> None:
    with worker.private_broker("plain"):
        if harm == "killed":
            brokers.made[0].kill()
        else:
            brokers.made[0].deaf = True
    assert brokers.made[0].ended

    with worker.private_broker("plain"):
        assert len(brokers.made) == 2


def test_one_whose_scenario_could_not_be_closed_is_ended(
    worker: Worker, brokers: FakeBrokers
) -> None:
    with pytest.raises(OSError, match="closing failed"), worker.private_broker("plain"):
        raise OSError("closing failed")

    assert brokers.made[0].ended
