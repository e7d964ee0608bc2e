"""The messages of one consumer on their way to the application, and on their way back.

They are prefetched by the transport, held back here, or negatively acknowledged (*nacked*). A
message taken is *outstanding* until it is acknowledged or nacked. A nack asks the broker to deliver
again after a wait; with `halt` nothing else is handed out until then, and the messages nacked come
first, in their old order (Session.recover, JMS 2.0, section 6.2.10): those that no other consumer
of the subscription gets (`PendingRedeliveries`, `RedeliveryTracker`).

Messages are nacked one by one where the broker takes back single ones. pulsar-client asks for those
no sooner than 100 ms after it was asked, but for everything at once immediately, which keeps short
waits exact. Everything includes what is on its way here: that arrives all the same, and another
consumer gets it, too. So it is only asked for on behalf of a message that this consumer has had for
itself for a while (`RecentArrivals`).

Where the broker takes back nothing less than everything, it is told to go back: a `Rewind`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from jmsapi import JMSException
from pulsar_jms.deliveries.pending_nack import PendingNack
from pulsar_jms.deliveries.pending_redeliveries import PendingRedeliveries
from pulsar_jms.deliveries.quiet_nacks import QuietNacks
from pulsar_jms.deliveries.recent_arrivals import RecentArrivals
from pulsar_jms.deliveries.redelivery_times import DEFAULT_TIMES, RedeliveryTimes
from pulsar_jms.deliveries.redelivery_tracker import RedeliveryTracker
from pulsar_jms.deliveries.rewinds import Rewind, RewindState
from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import (
    BrokerTransaction,
    DeliveredMessage,
    TransportConsumer,
)

_LOG = logging.getLogger(__name__)

_POLL = 0.1
"""Seconds after which a waiting consumer looks whether it was stopped or closed."""
_SHORT_POLL = 0.005
"""The same while something is about to be nacked, which must find nobody waiting."""
_REWINDS = 3
"""How often a rewind is asked for before what comes is taken as it comes: they may have expired."""


class ReceiveQueue:
    """The messages of one consumer. `take` is for one thread at a time, the rest for any."""

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
        times: RedeliveryTimes = DEFAULT_TIMES,
    ) -> None:
        """Wrap a consumer of the transport.

        `single_returns`: whether the broker takes back single messages of this subscription.
        `redelivery_floor`: the delay in seconds that the transport adds to those.
        `prefetch`: how many messages the transport fetches ahead.
        `brisk`: keep waits short from the start, as where messages are nacked by the clock.
        `in_order`: False for a consumer that hands out in another order than the broker delivers,
        and which drops by itself what a rewind sends again.
        `redelivery_tracker`: knows what went to another consumer; without it what was nacked is
        waited for as long as it may take.
        """
        self.transport_consumer = consumer
        self._timer = timer
        self.single_returns = single_returns
        """Whether the broker takes back single messages."""
        self._floor = redelivery_floor
        self._prefetch = prefetch
        self._in_order = in_order
        self._poll_time = _SHORT_POLL if brisk else _POLL
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._held: deque[DeliveredMessage] = deque()
        self._taken = 0
        """How many messages were handed out; counted by the one thread that takes."""
        self._settled = 0
        """How many of them were acknowledged or taken back; counted under the lock."""
        self._acknowledged_at = 0.0
        self._recent = RecentArrivals()
        self._times = times
        self._pending_nacks: list[PendingNack] = []
        self._quiet_nacks = QuietNacks(
            self._nack_one, self._later, self._count_settled, times.spread
        )
        self._pending = PendingRedeliveries(prefetch, times)
        self._redelivery_tracker = redelivery_tracker
        self._active_rewind: Rewind | None = None
        """While something may come twice."""
        self._paused = False
        self._polling = False
        self._slow_path = False
        """Whether anything but the plain next message may be due; read without the lock."""
        self._closed = False
        self.on_failure: Callable[[Exception], None] = _log
        """Called with what goes wrong while messages are nacked, which is tried again."""

    def take(self, wait: float) -> DeliveredMessage | None:
        """The next message; None when none came within `wait` seconds, or within a part of them."""
        if not self._slow_path:
            self._polling = True
            if not self._slow_path:
                return self._poll(wait if wait < self._poll_time else self._poll_time)
            self._polling = False
        return self._take_carefully(min(wait, _POLL))

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
        self.transport_consumer.acknowledge(delivered, transaction)
        self.note_settled()
        if transaction is None:
            self._note_acknowledged(delivered)

    def acknowledge_latest(self, delivered: DeliveredMessage) -> None:
        """The same for the message taken last, by the thread that took it."""
        self.transport_consumer.acknowledge(delivered)
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
        pending = PendingNack(items, halt)
        with self._lock:
            if self._closed:
                return
            self._settled += len(items)
            self._pending_nacks.append(pending)
            self._slow_path = True
        early = wait - self._floor
        if self.single_returns and early >= 0:
            self._later(early, partial(self._nack_early, pending))
        else:
            self._later(wait, partial(self._nack_now, pending))

    def nack_quietly(self, delivered: DeliveredMessage, wait: float) -> None:
        """Negatively acknowledge one message after `wait` seconds, without pausing the consumer.

        The message may come later than asked by as much as the transport's delay, and by chance.
        For subscriptions that take back single messages.
        """
        self._quiet_nacks.add(delivered, max(0.0, wait - self._floor))

    def ignore(self, delivered: DeliveredMessage) -> None:
        """Let go of a second copy; what is done with the first counts for both."""
        self._count_settled()

    def _count_settled(self) -> None:
        with self._lock:
            self._settled += 1

    def close(self) -> None:
        """Close the consumer; the broker delivers what is outstanding to others."""
        with self._lock:
            self._closed = True
            self._pending_nacks.clear()
            self._held.clear()
            self._changed.notify_all()
        self.transport_consumer.close()

    def _take_carefully(self, wait: float) -> DeliveredMessage | None:
        until = time.monotonic() + wait
        while True:
            with self._lock:
                if self._closed:
                    return None
                now = time.monotonic()
                if self._paused or any(pending.halt for pending in self._pending_nacks):
                    if now >= until:
                        return None
                    self._changed.wait(until - now)
                    continue
                self._track_redeliveries(now)
                if kept := self._pending.take_kept(now):
                    self._held.extendleft(reversed(kept))
                over = self._pending.is_over(now)
                if self._held and (over or kept):
                    self._taken += 1
                    return self._held.popleft()
                if over and not (self._pending_nacks or self._active_rewind):
                    self._slow_path = False
                fetches = self._may_fetch(now, over)
                if fetches:
                    self._polling = True
                elif now < until:
                    self._changed.wait(min(until - now, _SHORT_POLL))
            delivered = self._poll(min(max(until - now, 0.0), _SHORT_POLL)) if fetches else None
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
                    self._hold(delivered)
                if delivered is None and now >= until:
                    return None
            if done is not None:
                with suppress(JMSException):  # then it comes once more
                    self.transport_consumer.acknowledge(done)

    def _may_fetch(self, now: float, over: bool) -> bool:
        """Whether there is room for another message; `over`: none are waited for."""
        if self._active_rewind is not None:
            return not self._active_rewind.is_full
        return over or self._pending.may_fetch(now, len(self._held))

    def _hold(self, delivered: DeliveredMessage) -> None:
        if not self._pending.keep(delivered):
            self._held.append(delivered)

    def _note_acknowledged(self, delivered: DeliveredMessage) -> None:
        if self._active_rewind is not None:
            with self._lock:
                if self._active_rewind is not None:
                    self._active_rewind.note_acknowledged(delivered)

    def _poll(self, wait: float) -> DeliveredMessage | None:
        try:
            delivered = self.transport_consumer.receive(int(wait * 1000))
            if delivered is not None:
                self._taken += 1
                self._recent.note(delivered, time.monotonic())
        finally:
            self._polling = False
        return delivered

    def _later(self, seconds: float, nack: Callable[[], None]) -> None:
        """Nack in `seconds`, and again where that fails: it can be done twice."""
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
                self.on_failure(error)
                self._later(self._times.retry, nack)

    def _nack_one(self, delivered: DeliveredMessage) -> None:
        if not self._closed:
            self.transport_consumer.nack(delivered)

    def _nack_early(self, pending: PendingNack) -> None:
        """The transport's own delay begins now, unless all can go at once when it is over."""
        with self._lock:
            if pending in self._pending_nacks and not self._may_nack_all(pending):
                self._ask_one_by_one(pending)
                return
        self._later(self._floor, partial(self._nack_now, pending))

    def _nack_now(self, pending: PendingNack) -> None:
        with self._lock:
            if pending not in self._pending_nacks:
                return
            self._paused = self._slow_path = pending.due = True
            if self._polling or pending.would_overtake(self._pending_nacks):
                self._later(0.001, partial(self._nack_now, pending))
                return
            if not self.single_returns:
                unsettled = self._busy_until() - time.monotonic()
                if unsettled > 0:
                    self._later(unsettled, partial(self._nack_now, pending))
                else:
                    self._rewind(pending)
            elif self._may_nack_all(pending) and self._nothing_prefetched():
                self.transport_consumer.nack_all()
                self._finish_nack(pending, 0.0)
            else:
                self._ask_one_by_one(pending)

    def _busy_until(self) -> float:
        """When acknowledgements have left, and the broker has sent what it may, if it now rests."""
        since = max(self._acknowledged_at, self._recent.last_at if self._floor > 0 else 0.0)
        return since + self._times.flush

    def _rewind(self, pending: PendingNack) -> None:
        """Have everything sent again, what is here already, too."""
        if self._in_order:
            self._active_rewind = self._active_rewind or Rewind(self._prefetch, self._times)
            self._active_rewind.begin(pending.items, self._held)
            self._active_rewind.ask(time.monotonic())
        self._held.clear()
        self.transport_consumer.nack_all()
        self._finish_nack(pending, 0.0)

    def _after_rewind(self, rewind: Rewind, delivered: DeliveredMessage | None) -> None:
        """Hold what may be handed out; ask again where the broker went on past what it had to."""
        if delivered is not None:
            self._settled += 1
            self._held.extend(rewind.admit(delivered))
        now = time.monotonic()
        state = rewind.state(now, quiet=delivered is None)
        if state is RewindState.OVER:
            self._active_rewind = None
        elif state is RewindState.OVERDUE:
            if rewind.tries < _REWINDS:
                rewind.ask(now)
                self.transport_consumer.nack_all()
            else:
                self._held.extend(rewind.release())

    def _ask_one_by_one(self, pending: PendingNack) -> None:
        for item in pending.items:
            self.transport_consumer.nack(item)
        self._finish_nack(pending, self._floor)

    def _finish_nack(self, pending: PendingNack, delay: float) -> None:
        self._pending_nacks.remove(pending)
        self._paused = False
        if pending.halt and self.single_returns:
            self._pending.expect(pending.items, time.monotonic(), delay)
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

    def _may_nack_all(self, pending: PendingNack) -> bool:
        """Whether nothing else is here or on its way, and it would help to nack everything."""
        now = time.monotonic()
        return (
            self._floor > 0
            and self._taken == self._settled
            and not (self._held or self._pending.keeps_any)
            and self._pending_nacks == [pending]
            and now - self._acknowledged_at > self._times.flush
            and self._recent.are_only(pending.items, now - self._times.quiet)
        )

    def _nothing_prefetched(self) -> bool:
        delivered = self.transport_consumer.receive(0)
        if delivered is not None:
            self._hold(delivered)
        return delivered is None


def _log(error: Exception) -> None:
    _LOG.error("Messages cannot be negatively acknowledged; it is tried again", exc_info=error)
