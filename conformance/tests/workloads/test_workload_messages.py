"""The messages of workloads, and who sends them; no broker."""

from __future__ import annotations

from typing import Any

import pytest

from jms_histories.history.description import SIZE
from jms_histories.values import uid
from jmsapi import UnsupportedOperationException
from pulsar_jms.messages import PulsarBytesMessage
from touchstone.workloads.messages import Shape, Writer, filler, head_digest, read
from touchstone.workloads.producing import WorkloadSender
from touchstone.workloads.recording import SessionRecording, Silent, hashed


class Session:
    """As much of a session as makes messages."""

    def create_bytes_message(self) -> PulsarBytesMessage:
        """A message of bytes."""
        return PulsarBytesMessage()


def writer(selectors: tuple[tuple[int, str], ...] = ((0, ""),)) -> Writer:
    """A writer of producer 3 to destination 0."""
    session: Any = Session()
    return Writer(session, 3, 0, selectors, 20)


def test_a_message_tells_of_itself_what_was_sent() -> None:
    """Number, group, times and digests arrive with the body."""
    made = writer()
    made.write(Shape(5, 4, 2, 0, 0, -1))
    written = made.write(Shape(5, 7, 1, 300, 2_000, 2))
    message = written.message
    message.jms_priority, message.jms_delivery_mode = 7, 1
    message.reset()
    head_digest.cache_clear()  # who reads is another process
    content = read(message)

    assert content.told is not None
    assert (content.told.uid, content.told.key, content.told.gseq) == (uid(3, 1), 5, 1)
    assert content.told.deliver_at == content.told.t_sent + 300_000_000
    assert content.told.expire_at == content.told.t_sent + 2_000_000_000
    assert (content.body64, content.head64) == (content.told.body64, content.told.head64)


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
    content = read(message)

    assert content.told is not None
    same = (content.body64 == content.told.body64, content.head64 == content.told.head64)
    assert same == ((False, True) if change == "body" else (True, False))


def test_a_stranger_is_no_message_of_the_workload() -> None:
    """It has no description, but a digest by which it is known again."""
    message = PulsarBytesMessage()
    message.write_bytes(b"x" * SIZE)
    message.reset()

    content = read(message)

    assert content.told is None
    assert content.body64 != -1


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
    sender = WorkloadSender(producer, SessionRecording(silent), window=1)
    made = writer()
    written = [made.write(Shape(-1, 4, 2, 0, 0, -1)) for _ in range(3)]

    for outgoing in written:
        sender.take_turn()
        sender.send(outgoing)
    sender.finish()

    assert producer.sent == [outgoing.message for outgoing in written]


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
    sender = WorkloadSender(producer, SessionRecording(record), window=2)
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
