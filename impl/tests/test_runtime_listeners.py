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


class Recorder:
    """A listener that notes text, thread and time of each call."""

    def __init__(self, work: float = 0.0) -> None:
        self.work = work
        self.texts: list[str | None] = []
        self.threads: set[threading.Thread] = set()
        self.spans: list[tuple[float, float]] = []
        self.entered = threading.Event()

    def __call__(self, message: Message) -> None:
        begin = time.monotonic()
        self.entered.set()
        assert isinstance(message, TextMessage)
        self.threads.add(threading.current_thread())
        time.sleep(self.work)
        self.texts.append(message.text)
        self.spans.append((begin, time.monotonic()))

    def wait_for(self, count: int, within: float = 10.0) -> None:
        """Return when `count` messages were handled."""
        until = time.monotonic() + within
        while len(self.texts) < count and time.monotonic() < until:
            time.sleep(0.005)
        assert len(self.texts) >= count, self.texts


def listening(session: PulsarSession, queue: str, recorder: Recorder) -> None:
    """Have `recorder` called with the messages of the queue."""
    session.create_consumer(session.create_queue(queue)).message_listener = recorder


def send(connection: PulsarConnection, queue: str, count: int) -> None:
    """Send `count` texts from a session of its own."""
    with connection.create_session() as session:
        producer = session.create_producer(session.create_queue(queue))
        for number in range(count):
            producer.send(session.create_text_message(str(number)))


def test_listeners_of_a_session_share_a_thread_and_never_overlap(
    connection: PulsarConnection, name: Name
) -> None:
    session, other = connection.create_session(), connection.create_session()
    queues = [name() for _ in range(3)]
    recorders = [Recorder(0.03) for _ in range(3)]
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
    recorders = [Recorder(0.3), Recorder(0.3)]
    for recorder in recorders:
        listening(connection.create_session(), queue := name(), recorder)
        send(connection, queue, 2)
    connection.start()
    for recorder in recorders:
        recorder.wait_for(2)
    (left, right) = (recorder.spans for recorder in recorders)
    assert any(
        begin < other_end and other_begin < end
        for begin, end in left
        for other_begin, other_end in right
    )


def test_nothing_is_delivered_before_start(connection: PulsarConnection, name: Name) -> None:
    recorder = Recorder()
    listening(connection.create_session(), queue := name(), recorder)
    send(connection, queue, 3)
    time.sleep(0.3)
    assert recorder.texts == []
    connection.start()
    recorder.wait_for(3)


def test_stop_waits_for_the_listener_and_nothing_begins_afterwards(
    connection: PulsarConnection, name: Name
) -> None:
    recorder = Recorder(0.3)
    listening(connection.create_session(), queue := name(), recorder)
    send(connection, queue, 3)
    connection.start()
    assert recorder.entered.wait(5)
    connection.stop()
    assert recorder.texts == ["0"]
    time.sleep(0.5)
    assert recorder.texts == ["0"]
    connection.start()
    recorder.wait_for(3)
    assert recorder.texts == ["0", "1", "2"]


@pytest.mark.parametrize("what", ["consumer", "session", "connection"])
def test_close_waits_for_the_listener(connection: PulsarConnection, name: Name, what: str) -> None:
    recorder = Recorder(0.3)
    session = connection.create_session()
    queue = session.create_queue(name())
    consumer = session.create_consumer(queue)
    consumer.message_listener = recorder
    send(connection, queue.queue_name, 2)
    connection.start()
    assert recorder.entered.wait(5)
    {"consumer": consumer, "session": session, "connection": connection}[what].close()
    assert recorder.texts == ["0"]
    time.sleep(0.2)
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
    until = time.monotonic() + 10
    while not connection.closing and time.monotonic() < until:
        time.sleep(0.005)
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
