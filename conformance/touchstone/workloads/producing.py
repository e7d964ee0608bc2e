"""A producer at work."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from itertools import cycle, islice

from jms_clients.interface import Client
from jms_histories.values import NONE, Event
from jmsapi import (
    InvalidDestinationException,
    Message,
    MessageFormatException,
    MessageProducer,
    Session,
    SessionMode,
)
from touchstone.scenario.either_version import SENDS_ONLY_SYNCHRONOUSLY
from touchstone.workloads.control import Control
from touchstone.workloads.messages import Shape, Writer, Written, destination
from touchstone.workloads.recording import FAILURES, SessionRecording
from touchstone.workloads.tasks import Producing

_AFTER_FAILURE = 0.2
"""Seconds to wait where a call failed: the broker may be gone."""
_AT_MOST = 2.0
"""Seconds to which that grows while each send fails, so that an outage does not cost them all."""
_REFUSED = (MessageFormatException, InvalidDestinationException)
"""Failures that say that the message was not sent."""
_TOLD_WITHIN = 10.0
"""Seconds without any word of asynchronous sends, after which nobody waits for those under way."""


def produce(task: Producing, client: Client, recording: SessionRecording, control: Control) -> None:
    """Send the task's messages, in order, and record what became of each."""
    connection = client.connection_factory(task.settings).create_connection()
    try:
        transacted = task.transaction > 0
        mode = SessionMode.SESSION_TRANSACTED if transacted else SessionMode.AUTO_ACKNOWLEDGE
        session = connection.create_session(transacted, mode)
        producer = session.create_producer(destination(session, task.to))
        writer = Writer(session, task.producer, task.to.dest, task.selectors, task.body)
        sender = WorkloadSender(producer, recording, 0 if transacted else task.window)
        control.ready()
        control.wait_to_go()
        shapes = islice(_shapes(task), task.messages)
        if transacted:
            _in_transactions(task, session, recording, sender, writer, shapes, control)
        else:
            for shape in shapes:
                if control.stopping:
                    break
                sender.take_turn()
                sender.send(writer.write(shape))
                control.counted += 1
                if task.gap:
                    time.sleep(task.gap / 1000)
            sender.finish()
    finally:
        recording.event(Event.CLOSE)
        connection.close()


def _in_transactions(
    task: Producing,
    session: Session,
    recording: SessionRecording,
    sender: WorkloadSender,
    writer: Writer,
    shapes: Iterator[Shape],
    control: Control,
) -> None:
    draw = random.Random(task.seed)  # noqa: S311 - no secret
    while (batch := list(islice(shapes, task.transaction))) and not control.stopping:
        for shape in batch:
            sender.send(writer.write(shape))
            control.counted += 1
        end_transaction(session, recording, back=draw.random() < task.rolled_back)


def end_transaction(session: Session, recording: SessionRecording, *, back: bool) -> None:
    """commit() or rollback()."""
    record, call = (
        (recording.rolled_back, session.rollback) if back else (recording.committed, session.commit)
    )
    if not record(call):
        time.sleep(_AFTER_FAILURE)


class WorkloadSender:
    """Sends and records; asynchronously where there is a window and the client can."""

    def __init__(
        self, producer: MessageProducer, recording: SessionRecording, window: int = 0
    ) -> None:
        self._producer = producer
        self._recording = recording
        self._window = window
        self._told = threading.Condition()
        self._under_way: set[int] = set()
        self._delay = 0
        self._wait = _AFTER_FAILURE

    def send(self, written: Written, cause: int = NONE) -> None:
        """Send one message; what goes wrong is recorded, not raised."""
        shape = written.shape
        if shape.delay != self._delay:
            self._producer.delivery_delay = self._delay = shape.delay
        number = self._recording.sending(written, cause)
        if self._window:
            with self._told:
                self._under_way.add(number)
        try:
            try:
                self._send(written, number)
            except SENDS_ONLY_SYNCHRONOUSLY:
                if not self._window:
                    raise
                self._window = 0  # a client of JMS 1.1 in this: it sends one after the other
                self._over(number)
                self._send(written, number)
        except FAILURES as error:
            self.failed(number, error)
            time.sleep(self._wait)
            self._wait = min(2 * self._wait, _AT_MOST)
        else:
            self._wait = _AFTER_FAILURE
            if not self._window:
                self._recording.sent(number, written.message.jms_message_id)

    def _send(self, written: Written, number: int) -> None:
        shape = written.shape
        self._producer.send(
            written.message,
            delivery_mode=shape.mode,
            priority=shape.priority,
            time_to_live=shape.life,
            completion_listener=_Confirmation(self, number) if self._window else None,
        )

    def take_turn(self) -> None:
        """Wait until another asynchronous send may be under way."""
        if self._window:
            self._await(self._window - 1)

    def confirmed(self, number: int, message: Message) -> None:
        """A send arrived."""
        self._recording.sent(number, message.jms_message_id)
        self._over(number)

    def failed(self, number: int, error: Exception) -> None:
        """A send failed: refused, or with an unknown outcome."""
        if isinstance(error, _REFUSED):
            self._recording.refused(number)
        self._over(number)

    def finish(self) -> None:
        """Wait for what is under way; what nobody tells of stays without an outcome."""
        self._await(0)

    def _await(self, most: int) -> None:
        """Return when at most so many are under way, of which anybody still tells.

        RabbitMQ JMS never tells of what was under way when its connection was lost.
        """
        with self._told:
            while (before := len(self._under_way)) > most:
                enough = self._told.wait_for(lambda: len(self._under_way) <= most, _TOLD_WITHIN)
                if not enough and len(self._under_way) == before:
                    self._under_way.clear()

    def _over(self, number: int) -> None:
        with self._told:
            self._under_way.discard(number)
            self._told.notify()


class _Confirmation:
    """Told about one asynchronous send."""

    __slots__ = ("_number", "_sender")

    def __init__(self, sender: WorkloadSender, number: int) -> None:
        self._sender = sender
        self._number = number

    def on_completion(self, message: Message) -> None:
        """It arrived."""
        self._sender.confirmed(self._number, message)

    def on_exception(self, message: Message, exception: Exception) -> None:
        """It failed."""
        self._sender.failed(self._number, exception)


def _shapes(task: Producing) -> Iterator[Shape]:
    """What each message is to be like, by turns."""
    keys = cycle(task.keys or (NONE,))
    priorities, modes = cycle(task.priorities), cycle(task.modes)
    delays, lives = cycle(task.delays), cycle(task.lives)
    bands = cycle(range(task.bands) if task.bands else (NONE,))
    while True:
        yield Shape(
            next(keys), next(priorities), next(modes), next(delays), next(lives), next(bands)
        )
