"""The java transport and its process: a broker that goes, the end, a fork."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from jmsapi import (
    JMSException,
)
from jvm_runtime import in_process
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.transport.java_client.classes import java_classes

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]


def test_a_broker_that_goes_is_named(factories: Factories) -> None:
    from jms_brokers.families.pulsar.protocol.proxy import PulsarProxy

    address = factories()._configuration
    assert isinstance(address, dict)
    host, _, port = str(address["brokerServiceUrl"]).removeprefix("pulsar://").partition(":")
    with PulsarProxy(host, int(port)) as proxy:
        factory = factories(
            {
                "brokerServiceUrl": f"pulsar://{proxy.host}:{proxy.port}",
                "producerConfig.sendTimeoutMs": 500,
            },
            transport="java",
        )
        with factory.create_connection() as connection:
            session = connection.create_session()
            queue = session.create_queue(f"t-{uuid.uuid4().hex}")
            producer = session.create_producer(queue)
            producer.send(session.create_message())
            proxy.down()
            with pytest.raises(JMSException, match=r"Timeout.*check that it runs"):
                producer.send(session.create_message())
            proxy.up()


def test_an_unknown_transport_is_refused() -> None:
    with pytest.raises(JMSException, match=r"'jav'.*native and java"):
        PulsarConnectionFactory({}, transport="jav")


def test_without_jpype_the_java_transport_says_what_to_install(
    factories: Factories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jpype", None)
    java_classes.cache_clear()
    with pytest.raises(JMSException, match=r"jpype.*'jms-touchstone-reference\[java\]'"):
        factories(transport="java").create_connection()


PROGRAM = """
import sys, threading
from pulsar_jms import PulsarConnectionFactory

class Outcome:
    def on_completion(self, message): pass
    def on_exception(self, message, exception): pass

addresses = {"brokerServiceUrl": sys.argv[1], "webServiceUrl": sys.argv[2]}
factory = PulsarConnectionFactory({**addresses, "enableTransaction": True}, transport="java")
connection = factory.create_connection()
connection.start()
session = connection.create_session()
queue = session.create_queue(sys.argv[3])
session.create_consumer(queue).message_listener = lambda message: None
other = connection.create_session()
waiting = other.create_consumer(other.create_topic(sys.argv[3]))
threading.Thread(target=waiting.receive, daemon=True).start()
transacted = connection.create_session(True)
transacted.create_producer(queue).send(transacted.create_message())
producer = session.create_producer(queue)
for _ in range(200):
    producer.send(session.create_text_message("x"), completion_listener=Outcome())
"""


@pytest.mark.parametrize(("ending", "status"), [("pass", 0), ("sys.exit(3)", 3)])
def test_an_open_factory_does_not_keep_or_crash_the_process(
    pulsar: BrokerAddress, name: Name, ending: str, status: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + ending, pulsar.service_url, pulsar.admin_url, name()],
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


def test_a_forked_process_is_told_to_start_afresh(connection: PulsarConnection) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # no test framework, no cleaning up: only an answer
        try:
            in_process.start("pulsar-client")
            answer = "started"
        except Exception as error:
            answer = str(error)
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer_of_child:
        assert "before it was forked" in answer_of_child.read()
    os.waitpid(child, 0)
