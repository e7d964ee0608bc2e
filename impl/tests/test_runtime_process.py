"""What a process keeps: nothing after close(), and no life of its own at the end."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dead_letters import waited_for
from jmsapi import IllegalStateException, Message, SessionMode
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.transport.forks import keep_in_children

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]

PROGRAM = """
    import sys, threading
    from pulsar_jms import PulsarConnectionFactory

    class Outcome:
        def on_completion(self, message): pass
        def on_exception(self, message, exception): pass

    addresses = {"brokerServiceUrl": sys.argv[1], "webServiceUrl": sys.argv[2]}
    factory = PulsarConnectionFactory(addresses)
    connection = factory.create_connection()
    connection.start()
    session = connection.create_session()
    queue = session.create_queue(sys.argv[3])
    session.create_consumer(queue).message_listener = lambda message: None
    other = connection.create_session()
    waiting = other.create_consumer(other.create_topic(sys.argv[3]))
    threading.Thread(target=waiting.receive, daemon=True).start()
    producer = session.create_producer(queue)
    for _ in range(200):
        producer.send(session.create_text_message("x"), completion_listener=Outcome())
    {ending}
"""


@pytest.mark.parametrize(
    ("ending", "status"),
    [("pass", 0), ("sys.exit(3)", 3), ("raise ValueError('end')", 1)],
)
def test_an_open_factory_does_not_keep_or_crash_the_process(
    pulsar: BrokerAddress, name: Name, ending: str, status: int
) -> None:
    program = textwrap.dedent(PROGRAM).replace("{ending}", ending)
    arguments = [pulsar.service_url, pulsar.admin_url, name()]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        timeout=20,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert "Fatal" not in done.stderr
    assert done.stdout == ""


def threads() -> int:
    """How many threads this process has, those of native libraries included."""
    return len(list(Path("/proc/self/task").iterdir()))


def test_close_ends_every_thread(factories: Factories, name: Name) -> None:
    before, before_native = threading.active_count(), threads()
    for _ in range(3):
        factory = factories({"consumerConfig.ackTimeoutMillis": 1000})
        connection = factory.create_connection()
        connection.exception_listener = print
        connection.start()
        session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
        queue = session.create_queue(name())
        session.create_consumer(queue).message_listener = lambda message: None
        session.create_producer(queue).send(session.create_text_message("x"))
        assert threading.active_count() > before
        factory.close()
        factory.close()
        assert threading.active_count() == before
    # a native thread that was ended is still listed for a moment
    assert waited_for(lambda: threads() <= before_native + 1)


def test_a_forked_child_refuses_the_factory_and_ends_well(factories: Factories) -> None:
    factory = factories()
    factory.create_connection()
    child = os.fork()
    if child == 0:
        try:
            factory.create_connection()
        except Exception as error:
            os._exit(7 if "fork" in str(error) else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    factory.create_connection().close()


FORK = """
    import os, sys
    from jmsapi import IllegalStateException
    from pulsar_jms import PulsarConnectionFactory

    addresses = {"brokerServiceUrl": sys.argv[1], "webServiceUrl": sys.argv[2]}
    factory = PulsarConnectionFactory(addresses)
    connection = factory.create_connection()
    connection.start()
    session = connection.create_session()
    queue = session.create_queue(sys.argv[3])
    consumer, producer = session.create_consumer(queue), session.create_producer(queue)
    message = session.create_text_message("x")
    browser = session.create_browser(queue)
    producer.send(message)
    looked = iter(browser.enumeration)
    next(looked)
    child = os.fork()
    if child == 0:
        used = {
            "factory": factory.create_connection,
            "connection": connection.create_session,
            "session": session.create_text_message,
            "producer": lambda: producer.send(message),
            "consumer": lambda: consumer.receive(1),
            "browser": lambda: browser.enumeration,
            "enumeration": lambda: next(looked),
        }
        for what, use in used.items():
            try:
                use()
            except IllegalStateException:
                continue
            sys.exit(f"the {what} was used")
        for each in (looked, browser, consumer, producer, session, connection, factory):
            each.close()
        with PulsarConnectionFactory(addresses).create_context() as own:
            own.create_producer().send(own.create_queue(sys.argv[3]), "from the child")
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print(consumer.receive(30_000).text, consumer.receive(30_000).text, sep="\\n")
    producer.send(message)
    print(consumer.receive(30_000).text)
"""


def test_what_a_forked_child_inherits_counts_as_closed(pulsar: BrokerAddress, name: Name) -> None:
    arguments = [pulsar.service_url, pulsar.admin_url, name()]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FORK), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout.splitlines(), done.stderr) == (["7", "x", "from the child", "x"], "")


def test_a_native_object_outlives_a_forked_child() -> None:
    """Its destructor would wait for threads that are missing there, or disturb the parent."""

    class Native:
        def __del__(self) -> None:
            os.write(ended, str(os.getpid()).encode())

    seen, ended = os.pipe()
    native = keep_in_children(Native())
    child = os.fork()
    if child == 0:
        del native
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    del native
    assert os.read(seen, 100) == str(os.getpid()).encode()
    os.close(seen)
    os.close(ended)


def test_the_native_log_is_silent(
    factories: Factories, name: Name, capfd: pytest.CaptureFixture[str]
) -> None:
    factory = factories({"jms.clientId": name()})
    session = factory.create_connection().create_session()
    topic = session.create_topic(name())
    session.create_durable_consumer(topic, "s")
    with pytest.raises(Exception, match="ConsumerBusy"):
        session.create_durable_consumer(topic, "s")
    factory.close()
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("pulsar_jms.native").level == logging.NOTSET


def test_a_factory_that_a_listener_may_not_close_can_be_closed_later(
    factories: Factories, name: Name
) -> None:
    before = threading.active_count()
    factory = factories()
    connection = factory.create_connection()
    connection.start()
    session = connection.create_session()
    queue = session.create_queue(name())
    refused = threading.Event()

    def listen(message: Message) -> None:
        try:
            factory.close()
        except IllegalStateException:
            refused.set()

    session.create_consumer(queue).message_listener = listen
    connection.create_session().create_producer(queue).send(session.create_message())
    assert refused.wait(5)
    factory.close()
    assert session.closed
    assert threading.active_count() == before
