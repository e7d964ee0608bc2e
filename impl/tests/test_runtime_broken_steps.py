"""Each step of a delivery fails in turn by an error that nobody expects, and stops nothing else."""

from __future__ import annotations

import queue as queues
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest

from jmsapi import (
    IllegalStateException,
    JMSException,
    Message,
    MessageFormatException,
    SessionMode,
)
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.consuming import message_filter
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.deliveries import dead_letters
from pulsar_jms.deliveries.receive_queue import ReceiveQueue
from pulsar_jms.deliveries.redelivery import Redelivery
from pulsar_jms.deliveries.repeats import Repeats
from pulsar_jms.dialects.settled_on_arrival import SettledOnArrival
from pulsar_jms.messages import PulsarTextMessage, decoding
from pulsar_jms.messages.schemas import Schemas
from pulsar_jms.producing.completions import Completions
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.timer import Timer
from pulsar_jms.transport.pulsar_client.pulsar_consumer import PulsarClientConsumer
from pulsar_jms.transport.pulsar_client.pulsar_messages import PulsarDeliveredMessage

pytestmark = pytest.mark.thorough

Factories = Callable[..., PulsarConnectionFactory]
Name = Callable[[], str]
GOOD = tuple(f"good {number}" for number in range(6))
BAD = "bad"
QUICK: dict[str, Any] = {"negativeAckRedeliveryDelayMicros": 100_000}
TIMED: dict[str, Any] = {**QUICK, "ackTimeoutMillis": 1000}
LIMITED: dict[str, Any] = {**QUICK, "deadLetterPolicy": {"maxRedeliverCount": 1}}
WITHIN = 30


class BrokenError(Exception):
    """What nobody expects."""


class Step(NamedTuple):
    """What is broken: what an object of this class does with the bad message."""

    owner: Any
    name: str
    consumer: dict[str, Any] = QUICK
    unread: bool = False
    """Whether the bad message cannot be decoded, so that the step is reached."""
    mode: int = SessionMode.AUTO_ACKNOWLEDGE
    about: bool = True
    """Whether it is done with one message."""
    times: int = 1
    """How often it fails; what computes an order from a message lets one error pass."""


READING = {
    "poll": Step(ReceiveQueue, "take", about=False),
    "transport": Step(PulsarClientConsumer, "receive", about=False),
    "properties": Step(PulsarDeliveredMessage, "properties", times=2),
    "repeats": Step(Repeats, "is_repeat"),
    "limit": Step(Redelivery, "dead_letter_if_exceeded"),
    "filter": Step(message_filter.MessageFilter, "filter_result"),
    "selector": Step(message_filter, "_matches"),
    "schema": Step(Schemas, "of", {**QUICK, "useSchema": True}),
    "decoding": Step(decoding, "decode"),
    "note": Step(Settlement, "_note_handed_out"),
    "record": Step(Settlement, "_record", mode=SessionMode.CLIENT_ACKNOWLEDGE),
    "acknowledgement that is not waited for": Step(
        PulsarClientConsumer, "acknowledge_async", mode=SessionMode.DUPS_OK_ACKNOWLEDGE
    ),
    "redelivery": Step(Redelivery, "redeliver_failed", unread=True),
    "its limit": Step(Redelivery, "_without_dead_letters", unread=True, about=False),
    "return": Step(ReceiveQueue, "nack_quietly", unread=True),
    "return to the broker": Step(PulsarClientConsumer, "nack", unread=True, about=False),
    "time-out": Step(Redelivery, "redeliver_timed_out", TIMED, unread=True, about=False),
    "return of time-outs": Step(ReceiveQueue, "_finish_nack", TIMED, unread=True, about=False),
    "dead letter": Step(dead_letters, "_dead_letter", LIMITED, unread=True),
}
LISTENING = {
    **READING,
    "call": Step(PulsarMessageConsumer, "call_listener"),
    "delivery": Step(Settlement, "deliver_to_listener"),
    "acknowledgement": Step(ReceiveQueue, "acknowledge"),
    "transport's acknowledgement": Step(PulsarClientConsumer, "acknowledge"),
}
RECEIVING = {
    **READING,
    "acknowledgement": Step(ReceiveQueue, "acknowledge_latest"),
    "transport's acknowledgement": Step(PulsarClientConsumer, "acknowledge"),
}
RAISES = ("poll", "transport")
"""What fails before there is a message; receive() raises it, and nothing is lost."""


def is_bad(argument: Any) -> bool:
    """Whether it is the bad message, or a delivery of it."""
    if type(argument) is PulsarDeliveredMessage:
        native = argument.native
        return hasattr(native, "properties") and "bad" in native.properties()
    return hasattr(argument, "delivered") and is_bad(argument.delivered)


class Breaking:
    """Makes a step fail, most often once, if it is one with the bad message."""

    def __init__(self, step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        self._step = step
        original = getattr(step.owner, step.name)
        if isinstance(original, property):
            getter: Any = original.fget
            monkeypatch.setattr(step.owner, step.name, property(self._broken(getter)))
        else:
            monkeypatch.setattr(step.owner, step.name, self._broken(original))

    def _broken(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **describe_delivered: Any) -> Any:
            if self.times < self._step.times and (
                not self._step.about or any(map(is_bad, arguments))
            ):
                self.times += 1
                raise BrokenError
            return original(*arguments, **describe_delivered)

        return call


class Stage:
    """A started connection that notes what it hears of, with a queue that has the messages."""

    def __init__(self, factories: Factories, name: Name, step: Step) -> None:
        self.connection: PulsarConnection = factories(
            {"consumerConfig": step.consumer}
        ).create_connection()
        self.told: queues.Queue[JMSException] = queues.Queue()
        self.connection.exception_listener = self.told.put
        self.session = self.connection.create_session(mode=step.mode)
        self.queue = self.session.create_queue(name())
        self.consumer = self.session.create_consumer(self.queue, "kind = 'mine'")
        self.consumer.redelivery.repeats.active = True
        self._sender = self.connection.create_session()
        self._unread = step.unread

    def send(self) -> None:
        """The good messages, with the bad one among them."""
        producer = self._sender.create_producer(self.queue)
        for text in (*GOOD[:3], BAD, *GOOD[3:]):
            message: Message
            if text is BAD:
                message = (
                    self._sender.create_object_message(BAD)
                    if self._unread
                    else (self._sender.create_text_message(BAD))
                )
                message.set_string_property("bad", "yes")
            else:
                message = self._sender.create_text_message(text)
            message.set_string_property("kind", "mine")
            producer.send(message)

    def close(self) -> None:
        """Close it, within reason."""
        with ThreadPoolExecutor(1) as threads:
            threads.submit(self.connection.close).result(WITHIN)


def until(condition: Callable[[], bool], step: Callable[[], object]) -> None:
    """Go on with `step` until `condition`."""
    end = time.monotonic() + WITHIN
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        step()


def chain(error: BaseException | None) -> list[type[BaseException]]:
    """The classes of an error and of its causes."""
    return [] if error is None else [type(error), *chain(error.__cause__)]


@pytest.fixture
def unreadable_error(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make the bad message one that cannot be decoded."""

    def make() -> None:
        decode = vars(decoding)["decode"]

        def refuse(incoming: Any, *rest: Any) -> Any:
            if is_bad(incoming):
                raise MessageFormatException("it is bad")
            return decode(incoming, *rest)

        monkeypatch.setattr(decoding, "decode", refuse)

    return make


@pytest.mark.parametrize("name_of_step", LISTENING)
def test_listeners_go_on(
    factories: Factories,
    name: Name,
    monkeypatch: pytest.MonkeyPatch,
    unreadable_error: Callable[[], None],
    name_of_step: str,
) -> None:
    step = LISTENING[name_of_step]
    stage = Stage(factories, name, step)
    heard, others = Counter[str](), Counter[str]()
    other_queue = stage.session.create_queue(name())
    other = stage.session.create_consumer(other_queue)
    stage.consumer.message_listener = lambda message: heard.update([message.get_body(str) or ""])
    other.message_listener = lambda message: others.update([message.get_body(str) or ""])
    stage.send()
    if step.unread:
        unreadable_error()
    broken = Breaking(step, monkeypatch)
    stage.connection.start()
    until(lambda: sum(heard[text] for text in GOOD) >= len(GOOD), lambda: time.sleep(0.01))
    told = stage.told.get(timeout=WITHIN)
    while BrokenError not in chain(told):
        told = stage.told.get(timeout=WITHIN)
    stage._sender.create_producer(other_queue).send(stage.session.create_text_message("other"))
    until(lambda: others.total() > 0, lambda: time.sleep(0.01))
    if not step.unread:
        until(lambda: heard[BAD] > 0, lambda: time.sleep(0.01))
    stage.close()
    assert broken.times == step.times
    assert {text: heard[text] for text in GOOD} == dict.fromkeys(GOOD, 1)
    assert others == {"other": 1}


@pytest.mark.parametrize("name_of_step", RECEIVING)
def test_receive_raises_no_foreign_class_and_goes_on(
    factories: Factories,
    name: Name,
    monkeypatch: pytest.MonkeyPatch,
    unreadable_error: Callable[[], None],
    name_of_step: str,
) -> None:
    step = RECEIVING[name_of_step]
    stage = Stage(factories, name, step)
    stage.send()
    if step.unread:
        unreadable_error()
    broken = Breaking(step, monkeypatch)
    stage.connection.start()
    received: Counter[str] = Counter()
    raised: list[BaseException] = []

    def receive() -> None:
        try:
            message = stage.consumer.receive(100)
        except JMSException as error:
            raised.append(error)
        else:
            if message is not None:
                received.update([message.get_body(str) or ""])
                message.acknowledge()

    until(lambda: sum(received[text] for text in GOOD) >= len(GOOD), receive)
    until(lambda: broken.times == step.times if step.unread else received[BAD] > 0, receive)
    receive()
    stage.close()
    assert {text: received[text] for text in GOOD} == dict.fromkeys(GOOD, 1)
    if step.unread:
        assert BrokenError in chain(stage.told.get(timeout=WITHIN))
    else:
        [error] = raised
        assert BrokenError in chain(error)
        assert isinstance(error, MessageFormatException) or name_of_step in RAISES


ENDING: dict[str, tuple[Any, str]] = {
    "listeners": (Dispatcher, "_serve_one"),
    "what decides": (PulsarMessageConsumer, "handle_failure"),
    "completions": (Completions, "_run"),
    "timer": (Timer, "_run"),
}


class Completed:
    """A completion listener."""

    def on_completion(self, message: Message) -> None:
        """Nothing."""

    def on_exception(self, message: Message, exception: Exception) -> None:
        """Nothing."""


@pytest.mark.parametrize("thread", ENDING)
def test_a_thread_that_ends_fails_its_session_loudly(
    factories: Factories, name: Name, monkeypatch: pytest.MonkeyPatch, thread: str
) -> None:
    connection = factories({"consumerConfig": TIMED}).create_connection()
    told: queues.Queue[JMSException] = queues.Queue()
    session = connection.create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)
    queue = session.create_queue(name())
    producer, consumer = session.create_producer(queue), session.create_consumer(queue)
    heard = session.create_consumer(session.create_queue(name()))
    producer.send(session.create_text_message("first"))

    def end(*_: object) -> None:
        raise BrokenError

    with ThreadPoolExecutor(2) as threads:
        other = session.create_consumer(session.create_queue(name()))
        monkeypatch.setattr(*ENDING[thread], end)
        monkeypatch.setattr(PulsarMessageConsumer, "poll", end)
        connection.exception_listener = told.put
        connection.start()
        waiting = threads.submit(other.receive)
        if thread in ("listeners", "what decides"):
            heard.message_listener = print
        if thread == "completions":
            producer.send(session.create_text_message("second"), completion_listener=Completed())
        failure = told.get(timeout=WITHIN)
        assert_is_failure(failure)
        with pytest.raises(IllegalStateException) as ended:
            waiting.result(WITHIN)
        assert_is_failure(ended.value)
        calls: dict[str, Callable[[], object]] = {
            "receive": lambda: consumer.receive(100),
            "listen": lambda: setattr(heard, "message_listener", print),
            "send": lambda: producer.send(PulsarTextMessage("x")),
            "create": lambda: session.create_consumer(queue),
            "acknowledge": session.acknowledge,
            "recover": session.recover,
        }
        for call in calls.values():
            with pytest.raises(IllegalStateException) as refused:
                call()
            assert_is_failure(refused.value)
        closed: list[Future[None]] = [
            threads.submit(each) for each in (producer.close, consumer.close)
        ]
        for each in (*closed, threads.submit(session.close), threads.submit(connection.close)):
            each.result(WITHIN)


def assert_is_failure(error: JMSException) -> None:
    """Whether it says that and why the session has failed."""
    assert isinstance(error, IllegalStateException)
    assert BrokenError in chain(error)
    assert "ended by BrokenError" in error.reason


def test_what_settles_on_arrival_tells_of_its_end(
    factories: Factories, name: Name, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(_: object) -> None:
        raise BrokenError

    monkeypatch.setattr(SettledOnArrival, "_run", end)
    connection = factories(dialect="amq").create_connection()
    told: queues.Queue[JMSException] = queues.Queue()
    connection.exception_listener = told.put
    connection.start()
    session = connection.create_session(mode=100)
    consumer = session.create_consumer(session.create_queue(name()))
    with pytest.raises(IllegalStateException, match="ended by BrokenError"):
        consumer.receive(WITHIN * 1000)
    consumer.message_listener = print
    assert "ended by BrokenError" in told.get(timeout=WITHIN).reason
    with ThreadPoolExecutor(1) as threads:
        threads.submit(connection.close).result(WITHIN)
