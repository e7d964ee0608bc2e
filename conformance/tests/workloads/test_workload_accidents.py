"""Brokers that end in the middle of a workload: the run ends, and the client is not blamed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jms_brokers.errors import BrokerError
from jms_clients.errors import NotInThisVersion, NotTheClients, ProviderError
from jms_clients.registry import load_provider
from jms_histories.history.recording import read_recording
from jmsapi import JMSException
from touchstone.workloads import small, workers
from touchstone.workloads.catalogue import WORKLOADS
from touchstone.workloads.control import Control, Order
from touchstone.workloads.describing import RunOutcome
from touchstone.workloads.running import WorkloadRun
from touchstone.workloads.tasks import WorkloadPlan
from touchstone.workloads.workers import StartWorker, Task

PLAN = WorkloadPlan.of(
    WORKLOADS["queue"],
    load_provider("reference"),
    {"jms.systemNamespace": "tenant/space"},
    messages=10,
    seed=1,
    prefix="x-",
)


class Idle:
    """One at work who has done everything already."""

    failed = ""
    trouble = "JMSException: not now"
    fault: NotTheClients | None = None
    counted = 1
    ready = done = True
    disconnected = False

    def __init__(self, task: Task) -> None:
        self.task = task

    def order(self, order: Order) -> None:
        """Nothing is left to do."""

    def close(self) -> None:
        """Nothing is open."""


class Misconfigured(Idle):
    """One whose factory was given a setting that the client has not got."""

    failed = "ProviderError: there is no option"
    fault: NotTheClients | None = ProviderError("there is no option", hint="take it out")


class Broker:
    """A view of a broker that gives these answers, and then no more."""

    def __init__(self, *answers: dict[int, int]) -> None:
        self._answers = list(answers)

    def prepare(self) -> None:
        """Fails where there are no answers at all."""
        if not self._answers:
            raise BrokerError("nobody is there", hint="start one")

    def waiting(self) -> dict[int, int]:
        """The next answer."""
        if not self._answers:
            raise BrokerError("nobody is there any more", hint="start one")
        return self._answers.pop(0)

    def fetched(self) -> dict[int, int]:
        """No broker of these tests tells."""
        return {}

    consumers = fetched


def outcome(folder: Path, broker: Broker, worker: StartWorker = Idle) -> RunOutcome:
    """A run of the plan."""
    return WorkloadRun(PLAN, broker, worker, folder, "run", stalled_after=0.5).run()


@pytest.mark.parametrize("answers", [[{0: 3}], [{0: 0}]], ids=["busy", "empty"])
def test_a_broker_that_answers_no_more_ends_the_run_and_is_its_fault(
    tmp_path: Path, answers: list[dict[int, int]]
) -> None:
    """One answer that nothing waits is not enough: the second never comes."""
    ended = outcome(tmp_path, Broker(*answers))

    assert isinstance(ended.fault, BrokerError)
    assert ended.failure == "nobody is there any more. start one"
    assert read_recording(tmp_path).finished_on == ""


def test_what_is_wrong_with_our_settings_is_not_the_clients_fault(tmp_path: Path) -> None:
    ended = outcome(tmp_path, Broker({0: 0}), Misconfigured)

    assert ended.fault is Misconfigured.fault
    assert "there is no option" in ended.failure


def test_a_call_that_the_clients_version_has_not_got_is_not_the_clients_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the worker of a scenario raised is what the scenario is told."""

    def lacks(*_: object) -> None:
        raise NotInThisVersion("the client lacks this: createSharedConsumer")

    monkeypatch.setattr(workers, "work", lacks)
    client: Any = SimpleNamespace()
    ended = outcome(
        tmp_path, Broker({0: 0}), lambda task: workers.Thread(task, client, tmp_path, "run")
    )

    assert isinstance(ended.fault, NotInThisVersion)
    assert "createSharedConsumer" in ended.failure


def test_messages_that_remain_are_not_the_brokers_fault(tmp_path: Path) -> None:
    ended = outcome(tmp_path, Broker(*[{0: 3}] * 1000))

    assert ended.fault is None
    assert "waiting are 3 at queue; " in ended.failure
    assert "met JMSException: not now" in ended.failure


def test_a_broker_that_says_twice_that_nothing_waits_ends_the_run_well(tmp_path: Path) -> None:
    ended = outcome(tmp_path, Broker({0: 3}, {0: 0}, {0: 0}))

    assert (ended.failure, ended.fault) == ("", None)
    [subscription] = read_recording(tmp_path).subscriptions
    assert subscription.t_drained > 0


def test_a_scenario_hears_of_the_broker_and_not_of_its_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(small, "broker_view", lambda plan, around: Broker())
    client: Any = None
    around: Any = SimpleNamespace(settings={"jms.systemNamespace": "tenant/space"})
    with pytest.raises(BrokerError, match="nobody is there"):
        small.run_here(
            WORKLOADS["queue"], client, PLAN.provider, around, messages=10, stalled_after=0.5
        )


def test_what_a_call_raises_that_is_tried_again_is_told_once() -> None:
    told: list[str] = []
    control = Control(told.append)
    for text in ("gone", "gone", "back", "gone"):
        control.trouble(JMSException(text))
    assert [line.partition(" ")[0] for line in told] == ["trouble"] * 3
