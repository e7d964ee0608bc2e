"""Listeners: one thread for each session, start, stop and close, and what a listener may not do."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable

import pytest

from jmsapi import IllegalStateException, JMSException, Message, TextMessage
from pulsar_jms.connections.connection import PulsarConnection
from pulsar_jms.sessions.session import PulsarSession

Connect = Callable[..., PulsarConnection]
Name = Callable[[], str]


SOON = 20.0
"""Seconds that are enough for what is awaited, on any machine."""


class Recorder:
    """A listener that notes text, thread and time of each call."""

    def __init__(self) -> None:
        self.texts: list[str | None] = []
        self.threads: set[threading.Thread] = set()
        self.spans: list[tuple[float, float]] = []

    def __call__(self, message: Message) -> None:
        begin = time.monotonic()
        assert isinstance(message, TextMessage)
        self.threads.add(threading.current_thread())
        self.work()
        self.texts.append(message.text)
        self.spans.append((begin, time.monotonic()))

    def work(self) -> None:
        """What takes time in a call."""

    def wait_for(self, count: int) -> None:
        """Return when `count` messages were handled."""
        until(lambda: len(self.texts) >= count)
        assert len(self.texts) >= count, self.texts


class Slow(Recorder):
    """A listener that takes long enough for another to get in its way."""

    def work(self) -> None:
        time.sleep(0.03)


class Meeting(Recorder):
    """A listener that returns when another one is running, too."""

    def __init__(self, both: threading.Barrier) -> None:
        super().__init__()
        self._both = both

    def work(self) -> None:
        self._both.wait(SOON)


class Held(Recorder):
    """A listener whose calls return when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = threading.Event()
        self.go_on = threading.Event()

    def work(self) -> None:
        self.entered.set()
        self.go_on.wait(SOON)


def until(condition: Callable[[], bool]) -> None:
    """Return when it is true, or when that takes longer than on any machine."""
    end = time.monotonic() + SOON
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)


def listening(session: PulsarSession, queue: str, recorder: Recorder) -> None:
    """Have `recorder` called with the messages of the queue."""
    session.create_consumer(session.create_queue(queue)).message_listener = recorder


def send(connection: PulsarConnection, queue: str, count: int) -> None:
    """Send `count` texts from a session of its own."""
    with connection.create_session() as session:
        producer = session.create_producer(session.create_queue(queue))
        for number in range(count):
            producer.send(session.create_text_message(str(number)))


def let_a_message_pass(connect: Connect, queue: str) -> None:
    """Return when a message sent now has got to a listener: those sent before could have, too."""
    connection = connect()
    witness = Recorder()
    listening(connection.create_session(), queue, witness)
    send(connection, queue, 1)
    witness.wait_for(1)
    connection.close()


def waits_for(held: Held, begun: Callable[[], bool], call: Callable[[], None]) -> bool:
    """Whether a call returns after the listener that is held, which goes on once it has begun."""
    handled: list[bool] = []

    def run() -> None:
        call()
        handled.append(bool(held.texts))

    caller = threading.Thread(target=run, daemon=True)
    caller.start()
    until(begun)
    held.go_on.set()
    caller.join(SOON)
    return handled == [True]


def test_listeners_of_a_session_share_a_thread_and_never_overlap(
    connection: PulsarConnection, name: Name
) -> None:
    session, other = connection.create_session(), connection.create_session()
    queues = [name() for _ in range(3)]
    recorders = [Slow() for _ in range(3)]
    for owner, queue, recorder in zip((session, session, other), queues, recorders, strict=True):
        listening(owner, queue, recorder)
        send(connection, queue, 5)
    connection.start()
    for recorder in recorders:
        recorder.wait_for(5)
    first, second, third = (recorder.threads for recorder in recorders)
    assert first == second
    assert len(first | third) == 2
    assert threading.current_thread() not in first | third
    spans = sorted(recorders[0].spans + recorders[1].spans)
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))


def test_listeners_of_two_sessions_run_at_the_same_time(
    connection: PulsarConnection, name: Name
) -> None:
    both = threading.Barrier(2)
    recorders = [Meeting(both), Meeting(both)]
    for recorder in recorders:
        listening(connection.create_session(), queue := name(), recorder)
        send(connection, queue, 2)
    connection.start()
    for recorder in recorders:
        recorder.wait_for(2)


def test_nothing_is_delivered_before_start(
    connection: PulsarConnection, connect: Connect, name: Name
) -> None:
    recorder = Recorder()
    listening(connection.create_session(), queue := name(), recorder)
    send(connection, queue, 3)
    let_a_message_pass(connect, name())
    assert recorder.texts == []
    connection.start()
    recorder.wait_for(3)


def test_stop_waits_for_the_listener_and_nothing_begins_afterwards(
    connection: PulsarConnection, connect: Connect, name: Name
) -> None:
    recorder, session = Held(), connection.create_session()
    listening(session, queue := name(), recorder)
    send(connection, queue, 3)
    connection.start()
    assert recorder.entered.wait(SOON)
    assert waits_for(recorder, lambda: not session.running, connection.stop)
    let_a_message_pass(connect, name())
    assert recorder.texts == ["0"]
    connection.start()
    recorder.wait_for(3)
    assert recorder.texts == ["0", "1", "2"]


@pytest.mark.parametrize("what", ["consumer", "session", "connection"])
def test_close_waits_for_the_listener(
    connection: PulsarConnection, connect: Connect, name: Name, what: str
) -> None:
    recorder = Held()
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    consumer.message_listener = recorder
    send(connection, queue.queue_name, 2)
    connection.start()
    assert recorder.entered.wait(SOON)
    close, begun = {
        "consumer": (consumer.close, lambda: consumer.closed),
        "session": (session.close, lambda: session.closed),
        "connection": (connection.close, lambda: connection.closing),
    }[what]
    assert waits_for(recorder, begun, close)
    let_a_message_pass(connect, name())
    assert recorder.texts == ["0"]


def test_a_listener_has_all_of_a_connection_that_closes(connect: Connect, name: Name) -> None:
    connection = connect()
    other, session = (connection.create_session() for _ in range(2))
    queue, answers = name(), name()
    empty = other.create_consumer(other.create_queue(name()))
    entered, go_on = threading.Event(), threading.Event()
    outcome: list[object] = []

    def listen(message: Message) -> None:
        entered.set()
        go_on.wait(10)
        try:
            made = [session, other, connection.create_session()]
            for each in made:
                producer = each.create_producer(each.create_queue(answers))
                producer.send(each.create_text_message("answer"))
            outcome.append(empty.receive())
            session.close()
        except IllegalStateException as error:
            outcome.append(error)

    session.create_consumer(session.create_queue(queue)).message_listener = listen
    send(connection, queue, 1)
    assert entered.wait(10)
    closing = threading.Thread(target=connection.close, daemon=True)
    closing.start()
    until(lambda: connection.closing)
    go_on.set()
    closing.join(20)

    assert not closing.is_alive()
    assert outcome[0] is None
    assert isinstance(outcome[1], IllegalStateException)
    with pytest.raises(IllegalStateException):
        session.create_message()
    with connect() as later, later.create_session() as looking:
        answered = looking.create_consumer(looking.create_queue(answers))
        received = [answered.receive(10_000) for _ in range(3)]
    assert [message.get_body(str) for message in received if message] == ["answer"] * 3


def test_a_stopped_connection_holds_back_receive_and_start_releases_it(
    connection: PulsarConnection, name: Name
) -> None:
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    send(connection, queue.queue_name, 1)
    assert consumer.receive(200) is None
    assert consumer.receive_no_wait() is None
    threading.Timer(0.2, connection.start).start()
    assert consumer.receive() is not None


def test_receive_for_ever_ends_when_the_consumer_closes(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    consumer = session.create_consumer(session.create_queue(name()))
    threading.Timer(0.2, consumer.close).start()
    assert consumer.receive() is None
    with pytest.raises(IllegalStateException, match="closed"):
        consumer.receive_no_wait()


def test_receive_for_ever_ends_when_the_session_closes(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    consumer = session.create_consumer(session.create_queue(name()))
    threading.Timer(0.2, session.close).start()
    assert consumer.receive(0) is None


def test_a_listener_may_not_close_or_stop_what_calls_it(connect: Connect, name: Name) -> None:
    connection = connect()
    session = connection.create_session()
    refused: list[str] = []
    done = threading.Event()

    def listen(message: Message) -> None:
        for call in (session.close, connection.close, connection.stop):
            try:
                call()
            except IllegalStateException as error:
                refused.append(error.reason)
        done.set()

    queue = session.create_queue(name())
    session.create_consumer(queue).message_listener = listen
    send(connection, queue.queue_name, 1)
    assert done.wait(5)
    assert len(refused) == 3


def test_a_listener_may_close_its_own_consumer(connect: Connect, name: Name) -> None:
    connection = connect()
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    done = threading.Event()

    def listen(message: Message) -> None:
        consumer.close()
        done.set()

    consumer.message_listener = listen
    send(connection, queue.queue_name, 2)
    assert done.wait(5)
    rest = session.create_consumer(queue)
    message = rest.receive(5000)
    assert isinstance(message, TextMessage)
    assert message.text == "1"
    assert rest.receive(200) is None


def test_receive_and_listener_exclude_each_other(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    consumer = session.create_consumer(session.create_queue(name()))
    consumer.message_listener = Recorder()
    with pytest.raises(IllegalStateException, match="listener"):
        consumer.receive(1)
    consumer.message_listener = None
    assert consumer.receive(1) is None


def test_a_listener_must_be_callable(connect: Connect, name: Name) -> None:
    session = connect().create_session()
    consumer = session.create_consumer(session.create_queue(name()))
    with pytest.raises(JMSException, match="listener"):
        consumer.message_listener = 42  # type: ignore[assignment]


def test_a_listener_that_exits_stops_no_other(connect: Connect, name: Name) -> None:
    connection, queue, recorder = connect(), name(), Recorder()
    failed = threading.Event()

    def listen(message: Message) -> None:
        if not failed.is_set():
            failed.set()
            sys.exit(1)
        recorder(message)

    session = connection.create_session()
    session.create_consumer(session.create_queue(queue)).message_listener = listen
    send(connection, queue, 3)
    recorder.wait_for(3)
    assert set(recorder.texts) == {"0", "1", "2"}


def test_receive_after_a_listener_keeps_order(connect: Connect, name: Name) -> None:
    connection, queue = connect(), name()
    session = connection.create_session()
    consumer = session.create_consumer(session.create_queue(queue))
    for _ in range(5):
        consumer.message_listener = lambda message: None
        time.sleep(0.01)
        consumer.message_listener = None
        sender = threading.Timer(0.005, send, (connection, queue, 4))
        sender.start()
        received = [consumer.receive(3000) for _ in range(4)]
        sender.join()
        texts = [message.text for message in received if isinstance(message, TextMessage)]
        assert texts == ["0", "1", "2", "3"]
