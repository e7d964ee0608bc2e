"""Workloads driven by the reference on an embedded broker: no false alarm, and a death is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar.probe import PulsarProbe
from jms_brokers.faults.process import OwnedProcess
from jms_brokers.machine.polling import until
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.registry import probe_for
from jms_clients.presets import overlaid, preset
from jms_clients.registry import load_provider
from jms_histories.history.reader import open_history
from jms_histories.history.recording import FOLDER, read_recording
from jms_histories.history.seal import HISTORY, seal
from jms_histories.values import Event, FaultKind
from jmsapi import SessionMode
from touchstone.scenario.faults import Faults
from touchstone.workloads.broker_view import TopicsView, broker_view
from touchstone.workloads.catalogue import WORKLOADS
from touchstone.workloads.describing import RunOutcome
from touchstone.workloads.model import FaultPlan, Workload
from touchstone.workloads.running import WorkloadRun
from touchstone.workloads.small import run_here
from touchstone.workloads.tasks import Producing, WorkloadPlan
from touchstone.workloads.verdict import WorkloadVerdict, judge_history
from touchstone.workloads.workers import Process, Task, WorkloadWorker

pytestmark = pytest.mark.thorough


@pytest.fixture
def around(pulsar: BrokerAddress, request: pytest.FixtureRequest) -> Iterator[BrokerProbe]:
    """The harness's clients, with a namespace of the test's own."""
    name = "".join(letter for letter in request.node.name if letter.isalnum())
    probe = probe_for(pulsar, f"touchstone/{name}")
    yield probe
    probe.close()


def here(provider: str, name: str, around: BrokerProbe, messages: int = 400) -> WorkloadVerdict:
    """One workload on threads of this process."""
    loaded = load_provider(provider)
    with loaded.open(around.address) as client:
        return run_here(
            WORKLOADS[name], client, loaded, around, messages=messages, stalled_after=60.0
        )


@pytest.mark.parametrize(
    "name",
    [
        "queue",
        "client-acknowledge",
        "exclusive",
        "exclusive-partitions",
        "fan-out",
        "key-shared",
        "dead-letters",
        "kinds-client",
    ],
)
def test_the_reference_gives_no_alarm_and_every_promise_is_judged(
    name: str, around: BrokerProbe
) -> None:
    """Nothing speaks against it, and no check is without something that it could have found."""
    verdict = here("reference", name, around)

    assert verdict.against(*verdict.power) == []
    assert verdict.least_power(*verdict.power) > 0


@pytest.mark.parametrize(
    ("mutant", "name", "check"),
    [
        ("deliveries-uncounted", "client-acknowledge", "D11"),
        ("redelivered-false", "client-acknowledge", "D06"),
        ("pairs-turned", "queue", "D09"),
    ],
)
def test_a_wrong_client_is_noticed(mutant: str, name: str, check: str, around: BrokerProbe) -> None:
    """The check that looks at what it does wrong says so."""
    verdict = here(f"reference+mutant:{mutant}", name, around)

    assert verdict.against(check) != []


class Started:
    """A run in processes, with a hold on them."""

    def __init__(
        self, around: BrokerProbe, folder: Path, workload: Workload, messages: int
    ) -> None:
        plan = WorkloadPlan.of(
            workload,
            load_provider("reference"),
            around.settings,
            messages=messages,
            seed=1,
            prefix="x-",
        )
        self.workers: list[Process] = []
        self.told: list[str] = []
        self.folder = folder
        self._around = around

        def start_worker(task: Task) -> WorkloadWorker:
            self.workers.append(
                Process(
                    task, "reference", around.address, folder / FOLDER, "test-run", temporary=folder
                )
            )
            return self.workers[-1]

        (folder / FOLDER).mkdir(parents=True)
        self.run = WorkloadRun(
            plan,
            broker_view(plan, around),
            start_worker,
            folder / FOLDER,
            "test-run",
            stalled_after=60.0,
            tell=self.told.append,
        )


MANY = 3000
"""Messages that take long enough to send for a fault to come meanwhile."""
CRASHING = replace(
    WORKLOADS["crash"],
    faults=(FaultPlan(kind=FaultKind.CONSUMER_CRASH),),
)


def test_a_killed_consumer_is_replaced_and_nothing_is_lost(
    around: BrokerProbe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record of the dead one is part of the history; what it had comes to others."""
    monkeypatch.setattr("touchstone.workloads.running._BETWEEN_REPORTS", -1.0)
    started = Started(around, tmp_path, CRASHING, MANY)

    outcome = started.run.run()

    assert outcome.failure == ""
    [killed] = [moment for moment in outcome.moments if moment.event == Event.KILLED]
    assert killed.session in {worker.task.session for worker in started.workers if worker.killed}
    seal(tmp_path)
    judgement = judge_history(tmp_path / HISTORY)
    assert judgement.against(*judgement.power) == []
    assert judgement.least_power("D01", "D08") == MANY
    settings = open_history(tmp_path / HISTORY).manifest.settings
    assert settings["sent_a_second"] == round(MANY / outcome.sending)
    assert settings["received_a_second"] == round(
        outcome.received / (outcome.sending + outcome.draining)
    )
    kinds = [line.partition(", ")[0] for line in started.told]
    assert kinds.index("fault: consumer crash") < kinds.index(f"sent {MANY:,} of {MANY:,}")
    assert any(line.startswith("consumer crash: over after ") for line in started.told)


def test_a_process_that_dies_by_itself_ends_the_run_without_a_verdict(
    around: BrokerProbe, tmp_path: Path
) -> None:
    """The reason names it; the description says that the run was not seen to its end."""
    started = Started(around, tmp_path, WORKLOADS["lazily"], 1_000_000)
    original = started.run._send

    def kill_a_producer() -> None:
        worker = next(worker for worker in started.workers if isinstance(worker.task, Producing))
        with OwnedProcess(worker._process.pid) as process:
            process.kill()
        original()

    started.run._send = kill_a_producer  # type: ignore[method-assign]
    outcome: RunOutcome = started.run.run()

    assert "Producer 1 failed: its process ended with status -9" in outcome.failure
    assert read_recording(tmp_path / FOLDER).finished_on == ""


def test_messages_that_nobody_takes_end_the_run_without_a_verdict(
    around: BrokerProbe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits, and where, is told."""
    started = Started(around, tmp_path, WORKLOADS["lazily"], 20)
    monkeypatch.setattr(started.run, "_stalled_after", 1.0)
    monkeypatch.setattr(TopicsView, "waiting", lambda view: {0: 3})

    outcome = started.run.run()

    assert "waiting are 3 at queue" in outcome.failure


def test_what_a_cut_loses_right_after_a_recover_is_acknowledged_in_the_end(
    around: BrokerProbe,
) -> None:
    """The broker sends again what it was not told of; the second copies are acknowledged."""
    topic, loaded = "acknowledged", load_provider("reference")
    with Faults(around.address, "reference") as faults:
        proxy, address = faults.byte_proxy()
        with loaded.open(address) as client:
            settings = overlaid(preset(loaded, "quick-redelivery"), around.settings)
            connection = client.connection_factory(settings).create_connection()
            connection.start()
            session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
            destination = session.create_topic(topic)
            consumer = session.create_consumer(destination)
            with connection.create_session() as sending:
                producer = sending.create_producer(destination)
                for number in range(20):
                    producer.send(sending.create_text_message(str(number)))
            for _ in range(10):
                consumer.receive(20_000)
            session.recover()
            again = [consumer.receive(20_000) for _ in range(10)]
            assert again[-1] is not None
            again[-1].acknowledge()
            proxy.cut()

            def drained() -> bool:
                while (message := consumer.receive(100)) is not None:
                    message.acknowledge()
                assert isinstance(around, PulsarProbe)
                [subscription] = around.admin.subscriptions(topic).values()
                return subscription.backlog == 0

            until(drained, within=60)
