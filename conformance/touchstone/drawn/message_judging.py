"""Drawn programs on messages and producers: what they are sent and received by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, cast

from jms_clients.lacking import DELIVERY_DELAY, lacking
from jms_clients.recorded import unrecorded
from jms_model.answers import Answer, Gave, Raised
from jmsapi import JMSContext, Message, MessageConsumer, Queue, Session, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.calls import BODY
from touchstone.drawn.coming_again import COMING_AGAIN, COMING_ONES
from touchstone.drawn.driving import Driver, Trip, answer_of
from touchstone.drawn.full_messages import FULL
from touchstone.drawn.hunting import TRIPS
from touchstone.drawn.judging import judge_programs
from touchstone.drawn.producer_drawing import PRODUCERS, programs_about
from touchstone.drawn.producer_driving import ProducerDriver
from touchstone.drawn.program import FOR_A_QUEUE, OF_A_CONTEXT, Program, without
from touchstone.drawn.rare_messages import rare_ones
from touchstone.scenario.either_version import if_there_is
from touchstone.scenario.running import RunningScenario

PROGRAMS: Final = 1000
"""So many are drawn by a seed that never changes, and by that of the run."""
FULL_ONES: Final = 150
"""The same of programs on full messages: each sends one or two."""
_COUNTS: Final = {FULL: FULL_ONES, COMING_AGAIN: COMING_ONES}
_NO_NULLS: Final = "a null of Python is of no class, so that none stands for a message"
_SECONDS: Final = 45.0
_SECONDS_OF_PRODUCERS: Final = 60.0
"""Programs take so long at most: a client with much to find is waited for often."""
_SHRINKING: Final = 20.0
"""Seconds for making the programs of a scenario shorter, of the minute that it has."""


def judge_drawn(at_hand: RunningScenario, subject: str, kinds: Sequence[str]) -> None:
    """Judge each statement that the scenario declares by drawn programs on messages.

    They are about a subject (`touchstone.drawn.drawing`) of messages of these kinds.
    """
    judge_programs(
        at_hand,
        partial(_driver, at_hand, subject),
        programs_about(subject, kinds),
        _COUNTS.get(subject, PROGRAMS),
        more=rare_ones(subject, kinds),
        without=without,
        trips=2 * _COUNTS[subject] if subject in _COUNTS else TRIPS,
        by_the_run=True,
        is_heard=lambda each: each.is_about_body or subject != BODY,
        undecided=_NO_NULLS if subject == "JMSProducers" and not _sends_nulls(at_hand) else "",
        seconds=_SECONDS_OF_PRODUCERS if subject in PRODUCERS else _SECONDS,
        shrinking_in_all=math.inf if subject in PRODUCERS else _SHRINKING,
    )


def _sends_nulls(at_hand: RunningScenario) -> bool:
    """Whether a JMSProducer has a send() for each kind of null, as those in Java have."""
    with at_hand.jms.factory().create_context() as context:
        return hasattr(context.create_producer(), "send_null")


class Trips:
    """Sends messages through a queue and receives them; another one after a message was lost.

    A message that breaks a connection breaks a new one as well: what a new one carries had met a
    broken one.
    """

    def __init__(self, at_hand: RunningScenario, session: Session, *, recorded: bool) -> None:
        self.session = session
        """Which makes the messages."""
        self._at_hand = at_hand
        self._recorded = recorded
        self._arrivals = Arrivals()
        self._open()

    def __call__(self, message: Message) -> Message | None:
        if self._recorded:
            return self._sent(message)  # a program ends where it is lost
        answer = answer_of(partial(self._sent, message))
        if self._is_broken_by(answer):
            answer = answer_of(partial(self._sent, message))
            self._is_broken_by(answer)
        if isinstance(answer, Raised):
            raise answer.error
        return cast(Message | None, answer.value)

    def _sent(self, message: Message) -> Message | None:
        self._producer.send(message)
        return self._arrivals.next(self._consumer)

    def _is_broken_by(self, answer: Answer) -> bool:
        """Whether the connection carries nothing any more; it is made anew then."""
        if _has_come(answer) or _has_come(answer_of(self._try_another)):
            return False
        self.connect()
        return True

    def _try_another(self) -> Message | None:
        self._open()
        return self._sent(self.session.create_text_message("another"))

    def connect(self) -> None:
        """Go on by another connection."""
        self.session = self._at_hand.jms.connection().create_session()
        self._open()

    def _open(self) -> None:
        if not self._recorded:
            self.session = unrecorded(self.session)
        queue = self._at_hand.queue()
        self._producer = self.session.create_producer(queue)
        self._consumer = self._consumer_of(queue)

    def _consumer_of(self, queue: Queue) -> MessageConsumer:
        return self.session.create_consumer(queue)


class TripsOfTwo(Trips):
    """Receives by a session that gives back what it received."""

    _receives: Session
    _latest: Message | None = None

    def again(self, _: Message) -> Message | None:
        """Give back what was received, and receive it again."""
        self._receives.recover()
        self._latest = self._arrivals.next(self._consumer)
        return self._latest

    def _sent(self, message: Message) -> Message | None:
        if self._latest is not None:
            self._latest.acknowledge()
        self._latest = super()._sent(message)
        return self._latest

    def _consumer_of(self, queue: Queue) -> MessageConsumer:
        mode = SessionMode.CLIENT_ACKNOWLEDGE
        made = self._at_hand.jms.connection().create_session(False, mode)
        self._receives = made if self._recorded else unrecorded(made)
        return self._receives.create_consumer(queue)


def _has_come(answer: Answer) -> bool:
    return isinstance(answer, Gave) and answer.value is not None


class MessageDriver(Driver):
    """Makes its messages by the session that they are sent by."""

    trip: Trips

    def _new_message(self, program: Program) -> Message:
        answer = answer_of(partial(super()._new_message, program))
        if isinstance(answer, Gave):
            return cast(Message, answer.value)
        self.trip.connect()
        self.session = self.trip.session
        return super()._new_message(program)

    def _arrives(self, by: Trip, message: Message) -> Answer:
        answer = super()._arrives(by, message)
        self.session = self.trip.session
        return answer


class _Outlet:
    """Queues for the producers of programs, with a consumer of one of them."""

    def __init__(self, at_hand: RunningScenario, making: Any) -> None:
        self._at_hand = at_hand
        self._making = making
        self._arrivals = Arrivals()
        self._consumer: Any = None
        self._context: Any = None
        self._open()

    def producer(self, kind: str) -> Any:
        """A new producer, such as programs name it; of a context of its own.

        What producers of one context share would have a program show what others have set.
        """
        if kind == OF_A_CONTEXT:
            if self._context is not None:
                self._context.close()
            self._context = self._making.create_context(SessionMode.AUTO_ACKNOWLEDGE)
            return self._context.create_producer()
        return self._making.create_producer(self.own if kind == FOR_A_QUEUE else None)

    def received(self) -> Message | None:
        """The next message; None: it did not come."""
        return self._arrivals.next(self._consumer)

    def renew(self) -> None:
        """Take other queues: what there is in these is not known."""
        self._consumer.close()
        self._open()

    def _open(self) -> None:
        self.own, self.other = self._at_hand.queue(), self._at_hand.queue()
        self._consumer = self._making.create_consumer(self.own)


def _driver(at_hand: RunningScenario, subject: str, *, recorded: bool) -> Driver:
    """Runs programs; what thousands of them call is no trace that anybody reads."""
    made: Any
    if subject == "JMSProducers":
        made = at_hand.jms.context()
    else:
        made = at_hand.jms.connection().create_session()
    making: Any = made if recorded else unrecorded(made)
    if subject not in PRODUCERS:
        contexts = if_there_is(at_hand.jms.context) if subject == FULL else []
        context: Any = next(iter(contexts), None)
        other = context if recorded else unrecorded(context)
        if subject == COMING_AGAIN:
            twice = TripsOfTwo(at_hand, making, recorded=recorded)
            return MessageDriver(making, twice, again=twice.again)
        trips = Trips(at_hand, making, recorded=recorded)
        return MessageDriver(making, trips, cast(JMSContext, other))
    delays = DELIVERY_DELAY not in lacking(at_hand.provider)
    return ProducerDriver(making, _no_trip, outlet=_Outlet(at_hand, making), delays=delays)


def _no_trip(_: Message) -> Message | None:
    """What has a producer is sent by that alone."""
    raise AssertionError("a program with a producer has sent by another one")
