"""The application of one case: it opens, sends, receives, and fails as the case has it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from jms_brokers.machine.patience import patience
from jms_model.redelivery_limits.cases import (
    DURABLE,
    LISTENER,
    NO_LOCAL,
    QUEUE,
    SELECTOR,
    SHARED,
    SHARED_DURABLE,
    TIME_OUT,
    Case,
    MessageCase,
)
from jms_model.redelivery_limits.seen import Body, CaseObservation, ReceivedDelivery
from jms_model.redelivery_limits.settings import ConsumerSettings
from jmsapi import Message, SessionMode
from touchstone.drawn.redelivery_limits.looking import MARK, ProgramBroker
from touchstone.drawn.redelivery_limits.program import SUBSCRIPTION, destination
from touchstone.scenario.bodies import compose, content_of, kind_of

_TURN: Final = 30
"""Milliseconds of a call of receive()."""
FIRST: Final = 5.0
"""Seconds without anything new, above the longest wait, after which nothing more is expected."""
AGAIN: Final = 1.5
"""The same, once something did not come."""
X: Final = "x"
"""The property that the selector asks for."""
_CREATES: Final = {
    SHARED: "create_shared_consumer",
    SHARED_DURABLE: "create_shared_durable_consumer",
}


class Rejected(Exception):
    """What a listener throws."""


@dataclass
class Opening:
    """What a case is opened with."""

    factory: Any
    """That of its consumer."""
    plain: Any
    """A session for sends through another connection, of one thread only."""
    individual: int
    """The mode in which each message is acknowledged alone."""
    client_id: str


class Application:
    """The application of one case."""

    def __init__(
        self,
        at: int,
        case: Case,
        settings: ConsumerSettings,
        opening: Opening,
        broker: ProgramBroker,
    ) -> None:
        self.at = at
        self.case = case
        self.seen = CaseObservation()
        self._settings = settings
        self._opening = opening
        self._broker = broker
        self._lock = threading.Condition()
        self._letters: dict[int, list[str]] = {}
        self._asked = self._progress = 0.0
        self._own: Any = None
        self._taker: Any = None
        self._marked = False
        self._opened: list[Any] = []

    # What is opened

    def open(self) -> None:
        """Open its consumer."""
        if self.case.way == LISTENER:
            mode = int(SessionMode.AUTO_ACKNOWLEDGE)
        elif self.case.way == TIME_OUT:
            mode = self._opening.individual
        else:
            mode = int(SessionMode.CLIENT_ACKNOWLEDGE)
        if self.case.simplified:
            self._session = connection = self._opening.factory.create_context(mode=mode)
        else:
            connection = self._opening.factory.create_connection()
        self._opened.append(connection)
        if self.case.kind == DURABLE:
            connection.client_id = self._opening.client_id
        connection.start()
        if not self.case.simplified:
            self._session = connection.create_session(False, mode)
        if self.case.filtered == NO_LOCAL:
            self._own = connection.create_session(False, SessionMode.AUTO_ACKNOWLEDGE)
        self._consumer = self._consume(self._session, filtered=True)

    def _destination(self, session: Any) -> Any:
        name = self._broker.full_name(destination(self.at))
        is_queue = self.case.kind == QUEUE
        return session.create_queue(name) if is_queue else session.create_topic(name)

    def _consume(self, session: Any, *, filtered: bool) -> Any:
        made = self._destination(session)
        selector = f"{X} = 1" if filtered and self.case.filtered == SELECTOR else None
        no_local = filtered and self.case.filtered == NO_LOCAL
        if self.case.kind in _CREATES:
            create = getattr(session, _CREATES[self.case.kind])
            return create(made, SUBSCRIPTION, *([selector] if selector else []))
        if self.case.kind == DURABLE:
            return session.create_durable_consumer(made, SUBSCRIPTION, selector, no_local)
        if no_local:
            return session.create_consumer(made, None, True)
        return session.create_consumer(made, *([selector] if selector else []))

    def close(self) -> None:
        """Close what is open; what that raises is no matter."""
        for each in reversed(self._opened):
            with suppress(Exception):
                each.close()

    # What is sent

    def send(self) -> None:
        """Send its messages."""
        for number, sent in enumerate(self.case.messages):
            self._send(number, sent)

    def _send(self, number: int, sent: MessageCase) -> None:
        local = sent.rejected and self._own is not None
        session = self._own if local else self._opening.plain
        message = compose(session, sent.kind, sent.content)
        message.set_string_property(MARK, f"{self.at}.{number}")
        for name, value in sent.properties.items():
            message.set_object_property(name, value)
        if self.case.filtered == SELECTOR:
            message.set_int_property(X, 2 if sent.rejected else 1)
        producer = session.create_producer(self._destination(session))
        producer.send(message)
        producer.close()

    # What is received

    def run(self) -> None:
        """Receive until all is done, or nothing comes any more; then what is sent last."""
        self._asked = self._progress = time.monotonic()
        if self.case.way == LISTENER:
            self._consumer.message_listener = self._listen
        self._until(self._is_done, self._within(FIRST))
        self._marked = True
        self._send(len(self.case.messages), MessageCase("text", "the last", {}))
        self._progress = time.monotonic()
        self.seen.went_on = self._until(self._is_over, FIRST)

    def _within(self, seconds: float) -> float:
        backoff = self._settings.timeout_backoff
        longest = max(self._settings.nack.most, backoff.most if backoff else 0)
        return seconds + (longest + self._settings.timeout) / 1000

    def _until(self, is_done: Callable[[], bool], within: float) -> bool:
        for seconds in patience(within):
            while time.monotonic() - self._progress < seconds:
                if not self._turn() and is_done():
                    return True
        return False

    def _turn(self) -> bool:
        """One more message, if there is one."""
        if self.case.way == LISTENER:
            with self._lock:
                self._lock.wait(_TURN / 1000)
            return False
        came = self._receive(self._consumer, self.seen.deliveries)
        if self._taker is not None:
            came |= self._receive(self._taker, self.seen.taken)
        if not came:
            self._asked = time.monotonic()
        return came

    def _receive(self, consumer: Any, into: list[ReceivedDelivery]) -> bool:
        message = consumer.receive(_TURN)
        if message is None:
            return False
        delivery = self._note(message, into, self._asked)
        if into is self.seen.taken:
            return True
        fails = self._fails(delivery)
        if not fails:
            message.acknowledge()
        delivery.ended = time.monotonic()
        if fails and self.case.way != TIME_OUT:
            self._session.recover()
        return True

    def _listen(self, message: Message) -> None:
        with self._lock:
            delivery = self._note(message, self.seen.deliveries, time.monotonic())
            fails = self._fails(delivery)
            self._lock.notify_all()
        delivery.ended = time.monotonic()
        if fails:
            raise Rejected

    def _note(
        self, message: Message, into: list[ReceivedDelivery], asked: float
    ) -> ReceivedDelivery:
        came = time.monotonic()
        number = int(str(message.get_string_property(MARK)).partition(".")[2])
        names = self.sent(number).properties
        delivery = ReceivedDelivery(
            number,
            int(message.get_int_property("JMSXDeliveryCount")),
            message.jms_redelivered,
            body_of(message, names),
            asked,
            came,
            came,
            bool(self._letters.get(number)),
        )
        into.append(delivery)
        self._progress = came
        return delivery

    def sent(self, number: int) -> MessageCase:
        """The message of a number; the last has the next one."""
        if number < len(self.case.messages):
            return self.case.messages[number]
        return MessageCase("text", "the last", {})

    def _fails(self, delivery: ReceivedDelivery) -> bool:
        sent = self.sent(delivery.number)
        return len(self.seen.of(delivery.number)) <= sent.fails

    # Whether it is done

    def _is_done(self) -> bool:
        """Whether each message is where it has to end; what is set aside is looked for now."""
        self._look()
        if self.case.taker and self._taker is None:
            self._take()
        return all(map(self._has_ended, range(len(self.case.messages))))

    def _has_ended(self, number: int) -> bool:
        sent = self.case.messages[number]
        if number in self._letters:
            return True
        if self.case.dies(number, self._settings):
            return False
        if any(each.number == number for each in self.seen.taken):
            return True
        return not self.case.taker if sent.rejected else len(self.seen.of(number)) > sent.fails

    def _look(self) -> None:
        """What is set aside by now."""
        before = len(self._letters)
        topics_of: dict[int, list[str]] = {}
        for topic, letters in self._broker.latest.items():
            for case, number in letters:
                if case == self.at:
                    topics_of.setdefault(number, []).append(topic)
        self._letters = topics_of
        if len(topics_of) > before:
            self._progress = time.monotonic()

    def _take(self) -> None:
        """Open the other consumer, once what is rejected was given back."""
        rejected = sum(sent.rejected for sent in self.case.messages)
        others = len(self.case.messages) - rejected
        handed_out = self._broker.handed_out(destination(self.at))
        was_given_back = handed_out >= 2 * rejected + others + 1
        if was_given_back or time.monotonic() - self._progress > FIRST / 2:
            self._other = self._opening.factory.create_connection()
            self._opened.append(self._other)
            self._other.start()
            session = self._other.create_session(False, SessionMode.AUTO_ACKNOWLEDGE)
            self._taker = self._consume(session, filtered=False)
            self._progress = time.monotonic()

    def _is_over(self) -> bool:
        last = len(self.case.messages)
        return any(each.number == last for each in (*self.seen.deliveries, *self.seen.taken))


def body_of(message: Message, names: Mapping[str, object]) -> Body:
    """What a message holds, and its properties of these names."""
    properties = {
        name: message.get_object_property(name) if message.property_exists(name) else None
        for name in names
    }
    return Body(kind_of(message), content_of(message), properties)
