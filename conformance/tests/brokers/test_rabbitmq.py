"""RabbitMQ as a child process: it is ours alone, and nothing of it is left behind."""

from __future__ import annotations

import base64
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from brokers.named_destinations import Named
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import readiness as rabbitmq_readiness
from jms_brokers.families.rabbitmq import server as rabbitmq_server
from jms_brokers.families.rabbitmq.embedded import LocalRabbitMQ
from jms_brokers.families.rabbitmq.queues import RabbitQueues
from jms_brokers.shared.queue_view import Carried, Subscribed
from jms_brokers.shared.registry import broker_for, probe_for
from touchstone.brokers.option import broker_settings

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        bool(rabbitmq_server.obstacle()), reason=rabbitmq_server.obstacle() or "it can run"
    ),
]
MESSAGES = Path(__file__).with_name("rabbitmq-messages.txt")
WITHIN = 60.0
"""Seconds: what ends by itself has ended then, on any machine."""


@pytest.fixture(scope="module")
def broker() -> Iterator[LocalRabbitMQ]:
    with LocalRabbitMQ() as broker:
        yield broker


@pytest.fixture
def queues(broker: LocalRabbitMQ) -> Iterator[RabbitQueues]:
    queues = RabbitQueues(broker.address)
    yield queues
    queues.close()


def until(condition: Callable[[], bool]) -> bool:
    """Whether `condition` became true in time."""
    end = time.monotonic() + WITHIN
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def processes_of(folder: Path) -> list[int]:
    """The processes that run in `folder` or below it."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                where = (entry / "cwd").readlink()
            except OSError:  # it has ended, or is a zombie
                continue
            if where == folder or folder in where.parents:
                pids.append(int(entry.name))
    return pids


def test_a_broker_tells_who_it_is(broker: LocalRabbitMQ) -> None:
    address = broker.address

    assert (address.family, address.way, address.profile) == ("rabbitmq", "embedded", "plain")
    assert address.service_url.startswith("amqp://127.0.0.1:")
    assert address.version.split(".")[0].isdigit()
    assert str(address.password) not in repr(address)
    assert str(address.token) not in repr(address)


def test_it_has_the_plugin_for_selectors_on_topics(broker: LocalRabbitMQ) -> None:
    with rabbitmq_readiness.connection(broker.address) as opened:
        channel = opened.channel()
        channel.exchange_declare("selecting", "x-jms-topic")

        assert channel.is_open


def test_it_lets_nobody_in_without_its_password(broker: LocalRabbitMQ) -> None:
    port = broker.address.service_port
    option = f"rabbitmq=amqp://guest:guest@127.0.0.1:{port}"

    with pytest.raises(BrokerError, match="does not let us in"):
        broker_for(broker_settings(option, family="rabbitmq")).start()


def test_users_may_do_what_their_role_says() -> None:
    with LocalRabbitMQ("auth") as guarded:
        address, queues = guarded.address, RabbitQueues(guarded.address)
        with rabbitmq_readiness.connection(address.as_role("client")) as opened:
            channel = opened.channel()
            channel.queue_declare("guarded")
            channel.basic_consume("guarded", lambda *_: None)
            assert queues.users(Named("guarded")) == ["client"]
        with (
            pytest.raises(BrokerError, match="ACCESS_REFUSED"),
            rabbitmq_readiness.connection(address.as_role("nobody")) as opened,
        ):
            opened.channel().queue_declare("forbidden")
        with pytest.raises(BrokerError, match="does not let us in"):
            rabbitmq_readiness.connect(replace(address, password="wrong"))
        queues.close()


def test_it_is_an_external_broker_to_others_and_may_not_be_ended(broker: LocalRabbitMQ) -> None:
    own = broker.address
    option = f"rabbitmq=amqp://{own.user_name}:{own.password}@127.0.0.1:{own.service_port}"

    with broker_for(broker_settings(option, family="rabbitmq")) as external:
        assert (external.address.way, external.address.version) == ("external", own.version)
        with pytest.raises(BrokerError, match="may not be killed"):
            external.kill()


def test_a_message_goes_through_in_little_time(broker: LocalRabbitMQ) -> None:
    around = probe_for(broker.address, "touchstone/here")

    assert around.round_trip() > 0.0
    assert around.client_address(broker.address).token is None
    around.close()


def test_subscriptions_are_the_queues_that_a_topics_name_is_bound_to(
    broker: LocalRabbitMQ, queues: RabbitQueues
) -> None:
    with rabbitmq_readiness.connection(broker.address) as opened:
        channel = opened.channel()
        channel.exchange_declare("topics", "topic")
        channel.queue_declare("my durable", durable=True)
        channel.queue_declare("passing", exclusive=True)
        channel.queue_declare("of another")
        for queue, topic in (("my durable", "n\N{EURO SIGN}ws"), ("passing", "n\N{EURO SIGN}ws")):
            channel.queue_bind(queue, "topics", topic)
        channel.queue_bind("of another", "topics", "others")
        channel.confirm_delivery()
        for _ in range(2):
            channel.basic_publish("topics", "n\N{EURO SIGN}ws", b"", mandatory=True)
        channel.basic_consume("passing", lambda *_: None)
        assert channel.basic_get("my durable")[0] is not None  # not acknowledged

        subscriptions = queues.subscriptions(Named("n\N{EURO SIGN}ws"))

    assert sorted(subscriptions, key=lambda subscription: subscription.name) == [
        Subscribed("my durable", pending=2, consumers=0, durable=True),
        Subscribed("passing", pending=2, consumers=1, durable=False),
    ]
    assert queues.subscriptions(Named("nobody's")) == []


def test_a_queue_that_nobody_used_is_empty(queues: RabbitQueues) -> None:
    queue = Named("nobody")

    assert queues.exists(queue) is False
    assert (queues.pending(queue), queues.ready(queue), queues.take(queue)) == (0, 0, [])
    queues.purge(queue)
    assert queues.exists(queue) is False


def test_texts_that_are_sent_are_counted_and_taken_in_order(queues: RabbitQueues) -> None:
    queue = Named("věci a jiné")
    for text in ("one", "", "třetí"):
        queues.send(queue, text)

    assert (queues.pending(queue), queues.ready(queue)) == (3, 3)
    assert queues.exists(queue) is True
    assert queues.take(queue) == ["one", "", "třetí"]
    assert queues.pending(queue) == 0


def test_queues_tell_what_messages_carry(broker: LocalRabbitMQ, queues: RabbitQueues) -> None:
    queue = Named("carried")
    assert queues.carried(queue) == []
    queues.send(queue, "é")
    recorded = dict(line.split() for line in MESSAGES.read_text().splitlines()[1:])
    body = base64.b64decode(recorded["text-with-properties-and-reply"])
    with rabbitmq_readiness.connection(broker.address) as opened:
        channel = opened.channel()
        channel.confirm_delivery()
        channel.basic_publish("", queue.queue_name, body)

    plain, full = queues.carried(queue)
    assert plain == Carried("é", {}, durable=True)
    assert full == Carried("héllo", {"n": "7", "s": "a"}, durable=False)
    assert queues.pending(queue) == 0

    assert queues.send_native(queue, "bare")
    assert not queues.send_native(queue, {"a": 1})
    with pytest.raises(BrokerError, match="no message of RabbitMQ JMS"):
        queues.carried(queue)


def test_what_is_delivered_is_pending_and_not_ready(
    broker: LocalRabbitMQ, queues: RabbitQueues
) -> None:
    queue = Named("delivered")
    for number in range(3):
        queues.send(queue, str(number))

    with rabbitmq_readiness.connection(broker.address) as opened:
        opened.channel().basic_get(queue.queue_name)
        assert (queues.pending(queue), queues.ready(queue)) == (3, 2)
        queues.purge(queue)
        assert (queues.pending(queue), queues.ready(queue)) == (1, 0)

    assert until(lambda: queues.ready(queue) == 1)


def test_a_queue_of_one_connection_is_seen(broker: LocalRabbitMQ, queues: RabbitQueues) -> None:
    with rabbitmq_readiness.connection(broker.address) as opened:
        queue = Named(opened.channel().queue_declare("", exclusive=True).method.queue)
        queues.send(queue, "hello")

        assert queues.exists(queue) is True
        assert (queues.pending(queue), queues.ready(queue)) == (1, 1)

    assert until(lambda: queues.exists(queue) is False)


def test_what_is_no_message_of_jms_is_named(broker: LocalRabbitMQ, queues: RabbitQueues) -> None:
    queue = Named("foreign")
    queues.send(queue, "first")
    queues.purge(queue)
    with rabbitmq_readiness.connection(broker.address) as opened:
        channel = opened.channel()
        channel.confirm_delivery()
        channel.basic_publish("", queue.queue_name, b"bare")

    with pytest.raises(BrokerError, match="foreign holds what is no text"):
        queues.take(queue)


def test_messages_and_address_outlive_a_restart_and_a_crash(broker: LocalRabbitMQ) -> None:
    queue, before = Named("kept"), broker.address.service_url
    queues = RabbitQueues(broker.address)
    queues.send(queue, "kept")

    broker.restart()
    assert (broker.address.service_url, queues.ready(queue)) == (before, 1)

    broker.kill()
    broker.start()
    assert queues.take(queue) == ["kept"]
    queues.close()


def test_a_broker_that_goes_before_a_connection_ends_is_told_of() -> None:
    """Who waits for a broker asks again after a BrokerError, and after nothing else."""
    with LocalRabbitMQ() as broker:
        block = rabbitmq_readiness.connection(broker.address)
        opened = block.__enter__()
        broker.kill()
        assert opened.is_open, "nobody would have to close it"

        with pytest.raises(BrokerError, match="refused or broke off"):
            block.__exit__(None, None, None)


def test_a_broker_that_runs_is_not_started_again(broker: LocalRabbitMQ) -> None:
    with pytest.raises(BrokerError, match="runs already"):
        broker.start()


def test_a_broken_connection_is_replaced(broker: LocalRabbitMQ, queues: RabbitQueues) -> None:
    queue = Named("broken")
    queues.send(queue, "first")
    assert queues._connection is not None
    queues._connection.close()

    assert queues.ready(queue) == 1


def test_nothing_is_left_when_it_is_closed() -> None:
    with LocalRabbitMQ() as broker:
        log = broker.log
        assert log is not None
        folder = log.parent
        assert processes_of(folder) != []

    assert not folder.exists()
    assert until(lambda: processes_of(folder) == [])


def test_nothing_is_left_when_its_process_is_killed() -> None:
    program = (
        "import sys\n"
        "from jms_brokers.families.rabbitmq.embedded import LocalRabbitMQ\n"
        "broker = LocalRabbitMQ()\n"
        "broker.start()\n"
        "print(broker.log.parent, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        folder = Path(child.stdout.readline().strip())
        running = processes_of(folder)
        child.send_signal(signal.SIGKILL)
        child.wait()

    assert running != []
    assert until(lambda: processes_of(folder) == [])


def test_a_start_that_fails_shows_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rabbitmq_server, "settings", lambda node: "nonsense = 1\n")

    with pytest.raises(BrokerError, match="the end of its log") as refusal:
        LocalRabbitMQ().__enter__()

    assert "nonsense" in refusal.value.what
