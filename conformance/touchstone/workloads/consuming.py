"""A consumer at work: receives, records, settles, and gives some of it back."""

from __future__ import annotations

import random
import time
from collections import deque
from contextlib import suppress
from functools import partial

from jms_clients.errors import ProviderError
from jms_clients.interface import Client
from jms_histories.history.recorder import now
from jms_histories.values import NONE, Event, Settle
from jmsapi import (
    Connection,
    Destination,
    Message,
    MessageConsumer,
    Session,
    SessionMode,
    Topic,
)
from touchstone.scenario.either_version import durable_consumer
from touchstone.workloads.control import Control, Order
from touchstone.workloads.messages import Read, Shape, Writer, destination, read
from touchstone.workloads.model import Acknowledgement, SubscriptionKind
from touchstone.workloads.producing import WorkloadSender, end_transaction
from touchstone.workloads.recording import FAILURES, SessionRecording
from touchstone.workloads.tasks import ReceivingTask

_WAIT = 200
"""Milliseconds of one receive(): after that open batches are settled, and orders are heard."""
_AFTER_FAILURE = 0.2
_CLOSED_FOR = 0.2
"""Seconds between closing and opening again."""
_IDLE = 10
"""Times that nothing comes, after which a consumer leaves although it has no open messages."""
_STOPPED_FOR = 50
"""Milliseconds for which a stopped connection is asked for messages."""
_SPREAD = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


class ForcedFailure(Exception):
    """What a listener throws for a message that it gives back."""


class WorkloadConsumer:
    """One consumer; see `ReceivingTask`."""

    def __init__(
        self, task: ReceivingTask, client: Client, recording: SessionRecording, control: Control
    ) -> None:
        self._task = task
        self._recording = recording
        self._control = control
        self._mode = Acknowledgement[task.acknowledgement]
        self._draw = random.Random(task.seed)  # noqa: S311 - no secret
        self._pending: list[tuple[Message, int]] = []
        """Received, with the numbers of the deliveries; neither acknowledged nor given back."""
        self._refusing = False
        """Whether one of them is given back whenever it comes."""
        self._numbers = deque(task.consumers)
        self._client = client
        self._lost: Connection | None = None
        """The connection that the client has given up, or says that it has lost."""
        self._patience: int | None = None
        """How often nothing may come until it leaves; None while nobody asks for that."""
        self._connection = self._connected()
        self._session = self._new_session()
        self._sender: WorkloadSender | None = None
        if task.output is not None:
            producer = self._session.create_producer(destination(self._session, task.output))
            self._sender = WorkloadSender(producer, recording)
            self._writer = Writer(
                self._session, task.producer, task.output.dest, task.output_selectors, 64
            )
        self._consumer = self._opened()

    @property
    def _transacted(self) -> bool:
        return self._mode is Acknowledgement.TRANSACTED

    def work(self) -> None:
        """Consume until STOP."""
        if self._task.waits:
            self._control.ready()
            self._control.wait_to_go()
        self._recording.event(Event.START)
        self._connection.start()
        if not self._task.listener and self._task.kind == SubscriptionKind.QUEUE.name:
            self._take(self._consumer.receive_no_wait())  # wakes clients that open at the first one
        if self._task.waits:
            self._await(Order.TAKE)
        else:
            self._control.ready()
        try:
            while not self._control.stopping:
                if self._lost is self._connection:
                    self._open_anew()
                self._heed(self._control.next_order())
                if self._task.listener:
                    self._control.wait(_WAIT / 1000)
                else:
                    self._receive(_WAIT)
            if not self._task.listener:
                self._settle()
        finally:
            self._close()

    # -- opening and closing -------------------------------------------------------------------

    def _connected(self) -> Connection:
        connection = self._client.connection_factory(self._task.settings).create_connection()
        if self._task.client_id:
            connection.client_id = self._task.client_id
        if self._task.losses:
            connection.exception_listener = partial(self._told_of_loss, connection)
        return connection

    def _told_of_loss(self, connection: Connection, problem: Exception) -> None:
        self._lost = connection

    def _new_session(self) -> Session:
        if self._mode is Acknowledgement.INDIVIDUAL:
            number = self._client.constants.individual_acknowledge
            if number is None:
                raise ProviderError(
                    "The client has no mode that acknowledges messages one by one",
                    hint="Choose another workload; see `touchstone workload list`.",
                )
            return self._connection.create_session(False, number)
        return self._connection.create_session(self._transacted, _MODES[self._mode])

    def _opened(self) -> MessageConsumer:
        if not self._numbers:
            raise ProviderError(
                f"The connection of session {self._task.session} was lost more often than the"
                " faults of this run explain",
                hint="What the client or the broker logs may say why.",
            )
        self._recording.opening(self._numbers[0])
        consumer = self._created(destination(self._session, self._task.source))
        if self._task.listener:
            consumer.message_listener = self._listen
        self._recording.opened()
        self._numbers.popleft()
        return consumer

    def _created(self, source: Destination) -> MessageConsumer:
        task, session = self._task, self._session
        selector = task.selector or None
        match SubscriptionKind[task.kind]:
            case SubscriptionKind.QUEUE | SubscriptionKind.SIMPLE:
                return session.create_consumer(source, selector)
            case SubscriptionKind.DURABLE:
                assert isinstance(source, Topic)
                return durable_consumer(session, source, task.name, selector)
            case SubscriptionKind.SHARED:
                assert isinstance(source, Topic)
                return session.create_shared_consumer(source, task.name, selector)
            case SubscriptionKind.SHARED_DURABLE:
                assert isinstance(source, Topic)
                return session.create_shared_durable_consumer(source, task.name, selector)

    def _close(self) -> None:
        self._recording.event(Event.CLOSE)
        self._connection.close()

    def _heed(self, order: Order | None) -> None:
        if order is Order.REOPEN:
            if not self._task.listener:
                self._settle()
            self._recording.closing()
            self._consumer.close()
            self._recording.closing()
            time.sleep(_CLOSED_FOR)
            self._consumer = self._opened()
        elif order is Order.LEAVE:
            self._patience = _IDLE
        elif order is Order.PAUSE:
            self._connection.stop()
            self._recording.event(Event.STOP)
            if self._task.listener:
                time.sleep(_STOPPED_FOR / 1000)
            else:
                self._receive(_STOPPED_FOR)
            self._recording.event(Event.START)
            self._connection.start()

    def _leave(self) -> None:
        """Close the connection, whatever is open, and come back when asked to."""
        self._patience = None
        self._end_connection()
        self._control.disconnected()
        self._await(Order.RETURN)
        self._come_back()
        self._control.back()

    def _await(self, order: Order) -> None:
        while not (self._control.stopping or self._control.next_order() is order):
            self._control.wait(_WAIT / 1000)

    def _open_anew(self) -> None:
        """Do as an application does whose ExceptionListener was told (JMS 2.0, 6.1.7)."""
        self._end_connection()
        self._come_back()

    def _end_connection(self) -> None:
        """Close it; what is open comes again by that."""
        pending, self._pending = self._pending, []
        self._recording.left([delivery for _, delivery in pending], transacted=self._transacted)
        self._recording.closing()
        with suppress(*FAILURES):
            self._connection.close()
        self._recording.closing()

    def _come_back(self) -> None:
        while not self._control.stopping and not self._came_back():
            self._control.wait(_AFTER_FAILURE)

    def _came_back(self) -> bool:
        """Open everything anew; False where the broker is not there yet."""
        try:
            self._connection = self._connected()
        except FAILURES as error:
            self._control.trouble(error)
            return False
        try:
            self._session = self._new_session()
            self._consumer = self._opened()
            self._connection.start()
        except FAILURES as error:
            self._control.trouble(error)
            with suppress(*FAILURES):
                self._connection.close()
            return False
        return True

    # -- receiving -----------------------------------------------------------------------------

    def _receive(self, wait: int) -> None:
        try:
            message = self._consumer.receive(wait)
        except FAILURES as error:
            if self._control.stopping:
                return
            self._control.trouble(error)
            time.sleep(_AFTER_FAILURE)  # the broker may be gone
            return
        if message is not None:
            self._take(message)
        elif self._patience is None:
            self._settle()
        elif self._pending or not self._patience:
            self._leave()
        else:
            self._patience -= 1

    def _take(self, message: Message | None) -> None:
        if message is None:
            return
        entered = now()
        content = read(message)
        settle = _BY_ITSELF.get(self._mode, Settle.NONE)
        delivery = self._recording.received(message, content, entered, settle)
        self._control.counted += 1
        if settle is not Settle.NONE:
            return
        self._pending.append((message, delivery))
        if self._sender is not None and content.told is not None:
            told = content.told
            shape = Shape(told.key, told.priority, told.mode, 0, 0, NONE)
            self._sender.send(self._writer.write(shape), told.uid)
        if self._patience is not None and 2 * len(self._pending) >= self._task.every:
            self._leave()
            return
        self._refusing = self._task.refused and self._is_refused(content)
        if self._refusing or len(self._pending) >= self._task.every:
            self._settle()

    def _listen(self, message: Message) -> None:
        entered = now()
        content = read(message)
        delivery = self._recording.listening(message, content, entered)
        self._control.counted += 1
        back = self._is_refused(content) if self._task.refused else self._drawn(message)
        self._recording.listened(delivery, Settle.NACK if back else _BY_ITSELF[self._mode])
        if back:
            raise ForcedFailure("this message is to come again")

    # -- settling ------------------------------------------------------------------------------

    def _is_refused(self, content: Read) -> bool:
        """The same messages for every consumer and every time."""
        if content.told is None:
            return False
        mixed = ((content.told.uid + self._task.seed) * _SPREAD) & _WORD
        return mixed / _WORD < self._task.again

    def _drawn(self, message: Message) -> bool:
        """Whether one that comes for the first time is given back."""
        return not message.jms_redelivered and self._draw.random() < self._task.again

    def _settle(self) -> None:
        """Settle what is open: as a rule by acknowledging it."""
        if not self._pending:
            return
        pending, self._pending = self._pending, []
        back = self._refusing or (not self._task.refused and self._drawn(pending[0][0]))
        self._refusing = False
        if self._mode is Acknowledgement.TRANSACTED:
            end_transaction(self._session, self._recording, back=back)
        elif back:
            self._recording.recovered(self._session.recover)
        elif self._mode is Acknowledgement.INDIVIDUAL:
            calls = [message.acknowledge for message, _ in pending]
            self._recording.acknowledged_alone([delivery for _, delivery in pending], calls)
        else:
            self._recording.acknowledged(pending[-1][0].acknowledge)


_MODES = {
    Acknowledgement.AUTO: SessionMode.AUTO_ACKNOWLEDGE,
    Acknowledgement.DUPS_OK: SessionMode.DUPS_OK_ACKNOWLEDGE,
    Acknowledgement.CLIENT: SessionMode.CLIENT_ACKNOWLEDGE,
    Acknowledgement.TRANSACTED: SessionMode.SESSION_TRANSACTED,
}
_BY_ITSELF = {Acknowledgement.AUTO: Settle.ACK, Acknowledgement.DUPS_OK: Settle.LAZY}
"""Modes in which the return of receive() or of the listener acknowledges, and as what."""
