"""The producers that a client has at the broker: their limit, idle ones, and bound ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest

from jmsapi import TextMessage
from pulsar_jms import PulsarConnectionFactory

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
Open = Callable[[list[str]], list[str]]
TRANSPORTS = pytest.mark.parametrize("transport", ["native", "java"])
MOST = "jms.maxNumOfProducers"
IDLE = "jms.producerAutoCloseTimeoutSec"


@pytest.fixture
def with_producers(pulsar: BrokerAddress) -> Open:
    """Give those of some queues that somebody has a producer of, as the broker says."""

    def look(queues: list[str]) -> list[str]:
        base = f"{pulsar.admin_url}/admin/v2/persistent/public/default"
        with httpx.Client(timeout=20, trust_env=False) as client:
            stats = {each: client.get(f"{base}/{each}/stats").json() for each in queues}
        return [each for each in queues if stats[each]["publishers"]]

    return look


@TRANSPORTS
def test_producers_that_nobody_holds_are_no_more_than_the_limit(
    factories: Factories, name: Name, with_producers: Open, transport: str
) -> None:
    queues = [name() for _ in range(8)]
    with factories({MOST: 3}, transport=transport).create_context() as context:
        bound = context.create_queue(name())
        session = factories({MOST: 3}, transport=transport).create_connection().create_session()
        held = session.create_producer(bound)
        held.send(session.create_text_message("x"))
        unbound = session.create_producer()
        for queue in queues * 2:
            message = session.create_text_message(queue)
            unbound.send(message, destination=session.create_queue(queue))
        assert with_producers(queues) == queues[-2:]
        assert with_producers([bound.queue_name]) == [bound.queue_name]
        for queue in queues:
            consumer = context.create_consumer(context.create_queue(queue))
            got = [consumer.receive(30_000) for _ in range(2)]
            assert [each.text for each in got if isinstance(each, TextMessage)] == [queue] * 2


@TRANSPORTS
def test_a_producer_without_sends_ends_in_time_and_the_next_send_makes_another(
    factories: Factories, name: Name, with_producers: Open, transport: str
) -> None:
    queues = [name() for _ in range(3)]
    with factories({IDLE: 1}, transport=transport).create_context() as context:
        for _ in range(2):
            for queue in queues:
                context.create_producer().send(context.create_queue(queue), "x")
            wait_for(lambda: not with_producers(queues))


@TRANSPORTS
def test_asynchronous_sends_to_more_destinations_than_the_limit_keep_their_order(
    factories: Factories, name: Name, with_producers: Open, transport: str
) -> None:
    queues = [name() for _ in range(6)]
    with factories({MOST: 2}, transport=transport).create_context() as context:
        told = Told()
        producer = context.create_producer().set_async(told)
        for number in range(10):
            for queue in queues:
                producer.send(context.create_queue(queue), str(number))
        wait_for(lambda: told.completed == 60)
        wait_for(lambda: len(with_producers(queues)) <= 2)
        for queue in queues:
            consumer = context.create_consumer(context.create_queue(queue))
            got = [consumer.receive_body(str, 30_000) for _ in range(10)]
            assert got == [str(number) for number in range(10)]


class Told:
    """Counts the sends that arrived."""

    def __init__(self) -> None:
        self.completed = 0

    def on_completion(self, message: object) -> None:
        """One more."""
        self.completed += 1

    def on_exception(self, message: object, exception: Exception) -> None:
        """None is expected."""
        raise exception


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until `condition` is true."""
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it did not come true within 30 s"
        threading.Event().wait(0.05)
