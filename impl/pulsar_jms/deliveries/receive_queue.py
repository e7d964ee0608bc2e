"""Where a consumer's messages come from: prefetched by the transport, held back, or given back.

A message taken is *outstanding* until it is acknowledged or given back. Giving back asks the
broker to deliver again after a wait; with `halt` nothing else is handed out until then, and the
messages given back come first, in their old order (Session.recover, JMS 2.0, section 6.2.10): those
that no other consumer of the subscription gets (`awaited`, `redelivery_tracker`).

Messages are given back one by one where the broker takes back single ones. pulsar-client asks for
those no sooner than 100 ms after it was told, but for everything at once immediately, which keeps
short waits exact. Everything includes what is on its way here: that arrives all the same, and
another consumer gets it, too. So it is only asked for on behalf of a message that this consumer
has had for itself for a while.

Where the broker takes back nothing less than everything, it goes back to the oldest message and
reads on from there: a *rewind*. A read that is under way meanwhile may move it forward again, past
messages that nobody gets then (pulsar-client sends no epoch, PIP-84, by which a broker would know).
So nothing is taken for a while before a rewind, by when the broker has sent all that it may; and
where the messages that were given back do not come, the rewind is asked for again. What was fetched
ahead counts all the same (`Rewind`), so nothing else can be passed by.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from jmsapi import JMSException
from pulsar_jms.deliveries.batch_repeats import Batch, batch_of
from pulsar_jms.deliveries.pending_redeliveries import PendingRedeliveries
from pulsar_jms.deliveries.redelivery_tracker import RedeliveryTracker
from pulsar_jms.deliveries.rewinds import Rewind, RewindState
from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    DeliveredMessage,
    TransportConsumer,
)
from pulsar_jms.transport.wire_messages import MessagePosition

_LOG = logging.getLogger(__name__)

_SLICE = 0.1
"""Seconds after which a waiting consumer looks whether it was stopped or closed."""
_SHORT_SLICE = 0.005
"""The same while something is about to be given back, which must find nobody waiting."""
_FLUSHED = 0.25
"""Seconds after which an acknowledgement has left the client."""
_APART = 0.05
"""Seconds by which messages given back aside come apart: two consumers that give back in step get
the same messages from the broker each time."""
_QUIET = 1.0
"""Seconds without any other message after which none is thought to be on its way."""
_REMEMBERED = 16
"""Messages that a consumer took last: enough to tell whether it was quiet."""
_AGAIN = 1.0
"""Seconds after which it is tried again to give back what could not be."""
_REWINDS = 3
"""How often a rewind is asked for before what comes is taken as it comes: they may have expired."""


@dataclass(frozen=True, eq=False, slots=True)
class _PendingNack:
    """Messages to give back together."""

    items: Sequence[DeliveredMessage]
    positions: frozenset[MessagePosition]
    halt: bool


class ReceiveQueue:
    """The source of one consumer. `take` is for one thread at a time, the rest for any."""

    def __init__(
        self,
        consumer: TransportConsumer,
        timer: Timer,
        *,
        single_returns: bool,
        redelivery_floor: float,
        prefetch: int,
        brisk: bool,
        in_order: bool = True,
        redelivery_tracker: RedeliveryTracker | None = None,
    ) -> None:
        """Wrap a consumer.

        `single_returns` says whether the broker takes back single messages of this subscription;
        `redelivery_floor` is the delay in seconds that the transport adds to those; `brisk` keeps
        waits short from the start, for consumers whose messages are given back by the clock;
        `in_order` is False for a consumer that hands out in another order than the broker delivers,
        and which drops by itself what a rewind sends again. `redelivery_tracker` tells what went to
        another consumer; without it what was given back is waited for as long as it may take.
        """
        self._consumer = consumer
        self._timer = timer
        self._single_returns = single_returns
        self._floor = redelivery_floor
        self._prefetch = prefetch
        self._in_order = in_order
        self._poll_time = _SHORT_SLICE if brisk else _SLICE
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._held: deque[DeliveredMessage] = deque()
        self._taken = 0
        """How many messages were handed out; counted by the one thread that takes."""
        self._settled = 0
        """How many of them were acknowledged or taken back; counted under the lock."""
        self._acknowledged_at = 0.0
        self._latest: deque[tuple[float, DeliveredMessage]] = deque(maxlen=_REMEMBERED)
        """What was taken last, and when."""
        self._pending_nacks: list[_PendingNack] = []
        self._pending = PendingRedeliveries(prefetch)
        self._redelivery_tracker = redelivery_tracker
        self._quiet_batches: set[Batch] = set()
        """Batches of which a message is to be given back aside."""
        self._active_rewind: Rewind | None = None
        """While something may come twice."""
        self._paused = False
        self._polling = False
        self._slow_path = False
        """Whether anything but the plain next message may be due; read without the lock."""
        self._closed = False
        self.failed: Callable[[Exception], None] = _log
        """Called with what goes wrong while messages are given back, which is tried again."""

    @property
    def _outstanding(self) -> int:
        return self._taken - self._settled

    def take(self, wait: float) -> DeliveredMessage | None:
        """The next message; None when none came within `wait` seconds or a slice of it."""
        if not self._slow_path:
            self._polling = True
            if not self._slow_path:
                return self._poll(wait if wait < self._poll_time else self._poll_time)
            self._polling = False
        return self._take_carefully(min(wait, _SLICE))

    def put_back(self, delivered: DeliveredMessage) -> None:
        """Take back a message that was not handed to the application; it comes first again."""
        with self._lock:
            self._settled += 1
            self._held.appendleft(delivered)
            self._slow_path = True

    def acknowledge(
        self, delivered: DeliveredMessage, transaction: BrokerTransaction | None = None
    ) -> None:
        """Acknowledge at the broker; `JMSException` when that cannot be done."""
        self._consumer.acknowledge(delivered, transaction)
        self.note_settled()
        if transaction is None:
            self._note_acknowledged(delivered)

    def acknowledge_latest(self, delivered: DeliveredMessage) -> None:
        """The same for the message taken last, by the thread that took it."""
        self._consumer.acknowledge(delivered)
        self._taken -= 1
        self._acknowledged_at = time.monotonic()
        self._note_acknowledged(delivered)

    def note_settled(self) -> None:
        """Note that a message was acknowledged."""
        with self._lock:
            self._settled += 1
            self._acknowledged_at = time.monotonic()

    def nack(self, items: Sequence[DeliveredMessage], wait: float, *, halt: bool) -> None:
        """Have messages delivered again after `wait` seconds; with `halt` nothing else before."""
        if not items:
            return
        back = _PendingNack(items, frozenset(item.message.position for item in items), halt)
        with self._lock:
            if self._closed:
                return
            self._settled += len(items)
            self._pending_nacks.append(back)
            self._slow_path = True
        early = wait - self._floor
        if self._single_returns and early >= 0:
            self._later(early, partial(self._nack_early, back))
        else:
            self._later(wait, partial(self._nack_now, back))

    def nack_quietly(self, delivered: DeliveredMessage, wait: float) -> None:
        """Have one message delivered again after `wait` seconds, without any ado.

        It holds up nothing else, makes no wait shorter and keeps no content, so that a consumer may
        give back thousands; it may come later than asked by as much as the transport's delay, and
        by chance.
        Of a batch, which the broker takes back whole, one message is given back for all that wait.
        For subscriptions that take back single messages.
        """
        batch = batch_of(delivered.message.position)
        if batch is not None:
            with self._lock:
                self._settled += 1
                if batch in self._quiet_batches:
                    return
                self._quiet_batches.add(batch)
        action = partial(self._nack_quietly_now, delivered.without_content(), batch)
        apart = random.random() * _APART  # noqa: S311 - no secret
        self._later(max(0.0, wait - self._floor) + apart, action)

    def ignore(self, delivered: DeliveredMessage) -> None:
        """Let go of a second copy; what is done with the first counts for both."""
        with self._lock:
            self._settled += 1

    @property
    def single_returns(self) -> bool:
        """Whether the broker takes back single messages."""
        return self._single_returns

    @property
    def transport_consumer(self) -> TransportConsumer:
        """The consumer of the transport."""
        return self._consumer

    def close(self) -> None:
        """Close the consumer; the broker delivers what is outstanding to others."""
        with self._lock:
            self._closed = True
            self._pending_nacks.clear()
            self._held.clear()
            self._changed.notify_all()
        self._consumer.close()

    def _take_carefully(self, wait: float) -> DeliveredMessage | None:
        until = time.monotonic() + wait
        while True:
            with self._lock:
                if self._closed:
                    return None
                now = time.monotonic()
                if self._paused or any(back.halt for back in self._pending_nacks):
                    if now >= until:
                        return None
                    self._changed.wait(until - now)
                    continue
                self._track_redeliveries(now)
                over = self._pending.is_over(now)
                if self._held and over:
                    self._taken += 1
                    return self._held.popleft()
                if over and not (self._pending_nacks or self._active_rewind):
                    self._slow_path = False
                fetches = self._may_fetch(now, over)
                if fetches:
                    self._polling = True
                elif now < until:
                    self._changed.wait(min(until - now, _SHORT_SLICE))
            delivered = self._poll(min(max(until - now, 0.0), _SHORT_SLICE)) if fetches else None
            done = None
            with self._lock:
                if self._active_rewind is not None:
                    if delivered is not None and self._active_rewind.is_done(delivered):
                        done = delivered
                    self._after_rewind(self._active_rewind, delivered)
                elif delivered is not None:
                    came = self._pending.note_arrival(delivered.message.position)
                    if came or self._pending.is_over(now):  # as it was when this was asked for
                        return delivered
                    self._settled += 1
                    self._held.append(delivered)
                if delivered is None and now >= until:
                    return None
            if done is not None:
                with suppress(JMSException):  # then it comes once more
                    self._consumer.acknowledge(done)

    def _may_fetch(self, now: float, over: bool) -> bool:
        """Whether there is room for another message; `over`: none are waited for."""
        if self._active_rewind is not None:
            return not self._active_rewind.is_full
        return over or self._pending.may_fetch(now, len(self._held))

    def _note_acknowledged(self, delivered: DeliveredMessage) -> None:
        if self._active_rewind is not None:
            with self._lock:
                if self._active_rewind is not None:
                    self._active_rewind.note_acknowledged(delivered)

    def _poll(self, wait: float) -> DeliveredMessage | None:
        try:
            delivered = self._consumer.receive(int(wait * 1000))
            if delivered is not None:
                self._taken += 1
                self._latest.append((time.monotonic(), delivered))
        finally:
            self._polling = False
        return delivered

    def _later(self, seconds: float, nack: Callable[[], None]) -> None:
        """Give back in `seconds`, and again where that fails: it can be done twice."""
        self._timer.after(seconds, partial(self._try, nack))

    def _try(self, nack: Callable[[], None]) -> None:
        try:
            nack()
        except Exception as error:
            with self._lock:
                self._paused = False
                self._changed.notify_all()
                closed = self._closed
            if not closed:
                self.failed(error)
                self._later(_AGAIN, nack)

    def _nack_quietly_now(self, delivered: DeliveredMessage, batch: Batch | None) -> None:
        if self._closed:
            return
        self._consumer.nack(delivered)
        with self._lock:
            if batch is None:
                self._settled += 1
            else:
                self._quiet_batches.discard(batch)

    def _nack_early(self, back: _PendingNack) -> None:
        """The transport's own delay begins now, unless all can go at once when it is over."""
        with self._lock:
            if back in self._pending_nacks and not self._may_nack_all(back):
                self._ask_one_by_one(back)
                return
        self._later(self._floor, partial(self._nack_now, back))

    def _nack_now(self, back: _PendingNack) -> None:
        with self._lock:
            if back not in self._pending_nacks:
                return
            self._paused = self._slow_path = True
            if self._polling:
                self._later(0.001, partial(self._nack_now, back))
                return
            if not self._single_returns:
                unsettled = self._busy_until() - time.monotonic()
                if unsettled > 0:
                    self._later(unsettled, partial(self._nack_now, back))
                else:
                    self._rewind(back)
            elif self._may_nack_all(back) and self._nothing_prefetched():
                self._consumer.nack_all()
                self._finish_nack(back, 0.0)
            else:
                self._ask_one_by_one(back)

    def _busy_until(self) -> float:
        """When acknowledgements have left, and the broker has sent what it may, if it now rests."""
        since = self._acknowledged_at
        if self._floor > 0 and self._latest:
            since = max(since, self._latest[-1][0])
        return since + _FLUSHED

    def _rewind(self, back: _PendingNack) -> None:
        """Have everything sent again, what is here already, too."""
        if self._in_order:
            self._active_rewind = self._active_rewind or Rewind(self._prefetch)
            self._active_rewind.begin(back.items, self._held)
            self._active_rewind.ask(time.monotonic())
        self._held.clear()
        self._consumer.nack_all()
        self._finish_nack(back, 0.0)

    def _after_rewind(self, rewind: Rewind, delivered: DeliveredMessage | None) -> None:
        """Hold what may be handed out; ask again where the broker went on past what it had to."""
        if delivered is not None:
            self._settled += 1
            self._held.extend(rewind.arrived(delivered))
        now = time.monotonic()
        state = rewind.state(now, quiet=delivered is None)
        if state is RewindState.OVER:
            self._active_rewind = None
        elif state is RewindState.OVERDUE:
            if rewind.tries < _REWINDS:
                rewind.ask(now)
                self._consumer.nack_all()
            else:
                self._held.extend(rewind.release())

    def _ask_one_by_one(self, back: _PendingNack) -> None:
        for item in back.items:
            self._consumer.nack(item)
        self._finish_nack(back, self._floor)

    def _finish_nack(self, back: _PendingNack, delay: float) -> None:
        self._pending_nacks.remove(back)
        self._paused = False
        if back.halt and self._single_returns:
            self._pending.expect(back.items, time.monotonic(), delay)
        self._changed.notify_all()

    def _track_redeliveries(self, now: float) -> None:
        """Have somebody find out whether what is waited for went to another consumer."""
        asked_in = self._pending.begin(now)
        if asked_in is not None and self._redelivery_tracker is not None:
            generation = self._pending.generation
            self._redelivery_tracker.watch(
                self._pending.topics,
                asked_in,
                partial(self._still_awaits, generation),
                partial(self._all_sent_again, generation),
            )

    def _still_awaits(self, generation: int) -> bool:
        with self._lock:
            over = self._closed or self._pending.is_over(time.monotonic())
            return not over and self._pending.generation == generation

    def _all_sent_again(self, generation: int) -> None:
        with self._lock:
            self._pending.note_sent_elsewhere(generation, time.monotonic())
            self._changed.notify_all()

    def _may_nack_all(self, back: _PendingNack) -> bool:
        """Whether nothing else is here or on its way, and it would help to give back everything."""
        return (
            self._floor > 0
            and self._outstanding == 0
            and not self._held
            and self._pending_nacks == [back]
            and time.monotonic() - self._acknowledged_at > _FLUSHED
            and self._only_arrival_lately(back)
        )

    def _only_arrival_lately(self, back: _PendingNack) -> bool:
        """Whether all that came of late is one message, which is given back."""
        since = time.monotonic() - _QUIET
        lately = {item.message.position for at, item in [*self._latest] if at > since}
        return len(back.positions) == 1 and lately <= back.positions

    def _nothing_prefetched(self) -> bool:
        delivered = self._consumer.receive(0)
        if delivered is None:
            return True
        self._held.append(delivered)
        return False


def _log(error: Exception) -> None:
    _LOG.error("Messages cannot be given back; it is tried again", exc_info=error)
