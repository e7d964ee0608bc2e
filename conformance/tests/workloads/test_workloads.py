"""Workloads as data, and the plans that are made of them; no broker."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jms_brokers.shared.queue_view import Subscribed
from jms_clients import activemq
from jms_clients.errors import ProviderError
from jms_clients.lacking import DELIVERY_DELAY, SHARED_SUBSCRIPTIONS, lacking
from jms_clients.registry import MutatedProvider, load_provider
from jms_histories.definitions import CHECKS
from jms_histories.values import FaultKind
from jmsapi import Topic
from touchstone.errors import UsageError
from touchstone.workloads.broker_view import QueuesView
from touchstone.workloads.catalogue import WORKLOADS, workload
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    FaultPlan,
    SendingTask,
    SubscriptionKind,
    Workload,
    WorkloadDestination,
    checked,
    possible_workload,
    steps_of,
)
from touchstone.workloads.running import WorkloadRun
from touchstone.workloads.tasks import WorkloadPlan, as_data, from_data, presets_of
from touchstone.workloads.workers import Task


def plan_of(planned: Workload, messages: int = 100) -> WorkloadPlan:
    """A plan for the reference."""
    return WorkloadPlan.of(
        planned,
        load_provider("reference"),
        {"jms.systemNamespace": "tenant/space"},
        messages=messages,
        seed=7,
        prefix="x-",
    )


@pytest.mark.parametrize("known", WORKLOADS.values(), ids=lambda known: known.name)
def test_workloads_promise_known_checks_with_reasons(known: Workload) -> None:
    """Every check exists and has a reason; what is consumed is a destination of the workload."""
    assert set(known.promises) <= set(CHECKS)
    assert all(known.promises.values())
    destinations = {destination.name for destination in known.destinations}
    assert {sending.to for sending in known.sending} <= destinations
    assert {consuming.destination for consuming in known.consuming} <= destinations


def test_every_kind_is_consumed_in_every_mode() -> None:
    """Together the workloads drive each subscription in each mode of acknowledgement."""
    consuming = [task for each in WORKLOADS.values() for task in each.consuming]
    combinations = {(task.kind, _sharing(task), task.acknowledgement) for task in consuming}

    shared = [(SubscriptionKind.SHARED_DURABLE, type_) for type_ in ("", "Failover", "Key_Shared")]
    kinds = [*((kind, "") for kind in SubscriptionKind), *shared]
    assert {(*kind, mode) for kind in kinds for mode in Acknowledgement} <= combinations


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("queue", set()),
        ("client-acknowledge", {"recover"}),
        ("rollbacks", {"rollback"}),
        ("dead-letters", {"throw"}),
        ("listeners-cut", {"throw", "cut"}),
        ("left-on-a-queue", {"leave"}),
        ("left-over-a-restart", {"leave", "recover", "restart"}),
    ],
)
def test_what_a_workload_does_besides_is_in_its_data(name: str, steps: set[str]) -> None:
    assert steps_of(workload(name)) == steps


def _sharing(task: Consuming) -> object:
    return task.settings.get("jms.topicSharedSubscriptionType", "")


def test_every_fault_and_feature_is_exercised() -> None:
    faults = {fault.kind for each in WORKLOADS.values() for fault in each.faults}
    assert faults == set(FaultKind) - {
        FaultKind.LOST_RECORD
    }  # which is none of the broker or a client

    sending = [task for each in WORKLOADS.values() for task in each.sending]
    batched = {
        task.settings.get("producerConfig", {}).get("batchingEnabled", True)  # type: ignore[attr-defined]
        for task in sending
    }
    assert batched == {False, True}
    for feature in ("transaction", "rolled_back", "keys", "bands", "window"):
        assert any(getattr(task, feature) for task in sending), feature
    for feature in ("priorities", "delays", "lives", "modes"):
        assert any(len(getattr(task, feature)) > 1 for task in sending), feature
    consuming = [task for each in WORKLOADS.values() for task in each.consuming]
    given_back = {
        (task.acknowledgement, task.listener)
        for task in consuming
        if task.again and not task.refused
    }
    # a negative acknowledgement of the listener, recover(), rollback()
    assert {
        (Acknowledgement.AUTO, True),
        (Acknowledgement.CLIENT, False),
        (Acknowledgement.TRANSACTED, False),
    } <= given_back
    assert any(task.dead_letters and task.refused for task in consuming)


def test_when_faults_befall_follows_from_the_seed() -> None:
    """The same seed has them at the same messages, another one at others."""

    def due(seed: int) -> list[int]:
        plan = replace(plan_of(WORKLOADS["cuts"], 10_000), seed=seed)
        start_worker: Any = None
        run = WorkloadRun(plan, start_worker, start_worker, Path(), "r")
        return [at for at, _ in run._turns()]

    assert due(1) == due(1)
    assert len({tuple(due(seed)) for seed in range(20)}) == 20
    assert all(2_000 <= at <= 8_000 for seed in range(20) for at in due(seed))


def test_all_checks_are_promised_by_some_workload() -> None:
    promised = {check for known in WORKLOADS.values() for check in known.promises}

    assert promised == set(CHECKS)


def test_an_unknown_workload_is_told_with_those_that_are_close() -> None:
    """The error names what was probably meant."""
    with pytest.raises(UsageError) as caught:
        workload("flagshp")

    assert "flagship" in caught.value.hint


def test_consumers_that_acknowledge_by_themselves_are_not_killed() -> None:
    """What cannot be recorded before it happens may not be cut off."""
    unsound = Workload(
        name="unsound",
        doc="",
        destinations=(WorkloadDestination(name="queue"),),
        sending=(SendingTask(to="queue"),),
        consuming=(Consuming(destination="queue"),),
        promises={},
        faults=(FaultPlan(kind=FaultKind.CONSUMER_CRASH),),
    )

    with pytest.raises(UsageError, match="AUTO_ACKNOWLEDGE"):
        checked(unsound)


@pytest.mark.parametrize("kind", [FaultKind.CONSUMER_CRASH, FaultKind.BROKER_RESTART])
def test_subscriptions_that_end_with_their_consumers_are_not_killed(kind: FaultKind) -> None:
    """What is sent until they are there again waits for nobody: the run would not end."""
    unsound = replace(WORKLOADS["exclusive"], faults=(FaultPlan(kind=kind),))

    with pytest.raises(UsageError, match="ends with them"):
        checked(unsound)
    assert checked(replace(unsound, faults=(FaultPlan(kind=FaultKind.CUT),)))


def test_listeners_settle_by_themselves() -> None:
    """The last messages of a listener that acknowledges in batches would stay open."""
    unsound = replace(
        WORKLOADS["listeners"],
        consuming=(
            Consuming(destination="queue", listener=True, acknowledgement=Acknowledgement.CLIENT),
        ),
    )

    with pytest.raises(UsageError, match="unsettled"):
        checked(unsound)


def test_consumers_leave_with_what_they_can_leave_unsettled() -> None:
    """What is settled by its receipt is never left behind."""
    unsound = replace(
        WORKLOADS["left-on-a-queue"], consuming=(Consuming(destination="queue", leaves=1),)
    )

    with pytest.raises(UsageError, match="have none"):
        checked(unsound)


def test_what_a_client_has_not_got_is_left_out() -> None:
    """ActiveMQ has no shared subscriptions; a workload of nothing else is refused."""
    lacks = lacking(load_provider("activemq"))
    crash = possible_workload(WORKLOADS["crash"], lacks)

    assert [(task.destination, task.kind) for task in crash.consuming] == [
        ("queue", SubscriptionKind.QUEUE)
    ]
    assert {task.to for task in crash.sending} == {"queue"}
    assert (
        possible_workload(WORKLOADS["crash"], lacking(load_provider("qpid"))) == WORKLOADS["crash"]
    )
    with pytest.raises(UsageError, match="all about shared subscriptions"):
        possible_workload(WORKLOADS["failover"], lacks)


def test_a_client_of_jms_1_1_lacks_what_came_later() -> None:
    assert lacking(load_provider("qpid"), has_jms_2=False) == {
        SHARED_SUBSCRIPTIONS,
        DELIVERY_DELAY,
    }


def test_a_wrong_client_lacks_what_the_right_one_does() -> None:
    broken = load_provider("reference+mutant:any-mode-taken")
    assert isinstance(broken, MutatedProvider)
    original = replace(activemq.provider(), name="right")

    assert lacking(broken) == frozenset()
    assert lacking(MutatedProvider.of(original, broken.mutant, "wrong")) == lacking(original)


def test_what_nobody_can_lack_is_refused() -> None:
    provider = replace(activemq.provider(), lacks=frozenset({"patience"}))

    with pytest.raises(ProviderError, match="lack 'patience'") as caught:
        lacking(provider)
    assert "shared-subscriptions" in caught.value.hint


@pytest.mark.parametrize("known", WORKLOADS.values(), ids=lambda known: known.name)
def test_tasks_travel_as_json(known: Workload) -> None:
    """What another process reads is the task that was sent."""
    plan = plan_of(known)
    tasks: list[Task] = [*plan.producing()]
    tasks += [plan.receiving(sub) for sub in plan.subscriptions]

    assert [from_data(json.loads(json.dumps(as_data(task)))) for task in tasks] == tasks


def test_numbers_are_unique_and_messages_are_shared() -> None:
    """Sessions, producers and consumers have numbers of their own; no message is forgotten."""
    plan = plan_of(WORKLOADS["transactions"], messages=101)
    receiving = [plan.receiving(sub) for sub in plan.subscriptions for _ in range(2)]
    producing = plan.producing()

    tasks: list[Task] = [*receiving, *producing]
    sessions = [task.session for task in tasks]
    assert len(set(sessions)) == len(sessions)
    producers = [task.producer for task in tasks if task.producer]
    assert len(set(producers)) == len(producers)
    consumers = [number for task in receiving for number in task.consumers]
    assert len(set(consumers)) == len(consumers)
    assert sum(task.messages for task in producing) == 101


@pytest.mark.parametrize(
    ("name", "destinations"),
    [("transactions", ["x-inbox", "x-outbox"]), ("transacted-sends", ["x-queue"]), ("queue", [])],
)
def test_one_alone_sends_the_first_message_of_transactions(
    name: str, destinations: list[str]
) -> None:
    """One message, rolled back, to each destination that several transacted sessions send to."""
    opening = plan_of(WORKLOADS[name]).opening()

    assert [task.to.name for task in opening] == destinations
    assert {(task.messages, task.transaction, task.rolled_back) for task in opening} <= {
        (1, 1, 1.0)
    }


class ToldSubscriptions:
    """A broker that names subscriptions after what the client said."""

    def __init__(self, *told: Subscribed) -> None:
        self._told = told

    def subscriptions(self, topic: Topic) -> list[Subscribed] | None:
        """Those of the topic `x-topic`."""
        return list(self._told) if topic.topic_name == "x-topic" else []


def test_subscriptions_are_told_from_each_other_by_the_names_that_the_broker_gives_them() -> None:
    """The one without a name is what remains; the client's name is a part of the broker's."""
    broker: Any = ToldSubscriptions(
        Subscribed("x-c3.x-half", 7, 1, durable=True),
        Subscribed("made-up", 5, 3, durable=False),
        Subscribed("x-c1.x-durable", 0, 0, durable=True),
        Subscribed("x-shared:global", 2, 2, durable=False),
    )
    view = QueuesView(plan_of(WORKLOADS["fan-out"]), broker)

    assert view.waiting() == {0: 5, 1: 0, 2: 2, 3: 7}
    assert view.consumers() == {0: 3, 1: 0, 2: 2, 3: 1}


def test_a_subscription_that_the_broker_does_not_tell_of_is_not_said_to_be_empty() -> None:
    """Nothing is concluded from it."""
    broker: Any = ToldSubscriptions()

    assert QueuesView(plan_of(WORKLOADS["durable"]), broker).waiting() == {}


def test_a_key_belongs_to_one_producer() -> None:
    """So the numbers within a group have an order."""
    keys = [task.keys for task in plan_of(WORKLOADS["key-shared"]).producing()]

    assert set(keys[0]).isdisjoint(keys[1])
    assert sorted(keys[0] + keys[1]) == list(range(32))


def test_dead_letters_come_after_the_deliveries_that_are_allowed() -> None:
    """Three deliveries are two redeliveries; the letters go to a queue of the run."""
    plan = plan_of(WORKLOADS["dead-letters"])
    settings: Any = plan.receiving(plan.subscriptions[0]).settings

    assert settings["consumerConfig"]["deadLetterPolicy"] == {
        "maxRedeliverCount": 2,
        "deadLetterTopic": "persistent://tenant/space/x-letters",
        "initialSubscriptionName": "jms-queue",
    }
    assert plan.reading_letters(plan.subscriptions[0]).sub == -1


@pytest.mark.parametrize(
    ("name", "presets"),
    [
        ("rollbacks", ("transactions",)),
        ("priorities", ("priorities",)),
        ("listeners-cut", ("reconnecting", "fair-shares", "quick-redelivery")),
    ],
)
def test_a_workload_names_the_presets_of_its_clients(name: str, presets: tuple[str, ...]) -> None:
    assert presets_of(workload(name)) == presets
