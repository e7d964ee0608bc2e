"""Where a consumer's messages come from: prefetched by the transport, held back, or given back.

A message taken is *outstanding* until it is acknowledged or given back. Giving back asks the
broker to deliver again after a wait; with `halt` nothing else is handed out until then, and the
messages given back come first, in their old order (Session.recover, JMS 2.0, section 6.2.10): those
that no other consumer of the subscription gets (`awaited`, `whereabouts`).

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
from pulsar_jms.deliveries.pending_redeliveries import Awaited
from pulsar_jms.deliveries.redelivery_tracker import Whereabouts
from pulsar_jms.deliveries.rewinds import Rewind, Standing
from pulsar_jms.timer import Timer
from pulsar_jms.transport.transport_protocol import BrokerTransaction, Delivered, TransportConsumer
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
class _Return:
    """Messages to give back together."""

    items: Sequence[Delivered]
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
        whereabouts: Whereabouts | None = None,
    ) -> None:
        """Wrap a consumer.

        `single_returns` says whether the broker takes back single messages of this subscription;
        `redelivery_floor` is the delay in seconds that the transport adds to those; `brisk` keeps
        waits short from the start, for consumers whose messages are given back by the clock;
        `in_order` is False for a consumer that hands out in another order than the broker delivers,
        and which drops by itself what a rewind sends again. `whereabouts` tells what went to
        another consumer; without it what was given back is waited for as long as it may take.
        """
        self._consumer = consumer
        self._timer = timer
        self._single_returns = single_returns
        self._floor = redelivery_floor
        self._prefetch = prefetch
        self._in_order = in_order
        self._slice = _SHORT_SLICE if brisk else _SLICE
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._held: deque[Delivered] = deque()
        self._taken = 0
        """How many messages were handed out; counted by the one thread that takes."""
        self._settled = 0
        """How many of them were acknowledged or taken back; counted under the lock."""
        self._acknowledged_at = 0.0
        self._latest: deque[tuple[float, Delivered]] = deque(maxlen=_REMEMBERED)
        """What was taken last, and when."""
        self._returns: list[_Return] = []
        self._awaited = Awaited(prefetch)
        self._whereabouts = whereabouts
        self._aside: set[Batch] = set()
        """Batches of which a message is to be given back aside."""
        self._rewound: Rewind | None = None
        """While something may come twice."""
        self._paused = False
        self._polling = False
        self._special = False
        """Whether anything but the plain next message may be due; read without the lock."""
        self._closed = False
        self.failed: Callable[[Exception], None] = _log
        """Called with what goes wrong while messages are given back, which is tried again."""

    @property
    def _outstanding(self) -> int:
        return self._taken - self._settled

    def take(self, wait: float) -> Delivered | None:
        """The next message; None when none came within `wait` seconds or a slice of it."""
        if not self._special:
            self._polling = True
            if not self._special:
                return self._poll(wait if wait < self._slice else self._slice)
            self._polling = False
        return self._take_with_care(min(wait, _SLICE))

    def put_back(self, delivered: Delivered) -> None:
        """Take back a message that was not handed to the application; it comes first again."""
        with self._lock:
            self._settled += 1
            self._held.appendleft(delivered)
            self._special = True

    def acknowledge(
        self, delivered: Delivered, transaction: BrokerTransaction | None = None
    ) -> None:
        """Acknowledge at the broker; `JMSException` when that cannot be done."""
        self._consumer.acknowledge(delivered, transaction)
        self.settled()
        if transaction is None:
            self._note_acknowledged(delivered)

    def acknowledge_taken(self, delivered: Delivered) -> None:
        """The same for the message taken last, by the thread that took it."""
        self._consumer.acknowledge(delivered)
        self._taken -= 1
        self._acknowledged_at = time.monotonic()
        self._note_acknowledged(delivered)

    def settled(self) -> None:
        """Note that a message was acknowledged."""
        with self._lock:
            self._settled += 1
            self._acknowledged_at = time.monotonic()

    def give_back(self, items: Sequence[Delivered], wait: float, *, halt: bool) -> None:
        """Have messages delivered again after `wait` seconds; with `halt` nothing else before."""
        if not items:
            return
        back = _Return(items, frozenset(item.message.position for item in items), halt)
        with self._lock:
            if self._closed:
                return
            self._settled += len(items)
            self._returns.append(back)
            self._special = True
        early = wait - self._floor
        if self._single_returns and early >= 0:
            self._later(early, partial(self._give_back_early, back))
        else:
            self._later(wait, partial(self._give_back_now, back))

    def give_back_aside(self, delivered: Delivered, wait: float) -> None:
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
                if batch in self._aside:
                    return
                self._aside.add(batch)
        action = partial(self._give_back_aside, delivered.without_content(), batch)
        apart = random.random() * _APART  # noqa: S311 - no secret
        self._later(max(0.0, wait - self._floor) + apart, action)

    def ignore(self, delivered: Delivered) -> None:
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
            self._returns.clear()
            self._held.clear()
            self._changed.notify_all()
        self._consumer.close()

    def _take_with_care(self, wait: float) -> Delivered | None:
        until = time.monotonic() + wait
        while True:
            with self._lock:
                if self._closed:
                    return None
                now = time.monotonic()
                if self._paused or any(back.halt for back in self._returns):
                    if now >= until:
                        return None
                    self._changed.wait(until - now)
                    continue
                self._watch(now)
                over = self._awaited.is_over(now)
                if self._held and over:
                    self._taken += 1
                    return self._held.popleft()
                if over and not (self._returns or self._rewound):
                    self._special = False
                fetches = self._may_fetch(now, over)
                if fetches:
                    self._polling = True
                elif now < until:
                    self._changed.wait(min(until - now, _SHORT_SLICE))
            delivered = self._poll(min(max(until - now, 0.0), _SHORT_SLICE)) if fetches else None
            done = None
            with self._lock:
                if self._rewound is not None:
                    if delivered is not None and self._rewound.is_done(delivered):
                        done = delivered
                    self._after_rewind(self._rewound, delivered)
                elif delivered is not None:
                    came = self._awaited.came(delivered.message.position)
                    if came or self._awaited.is_over(now):  # as it was when this was asked for
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
        if self._rewound is not None:
            return not self._rewound.is_full
        return over or self._awaited.may_fetch(now, len(self._held))

    def _note_acknowledged(self, delivered: Delivered) -> None:
        if self._rewound is not None:
            with self._lock:
                if self._rewound is not None:
                    self._rewound.acknowledged(delivered)

    def _poll(self, wait: float) -> Delivered | None:
        try:
            delivered = self._consumer.receive(int(wait * 1000))
            if delivered is not None:
                self._taken += 1
                self._latest.append((time.monotonic(), delivered))
        finally:
            self._polling = False
        return delivered

    def _later(self, seconds: float, give_back: Callable[[], None]) -> None:
        """Give back in `seconds`, and again where that fails: it can be done twice."""
        self._timer.after(seconds, partial(self._try, give_back))

    def _try(self, give_back: Callable[[], None]) -> None:
        try:
            give_back()
        except Exception as error:
            with self._lock:
                self._paused = False
                self._changed.notify_all()
                closed = self._closed
            if not closed:
                self.failed(error)
                self._later(_AGAIN, give_back)

    def _give_back_aside(self, delivered: Delivered, batch: Batch | None) -> None:
        if self._closed:
            return
        self._consumer.give_back(delivered)
        with self._lock:
            if batch is None:
                self._settled += 1
            else:
                self._aside.discard(batch)

    def _give_back_early(self, back: _Return) -> None:
        """The transport's own delay begins now, unless all can go at once when it is over."""
        with self._lock:
            if back in self._returns and not self._alone(back):
                self._ask_one_by_one(back)
                return
        self._later(self._floor, partial(self._give_back_now, back))

    def _give_back_now(self, back: _Return) -> None:
        with self._lock:
            if back not in self._returns:
                return
            self._paused = self._special = True
            if self._polling:
                self._later(0.001, partial(self._give_back_now, back))
                return
            if not self._single_returns:
                unsettled = self._busy_until() - time.monotonic()
                if unsettled > 0:
                    self._later(unsettled, partial(self._give_back_now, back))
                else:
                    self._rewind(back)
            elif self._alone(back) and self._nothing_prefetched():
                self._consumer.give_back_all()
                self._asked(back, 0.0)
            else:
                self._ask_one_by_one(back)

    def _busy_until(self) -> float:
        """When acknowledgements have left, and the broker has sent what it may, if it now rests."""
        since = self._acknowledged_at
        if self._floor > 0 and self._latest:
            since = max(since, self._latest[-1][0])
        return since + _FLUSHED

    def _rewind(self, back: _Return) -> None:
        """Have everything sent again, what is here already, too."""
        if self._in_order:
            self._rewound = self._rewound or Rewind(self._prefetch)
            self._rewound.begin(back.items, self._held)
            self._rewound.ask(time.monotonic())
        self._held.clear()
        self._consumer.give_back_all()
        self._asked(back, 0.0)

    def _after_rewind(self, rewind: Rewind, delivered: Delivered | None) -> None:
        """Hold what may be handed out; ask again where the broker went on past what it had to."""
        if delivered is not None:
            self._settled += 1
            self._held.extend(rewind.arrived(delivered))
        now = time.monotonic()
        standing = rewind.standing(now, quiet=delivered is None)
        if standing is Standing.OVER:
            self._rewound = None
        elif standing is Standing.OVERDUE:
            if rewind.tries < _REWINDS:
                rewind.ask(now)
                self._consumer.give_back_all()
            else:
                self._held.extend(rewind.release())

    def _ask_one_by_one(self, back: _Return) -> None:
        for item in back.items:
            self._consumer.give_back(item)
        self._asked(back, self._floor)

    def _asked(self, back: _Return, delay: float) -> None:
        self._returns.remove(back)
        self._paused = False
        if back.halt and self._single_returns:
            self._awaited.expect(back.items, time.monotonic(), delay)
        self._changed.notify_all()

    def _watch(self, now: float) -> None:
        """Have somebody find out whether what is waited for went to another consumer."""
        asked_in = self._awaited.begin(now)
        if asked_in is not None and self._whereabouts is not None:
            turn = self._awaited.turn
            self._whereabouts.watch(
                self._awaited.topics,
                asked_in,
                partial(self._still_awaits, turn),
                partial(self._all_sent_again, turn),
            )

    def _still_awaits(self, turn: int) -> bool:
        with self._lock:
            over = self._closed or self._awaited.is_over(time.monotonic())
            return not over and self._awaited.turn == turn

    def _all_sent_again(self, turn: int) -> None:
        with self._lock:
            self._awaited.went_elsewhere(turn, time.monotonic())
            self._changed.notify_all()

    def _alone(self, back: _Return) -> bool:
        """Whether nothing else is here or on its way, and it would help to give back everything."""
        return (
            self._floor > 0
            and self._outstanding == 0
            and not self._held
            and self._returns == [back]
            and time.monotonic() - self._acknowledged_at > _FLUSHED
            and self._quiet(back)
        )

    def _quiet(self, back: _Return) -> bool:
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
