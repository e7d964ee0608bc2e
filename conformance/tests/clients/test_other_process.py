"""A provider in a child process: the child's life, and JMS on a real broker where one is asked."""

from __future__ import annotations

import os
import queue
import select
import signal
import subprocess
import sys
import textwrap
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.machine.process_table import ancestors
from jms_clients.errors import ProviderError
from jms_clients.other_process import OtherProcess
from jms_clients.remote_objects import OtherProcessGone
from jmsapi import (
    InvalidDestinationException,
    SessionMode,
    TextMessage,
)

NOWHERE = BrokerAddress("a://127.0.0.1:1", "http://127.0.0.1:1", "plain", "external", "0", "a")
TIMEOUT = 10.0

OPENER = """
    import contextlib, os, sys, threading, time
    from pathlib import Path
    from jmsapi import InvalidDestinationException
    from jms_clients.errors import ProviderError

    class Factory:
        def __init__(self, settings):
            self.settings = settings

        def create_connection(self):
            raise InvalidDestinationException("no broker here", "E1")

    class Client:
        def __init__(self, broker):
            self.broker = broker.to_dict()

        def connection_factory(self, settings):
            return Factory(settings)

        def pid(self):
            return os.getpid()

        def die(self):
            print("a last word", flush=True)
            os._exit(7)

        def hang(self):
            time.sleep(60)

    class Provider:
        def __init__(self, spec):
            self.spec = spec

        @contextlib.contextmanager
        def open(self, broker):
            if self.spec == "broken":
                raise ProviderError("it does not open", hint="mend it")
            yield Client(broker)
            if self.spec.startswith("tidy:"):
                Path(self.spec.removeprefix("tidy:")).write_text("closed")

    def load(spec):
        return Provider(spec)
"""

Start = Callable[[str], OtherProcess]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    (tmp_path / "provider_for_tests.py").write_text(textwrap.dedent(OPENER))
    monkeypatch.syspath_prepend(tmp_path)
    started: list[OtherProcess] = []

    def start(spec: str) -> OtherProcess:
        started.append(OtherProcess(spec, NOWHERE, opener="provider_for_tests:load"))
        return started[-1]

    yield start
    for other in started:
        other.close()


def test_the_client_lives_in_a_child_of_this_process(start: Start) -> None:
    other = start("any")
    client: Any = other.client
    assert client.pid() == other.pid != os.getpid()
    assert os.getpid() in ancestors(other.pid)
    assert client.broker["service_url"] == NOWHERE.service_url
    factory: Any = other.client.connection_factory({"jms.key": ("a", 1)})
    assert factory.settings == {"jms.key": ("a", 1)}
    with pytest.raises(InvalidDestinationException, match="no broker here") as caught:
        factory.create_connection()
    assert caught.value.error_code == "E1"


def test_kill_ends_the_child_at_once(start: Start) -> None:
    other = start("any")
    other.kill()
    assert not other.process.alive
    with pytest.raises(OtherProcessGone, match="exit status -9"):
        other.client.connection_factory({})
    other.close()


def test_a_paused_child_answers_after_it_is_resumed(start: Start) -> None:
    other = start("any")
    other.process.pause()
    assert other.process.paused
    other.process.resume()
    client: Any = other.client
    assert client.pid() == other.pid


def test_a_paused_child_can_be_closed(start: Start) -> None:
    other = start("any")
    other.process.pause()
    other.close()
    assert not Path(f"/proc/{other.pid}").exists()


def test_close_closes_the_client(start: Start, tmp_path: Path) -> None:
    other = start(f"tidy:{tmp_path / 'mark'}")
    other.close()
    other.close()
    assert (tmp_path / "mark").read_text() == "closed"
    assert not Path(f"/proc/{other.pid}").exists()


def test_a_child_that_dies_says_its_last_words(start: Start) -> None:
    other = start("any")
    client: Any = other.client
    with pytest.raises(OtherProcessGone, match=r"exit status 7;.*\na last word"):
        client.die()


def test_a_provider_that_does_not_open_says_why(start: Start) -> None:
    before = children()
    with pytest.raises(ProviderError, match="it does not open") as caught:
        start("broken")
    assert caught.value.hint == "mend it"
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        OtherProcess("any", NOWHERE, opener="no_such_module:load")
    assert children() == before


def test_nothing_is_left_after_close(start: Start) -> None:
    before = open_files(), children()
    for _ in range(3):
        start("any").close()
    assert (open_files(), children()) == before


@pytest.mark.parametrize("stopped", [False, True])
def test_the_child_dies_with_its_parent(start: Start, stopped: bool) -> None:
    start("any")  # makes the module importable
    code = f"""
        import os, sys
        from jms_brokers.brokers.interface import BrokerAddress
        from jms_clients.other_process import OtherProcess
        nowhere = BrokerAddress("a://127.0.0.1:1", "http://127.0.0.1:1", "", "external", "0", "a")
        other = OtherProcess("any", nowhere, opener="provider_for_tests:load")
        if {stopped}:
            other.process.pause()
        print(other.pid, flush=True)
        sys.stdin.read()
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    ) as parent:
        assert parent.stdout is not None
        handle = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
        parent.wait(TIMEOUT)
        assert ended(handle)


def test_the_reference_in_another_process_speaks_jms(pulsar: BrokerAddress) -> None:
    name = f"persistent://public/default/other-process-{uuid.uuid4().hex}"
    heard: queue.Queue[str] = queue.Queue()

    def listener(message: Any) -> None:
        heard.put(message.text)
        message.acknowledge()

    with OtherProcess("reference", pulsar) as other:
        connection = other.client.connection_factory({}).create_connection()
        session = connection.create_session(False, SessionMode.CLIENT_ACKNOWLEDGE)
        destination = session.create_queue(name)
        producer, consumer = (
            session.create_producer(destination),
            session.create_consumer(destination),
        )
        connection.start()
        sent = session.create_text_message("h\N{LATIN SMALL LETTER E WITH ACUTE}llo")
        sent.set_int_property("size", 42)
        producer.send(sent)
        received = consumer.receive(10_000)
        assert isinstance(received, TextMessage)
        assert received.text == sent.text
        assert repr(received.get_object_property("size")) == "Int(42)"
        assert received.jms_destination == destination
        received.acknowledge()
        consumer.message_listener = listener
        producer.send(session.create_text_message("heard"))
        assert heard.get(timeout=TIMEOUT) == "heard"
        with pytest.raises(InvalidDestinationException):
            session.create_queue("")


def test_what_a_killed_client_has_not_acknowledged_comes_to_another(pulsar: BrokerAddress) -> None:
    name = f"persistent://public/default/other-process-{uuid.uuid4().hex}"
    with OtherProcess("reference", pulsar) as first, OtherProcess("reference", pulsar) as second:
        killed, living = (
            each.client.connection_factory({}).create_context(mode=SessionMode.CLIENT_ACKNOWLEDGE)
            for each in (first, second)
        )
        consumer = killed.create_consumer(killed.create_queue(name))
        killed.create_producer().send(killed.create_queue(name), "left behind")
        message = consumer.receive(10_000)
        assert message is not None
        first.kill()
        with pytest.raises(OtherProcessGone):
            message.acknowledge()
        again = living.create_consumer(living.create_queue(name)).receive(10_000)
        assert isinstance(again, TextMessage)
        assert again.text == "left behind"


def ended(handle: int) -> bool:
    with os.fdopen(handle) as process:
        return bool(select.select([process], [], [], TIMEOUT)[0])


def children() -> set[str]:
    pids: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            pids.update((task / "children").read_text().split())
    return pids


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
