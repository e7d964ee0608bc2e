"""Workloads as data, and what their parts make of it; no broker."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jms_histories.definitions import CHECKS
from jms_histories.history.description import SIZE
from jms_histories.values import Fault, uid
from jmsapi import Topic, UnsupportedOperationException
from pulsar_jms.messages import PulsarBytesMessage
from touchstone import cli
from touchstone.errors import HarnessError, UsageError
from touchstone.families.queue_view import Subscribed
from touchstone.providers import activemq
from touchstone.providers.lacking import lacking
from touchstone.providers.registry import MutatedProvider, load_provider
from touchstone.verdicts import ExitStatus
from touchstone.workloads.broker_view import QueuesView
from touchstone.workloads.catalogue import WORKLOADS, workload
from touchstone.workloads.driving import Wanted, drive
from touchstone.workloads.messages import Shape, Writer, filler, head_digest, read
from touchstone.workloads.model import (
    Acknowledgement,
    Consuming,
    Destination,
    FaultPlan,
    Kind,
    Sending,
    Workload,
    checked,
    possible,
)
from touchstone.workloads.producing import Sender
from touchstone.workloads.recording import Recording, Silent, hashed
from touchstone.workloads.running import Run
from touchstone.workloads.tasks import Plan, as_data, from_data
from touchstone.workloads.workers import Task


class Session:
    """As much of a session as makes messages."""

    def create_bytes_message(self) -> PulsarBytesMessage:
        """A message of bytes."""
        return PulsarBytesMessage()


def plan_of(one: Workload, messages: int = 100) -> Plan:
    """A plan for the reference."""
    return Plan.of(
        one,
        load_provider("reference"),
        {"jms.systemNamespace": "tenant/space"},
        messages=messages,
        seed=7,
        prefix="x-",
    )


def writer(selectors: tuple[tuple[int, str], ...] = ((0, ""),)) -> Writer:
    """A writer of producer 3 to destination 0."""
    session: Any = Session()
    return Writer(session, 3, 0, selectors, 20)


# -- the catalogue ---------------------------------------------------------------------------------


@pytest.mark.parametrize("one", WORKLOADS.values(), ids=lambda one: one.name)
def test_workloads_promise_known_checks_with_reasons(one: Workload) -> None:
    """Every check exists and has a reason; what is consumed is a destination of the workload."""
    assert set(one.promises) <= set(CHECKS)
    assert all(one.promises.values())
    destinations = {destination.name for destination in one.destinations}
    assert {sending.to for sending in one.sending} <= destinations
    assert {consuming.destination for consuming in one.consuming} <= destinations


def test_every_kind_is_consumed_in_every_mode() -> None:
    """Together the workloads drive each subscription in each mode of acknowledgement."""
    consuming = [one for each in WORKLOADS.values() for one in each.consuming]
    found = {(one.kind, _sharing(one), one.acknowledgement) for one in consuming}

    shared = [(Kind.SHARED_DURABLE, type_) for type_ in ("", "Failover", "Key_Shared")]
    kinds = [*((kind, "") for kind in Kind), *shared]
    assert {(*kind, mode) for kind in kinds for mode in Acknowledgement} <= found


def _sharing(one: Consuming) -> object:
    return one.settings.get("jms.topicSharedSubscriptionType", "")


def test_every_fault_and_feature_is_exercised() -> None:
    faults = {fault.kind for each in WORKLOADS.values() for fault in each.faults}
    assert faults == set(Fault) - {Fault.LOST_RECORD}  # which is none of the broker or a client

    sending = [one for each in WORKLOADS.values() for one in each.sending]
    batched = {
        one.settings.get("producerConfig", {}).get("batchingEnabled", True)  # type: ignore[attr-defined]
        for one in sending
    }
    assert batched == {False, True}
    for feature in ("transaction", "rolled_back", "keys", "bands", "window"):
        assert any(getattr(one, feature) for one in sending), feature
    for feature in ("priorities", "delays", "lives", "modes"):
        assert any(len(getattr(one, feature)) > 1 for one in sending), feature
    consuming = [one for each in WORKLOADS.values() for one in each.consuming]
    given_back = {
        (one.acknowledgement, one.listener) for one in consuming if one.again and not one.refused
    }
    # a negative acknowledgement of the listener, recover(), rollback()
    assert {
        (Acknowledgement.AUTO, True),
        (Acknowledgement.CLIENT, False),
        (Acknowledgement.TRANSACTED, False),
    } <= given_back
    assert any(one.dead_letters and one.refused for one in consuming)


def test_when_faults_befall_follows_from_the_seed() -> None:
    """The same seed has them at the same messages, another one at others."""

    def due(seed: int) -> list[int]:
        plan = replace(plan_of(WORKLOADS["cuts"], 10_000), seed=seed)
        start_worker: Any = None
        run = Run(plan, start_worker, start_worker, Path(), "r")
        return [at for at, _ in run._turns()]

    assert due(1) == due(1)
    assert len({tuple(due(seed)) for seed in range(20)}) == 20
    assert all(2_000 <= at <= 8_000 for seed in range(20) for at in due(seed))


def test_all_checks_are_promised_by_some_workload() -> None:
    promised = {check for one in WORKLOADS.values() for check in one.promises}

    assert promised == set(CHECKS)


def test_an_unknown_workload_is_told_with_those_that_are_close() -> None:
    """The error names what was probably meant."""
    with pytest.raises(UsageError) as caught:
        workload("flagshp")

    assert "flagship" in caught.value.hint


def test_consumers_that_acknowledge_by_themselves_are_not_killed() -> None:
    """What cannot be recorded before it happens may not be cut off."""
    one = Workload(
        name="unsound",
        doc="",
        destinations=(Destination(name="queue"),),
        sending=(Sending(to="queue"),),
        consuming=(Consuming(destination="queue"),),
        promises={},
        faults=(FaultPlan(kind=Fault.CONSUMER_CRASH),),
    )

    with pytest.raises(UsageError, match="AUTO_ACKNOWLEDGE"):
        checked(one)


@pytest.mark.parametrize("kind", [Fault.CONSUMER_CRASH, Fault.BROKER_RESTART])
def test_subscriptions_that_end_with_their_consumers_are_not_killed(kind: Fault) -> None:
    """What is sent until they are there again waits for nobody: the run would not end."""
    one = replace(WORKLOADS["exclusive"], faults=(FaultPlan(kind=kind),))

    with pytest.raises(UsageError, match="ends with them"):
        checked(one)
    assert checked(replace(one, faults=(FaultPlan(kind=Fault.CUT),)))


def test_listeners_settle_by_themselves() -> None:
    """The last messages of a listener that acknowledges in batches would stay open."""
    one = replace(
        WORKLOADS["listeners"],
        consuming=(
            Consuming(destination="queue", listener=True, acknowledgement=Acknowledgement.CLIENT),
        ),
    )

    with pytest.raises(UsageError, match="unsettled"):
        checked(one)


def test_consumers_leave_with_what_they_can_leave_unsettled() -> None:
    """What is settled by its receipt is never left behind."""
    one = replace(
        WORKLOADS["left-on-a-queue"], consuming=(Consuming(destination="queue", leaves=1),)
    )

    with pytest.raises(UsageError, match="have none"):
        checked(one)


def test_what_a_client_has_not_got_is_left_out() -> None:
    """ActiveMQ has no shared subscriptions; a workload of nothing else is refused."""
    lacks = lacking(load_provider("activemq"))
    crash = possible(WORKLOADS["crash"], lacks)

    assert [(one.destination, one.kind) for one in crash.consuming] == [("queue", Kind.QUEUE)]
    assert {one.to for one in crash.sending} == {"queue"}
    assert possible(WORKLOADS["crash"], lacking(load_provider("qpid"))) == WORKLOADS["crash"]
    with pytest.raises(UsageError, match="all about shared subscriptions"):
        possible(WORKLOADS["failover"], lacks)


def test_a_wrong_client_lacks_what_the_right_one_does() -> None:
    broken = load_provider("reference+mutant:any-mode-taken")
    assert isinstance(broken, MutatedProvider)
    original = replace(activemq.provider(), name="right")

    assert lacking(broken) == frozenset()
    assert lacking(MutatedProvider.of(original, broken.mutant, "wrong")) == lacking(original)


def test_what_nobody_can_lack_is_refused() -> None:
    provider = replace(activemq.provider(), lacks=frozenset({"patience"}))

    with pytest.raises(HarnessError, match="lack 'patience'") as caught:
        lacking(provider)
    assert "shared-subscriptions" in caught.value.hint


# -- plans -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("one", WORKLOADS.values(), ids=lambda one: one.name)
def test_tasks_travel_as_json(one: Workload) -> None:
    """What another process reads is the task that was sent."""
    plan = plan_of(one)
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


# -- messages --------------------------------------------------------------------------------------


def test_a_message_tells_of_itself_what_was_sent() -> None:
    """Number, group, times and digests arrive with the body."""
    made = writer()
    made.write(Shape(5, 4, 2, 0, 0, -1))
    written = made.write(Shape(5, 7, 1, 300, 2_000, 2))
    message = written.message
    message.jms_priority, message.jms_delivery_mode = 7, 1
    message.reset()
    head_digest.cache_clear()  # who reads is another process
    found = read(message)

    assert found.told is not None
    assert (found.told.uid, found.told.key, found.told.gseq) == (uid(3, 1), 5, 1)
    assert found.told.deliver_at == found.told.t_sent + 300_000_000
    assert found.told.expire_at == found.told.t_sent + 2_000_000_000
    assert (found.body64, found.head64) == (found.told.body64, found.told.head64)


@pytest.mark.parametrize("change", ["priority", "mode", "group", "band", "body"])
def test_what_changed_on_the_way_is_seen(change: str) -> None:
    """One digest, of the body or of the headers, differs."""
    message = writer().write(Shape(5, 4, 2, 0, 0, 1)).message
    message.jms_priority, message.jms_delivery_mode = 4, 2
    match change:
        case "priority":
            message.jms_priority = 5
        case "mode":
            message.jms_delivery_mode = 1
        case "group":
            message.set_string_property("JMSXGroupID", "6")
        case "band":
            message.set_int_property("band", 2)
        case "body":
            message.write_byte(0)
    message.reset()
    found = read(message)

    assert found.told is not None
    same = (found.body64 == found.told.body64, found.head64 == found.told.head64)
    assert same == ((False, True) if change == "body" else (True, False))


def test_a_stranger_is_no_message_of_the_workload() -> None:
    """It has no description, but a digest by which it is known again."""
    message = PulsarBytesMessage()
    message.write_bytes(b"x" * SIZE)
    message.reset()

    found = read(message)

    assert found.told is None
    assert found.body64 != -1


def test_the_bits_say_which_subscriptions_let_a_message_pass() -> None:
    """By the selectors, and without one always."""
    made = writer(((0, ""), (1, "band < 2"), (2, "band = 3")))

    matches = [made.write(Shape(-1, 4, 2, 0, 0, band)).match for band in (0, 2, 3, -1)]

    assert matches == [0b011, 0b001, 0b101, 0b001]


def test_bodies_follow_from_the_number() -> None:
    """Two messages differ, and the size is kept."""
    assert len(filler(1, 21)) == 21
    assert filler(1, 21) != filler(2, 21)


def test_hashes_of_ids_are_never_none() -> None:
    """-1 stands for no id."""
    assert hashed("ID:1:2") != hashed("ID:1:3")
    assert -1 not in {hashed(str(number)) for number in range(1000)}


class OneByOne:
    """A producer of a client that has no asynchronous sends."""

    def __init__(self) -> None:
        self.sent: list[object] = []

    def send(self, message: object, *, completion_listener: object, **options: object) -> None:
        """Refuse a listener, as ActiveMQ Classic does."""
        if completion_listener is not None:
            raise UnsupportedOperationException("not supported")
        self.sent.append(message)


def test_a_client_without_asynchronous_sends_sends_one_after_the_other() -> None:
    """Each message is sent once, and the turns of the window are not waited for."""
    producer: Any = OneByOne()
    silent: Any = Silent()
    sender = Sender(producer, Recording(silent), window=1)
    made = writer()
    written = [made.write(Shape(-1, 4, 2, 0, 0, -1)) for _ in range(3)]

    for one in written:
        sender.take_turn()
        sender.send(one)
    sender.finish()

    assert producer.sent == [one.message for one in written]


class Untold:
    """A producer of a client that never tells what became of asynchronous sends."""

    def send(self, message: object, **options: object) -> None:
        """Take it."""


def test_sends_of_which_nobody_tells_are_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """RabbitMQ JMS says nothing of what was under way when a connection was lost."""
    monkeypatch.setattr("touchstone.workloads.producing._TOLD_WITHIN", 0.01)
    producer: Any = Untold()
    record: Any = Counting()
    sender = Sender(producer, Recording(record), window=2)
    made = writer()

    for _ in range(5):
        sender.take_turn()
        sender.send(made.write(Shape(-1, 4, 2, 0, 0, -1)))
    sender.finish()

    assert record.invoked == 5
    assert record.known == 0


class Counting(Silent):
    """A record that counts sends, and those of which somebody tells."""

    def __init__(self) -> None:
        self.invoked = self.known = 0

    def sent_invoked(self, *_: object) -> int:
        """One more; its number."""
        self.invoked += 1
        return self.invoked

    def sent_ok(self, *_: object) -> None:
        """One arrived."""
        self.known += 1


# -- bad input -------------------------------------------------------------------------------------


def wanted(results: Path, **changes: Any) -> Wanted:
    """A run of the workload `queue` that would be small."""
    return Wanted(
        **{
            "workload": WORKLOADS["queue"],
            "provider": "reference",
            "messages": 100,
            "seed": 1,
            "results": results,
            **changes,
        }
    )


def test_a_workload_with_transactions_is_refused_where_there_are_none(tmp_path: Path) -> None:
    """pulsar-client has no transactions of the broker; the hint names who has."""
    with pytest.raises(UsageError, match="transactions") as caught:
        drive(wanted(tmp_path, workload=WORKLOADS["transactions"]))

    assert "reference-java" in caught.value.hint


def test_a_client_of_another_broker_is_refused(tmp_path: Path) -> None:
    """What needs Pulsar's subscriptions cannot run on AMQP."""
    with pytest.raises(UsageError, match="artemis"):
        drive(wanted(tmp_path, workload=WORKLOADS["key-shared"], provider="qpid"))


def test_a_full_disk_is_told_before_anything_starts(tmp_path: Path) -> None:
    """Nobody has room for as many messages as this."""
    with pytest.raises(UsageError, match="too full"):
        drive(wanted(tmp_path, messages=10**13))


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_starts() -> None:
    with pytest.raises(UsageError, match="cannot be written to /proc/none"):
        drive(wanted(Path("/proc/none")))


def test_unknown_names_end_with_the_status_of_a_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Workload, fault and provider alike; the text says what there is."""
    for options, text in (
        (["--workload", "flagshop"], "flagship"),
        (["--faults", "flood"], "restart"),
        (["--provider", "referense"], "reference"),
    ):
        status = cli.main(["workload", "run", "--results", str(tmp_path), *options])

        assert status == ExitStatus.FAULT
        assert text in capsys.readouterr().err


def test_the_list_names_every_workload(capsys: pytest.CaptureFixture[str]) -> None:
    """With its promises, for programs."""
    assert cli.main(["workload", "list", "--json"]) == ExitStatus.NOTHING_UNEXPECTED
    listed = json.loads(capsys.readouterr().out)["workloads"]

    assert {one["name"]: set(one["promises"]) for one in listed} == {
        one.name: set(one.promises) for one in WORKLOADS.values()
    }


def test_the_help_loads_no_arrays() -> None:
    """NumPy and Arrow are for those who run one."""
    program = (
        "import sys; from touchstone import cli\n"
        "try: cli.main(['workload', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'pyarrow'} & set(sys.modules), 'loaded'"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
