"""A client in memory with a clock of its own, by which programs on time run without waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from jmsapi import SessionMode
from touchstone.drawn.times.clock import Clock


class VirtualClock(Clock):
    """Moves on when somebody waits, and a little by each call."""

    def __init__(self) -> None:
        self.time = 1_700_000_000_000
        self.moved: list[Callable[[], None]] = []

    def now(self) -> int:
        """This instant."""
        return self.time

    def pause(self, milliseconds: float) -> None:
        """Let time pass."""
        for _ in range(max(1, round(milliseconds))):
            self.time += 1
            for each in [*self.moved]:
                each()


@dataclass
class Text:
    """A message, as far as programs on time look at it."""

    body: str
    properties: dict[str, Any] = field(default_factory=dict)
    jms_delivery_time: int = 0
    jms_expiration: int = 0

    def get_body(self, _: Any) -> Any:
        """The text."""
        return self.body

    def set_boolean_property(self, name: str, value: bool) -> None:
        """Set a property."""
        self.properties[name] = value


@dataclass
class Given:
    """What a send has, before the provider reads its clock."""

    delay: int
    lives: int
    simplified: bool
    arguments: bool
    asynchronous: bool
    transacted: bool
    is_queue: bool
    earlier: list[int]
    """What the delay of its producer was before."""


@dataclass
class Rules:
    """What a client does: each of these a wrong one changes."""

    delay: Callable[[Given], int] = lambda given: given.delay
    """The delay that counts, and the one that is told."""
    told_delay: Callable[[Given, int], int] = lambda given, delay: delay
    due: Callable[[Given, int, int], int] = lambda given, due, now: due
    """When it is visible: by the right time, and the time of its commit."""
    lives: Callable[[Given], int] = lambda given: given.lives
    expires: Callable[[Given, int, int], int] = lambda given, end, now: end
    """When it expires: by the right time, and the time of its commit."""
    told_expiration: Callable[[Given, int], int] = lambda given, told: told
    received: Callable[[Text, int], Text] = lambda message, now: message
    """The message as a receiver has it."""
    subscribes_late: bool = False
    """Whether a new subscription gets what is not due."""
    browses: Callable[[int, int], bool] = lambda due, now: due <= now
    in_order: bool = False
    """Whether what is due waits for what was sent before it."""
    heeds_delays: bool = True
    """Whether an unshared subscription of a topic does."""
    sharing_heeds: bool = True


@dataclass
class Stored:
    """A message in a queue or subscription."""

    message: Text
    right: int
    """When it is due; browsers know that."""
    due: int
    expires: int
    number: int


@dataclass(eq=False)
class Store:
    """A queue, or a subscription."""

    is_exclusive: bool = False
    stored: list[Stored] = field(default_factory=list)


@dataclass(eq=False)
class Place:
    """A destination."""

    queue: Store | None
    stores: list[Store] = field(default_factory=list)
    published: list[Stored] = field(default_factory=list)


class InMemory:
    """The factory of a client: connections, sessions and contexts are one object."""

    def __init__(self, clock: VirtualClock, rules: Rules, *, sharing: bool = False) -> None:
        self.clock, self.rules, self.sharing = clock, rules, sharing
        self.client_id = ""

    def create_connection(self) -> Any:
        """A connection."""
        return Connection(self)

    def create_context(self, mode: int = 1) -> Any:
        """A context."""
        return Session(self, mode == SessionMode.SESSION_TRANSACTED, mode)

    def start(self) -> None:
        """Nothing was stopped."""

    def close(self) -> None:
        """Nothing is kept."""


class Connection(InMemory):
    """A connection."""

    def __init__(self, factory: InMemory) -> None:
        super().__init__(factory.clock, factory.rules, sharing=factory.sharing)

    def create_session(self, transacted: bool = False, mode: int = 1) -> Any:
        """A session."""
        return Session(self, transacted, mode)


class Session:
    """A session, or a context."""

    def __init__(self, factory: InMemory, transacted: bool, mode: int) -> None:
        self.factory, self.transacted, self.mode = factory, transacted, mode
        self.pending: list[Callable[[], None]] = []
        self.got: list[tuple[Store, Stored]] = []

    def create_context(self, mode: int) -> Session:
        """Another context."""
        return Session(self.factory, mode == SessionMode.SESSION_TRANSACTED, mode)

    def create_queue(self, _: str) -> Place:
        """A queue."""
        return Place(Store())

    def create_topic(self, _: str) -> Place:
        """A topic."""
        return Place(None)

    def create_text_message(self, text: str) -> Text:
        """A message."""
        return Text(text)

    def create_producer(self, place: Place | None = None) -> Producer:
        """A producer, of either API."""
        return Producer(self, place)

    def create_consumer(self, place: Place, selector: str = "") -> Consumer:
        """A consumer of a queue or of a subscription of its own."""
        return Consumer(self, place, selector, is_exclusive=not self.factory.sharing)

    def create_durable_consumer(self, place: Place, _: str, selector: str = "") -> Consumer:
        """A consumer of another kind of subscription."""
        return Consumer(self, place, selector, is_exclusive=True)

    def create_shared_consumer(self, place: Place, _: str, selector: str = "") -> Consumer:
        """A consumer of another kind of subscription."""
        return Consumer(self, place, selector, is_exclusive=False)

    create_shared_durable_consumer = create_shared_consumer

    def create_browser(self, place: Place) -> Any:
        """A browser, which shows what is there now."""
        now, rules = self.factory.clock.now(), self.factory.rules
        assert place.queue is not None
        shown = [each.message for each in place.queue.stored if rules.browses(each.right, now)]
        return SimpleNamespace(enumeration=shown, close=lambda: None)

    def commit(self) -> None:
        """All that was sent is there."""
        for each in self.pending:
            each()
        self.pending = []

    def recover(self) -> None:
        """What was received comes again."""
        for store, stored in self.got:
            store.stored.append(stored)
        self.got = []

    def close(self) -> None:
        """Nothing is kept."""


class Producer:
    """A MessageProducer, or a JMSProducer."""

    def __init__(self, session: Session, place: Place | None) -> None:
        self.session, self.place = session, place
        self.time_to_live = 0
        self.earlier: list[int] = []
        self._delay = 0
        self._listener: Any = None
        self._properties: dict[str, Any] = {}
        self._simplified = False

    @property
    def delivery_delay(self) -> int:
        """The delay."""
        return self._delay

    @delivery_delay.setter
    def delivery_delay(self, value: int) -> None:
        self.earlier.append(self._delay)
        self._delay = value

    def set_delivery_delay(self, value: int) -> None:
        """The same of a JMSProducer."""
        self.delivery_delay = value

    def set_time_to_live(self, value: int) -> None:
        """The same of a JMSProducer."""
        self.time_to_live = value

    def set_async(self, listener: Any) -> None:
        """Whom a JMSProducer tells."""
        self._listener = listener

    def set_property(self, name: str, value: Any) -> None:
        """A property of all that a JMSProducer sends."""
        self._simplified = True
        self._properties[name] = value

    def send(self, *given: Any, **options: Any) -> None:
        """Send by either API."""
        place = given[0] if self._simplified else options.get("destination", self.place)
        assert place is not None
        body = given[-1]
        message = Text(body) if isinstance(body, str) else body
        message.properties.update(self._properties)
        listener = options.get("completion_listener", self._listener)
        self._sent(
            message,
            place,
            Given(
                self._delay,
                options.get("time_to_live", self.time_to_live),
                self._simplified,
                "delivery_mode" in options,
                listener is not None,
                self.session.transacted,
                place.queue is not None,
                [*self.earlier],
            ),
        )
        if listener is not None:
            listener.on_completion(message)

    def _sent(self, message: Text, place: Place, given: Given) -> None:
        factory = self.session.factory
        clock, rules = factory.clock, factory.rules
        clock.pause(1)
        now = clock.now()
        delay, lives = rules.delay(given), rules.lives(given)
        message.jms_delivery_time = now + rules.told_delay(given, delay)
        message.jms_expiration = rules.told_expiration(given, now + lives if lives else 0)

        def arrives() -> None:
            then = clock.now()
            stored = Stored(
                message,
                now + given.delay,
                rules.due(given, now + delay, then),
                rules.expires(given, now + lives, then) if lives else 0,
                int(message.body) if message.body.isdecimal() else -1,
            )
            for store in [place.queue] if place.queue is not None else place.stores:
                assert store is not None
                heeds = not store.is_exclusive or rules.heeds_delays
                is_heeded = heeds and (store.is_exclusive or rules.sharing_heeds)
                store.stored.append(stored if is_heeded else replace(stored, due=now))
            place.published.append(stored)

        if self.session.transacted:
            self.session.pending.append(arrives)
        else:
            arrives()
        clock.pause(1)


class Consumer:
    """A consumer of either API."""

    def __init__(
        self, session: Session, place: Place, selector: str, *, is_exclusive: bool
    ) -> None:
        self.session, self.selector = session, selector
        rules, clock = session.factory.rules, session.factory.clock
        if place.queue is not None:
            self.store = place.queue
        else:
            self.store = Store(is_exclusive)
            place.stores.append(self.store)
            if rules.subscribes_late:
                now = clock.now()
                self.store.stored += [each for each in place.published if each.due > now]

    @property
    def message_listener(self) -> Any:
        """None is asked for."""
        return None

    @message_listener.setter
    def message_listener(self, listener: Callable[[Text], None]) -> None:
        def hear() -> None:
            while (message := self._next()) is not None:
                listener(message)

        self.session.factory.clock.moved.append(hear)

    def receive(self, timeout: int | None = None) -> Text | None:
        """The next message within so many milliseconds."""
        for _ in range(timeout or 0):
            if (message := self._next()) is not None:
                return message
            self.session.factory.clock.pause(1)
        return None

    def receive_no_wait(self) -> Text | None:
        """The next message."""
        self.session.factory.clock.pause(1)
        return self._next()

    def _next(self) -> Text | None:
        factory = self.session.factory
        now = factory.clock.now()
        stored = self.store.stored
        if factory.rules.in_order:
            stored = stored[:1]
        for each in stored:
            if each.due > now:
                continue
            if self.selector and not each.message.properties.get("chosen"):
                continue
            self.store.stored.remove(each)
            if each.expires and each.expires <= now:
                return self._next()
            if self.session.mode == SessionMode.CLIENT_ACKNOWLEDGE:
                self.session.got.append((self.store, each))
            return factory.rules.received(each.message, now)
        return None


class InOneThread:
    """Waits for messages by the clock in memory."""

    within = 10.0

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def next(self, consumer: Consumer) -> Text | None:
        """The next message."""
        return consumer.receive(10_000)


@contextmanager
def alone() -> Iterator[Any]:
    """Nobody else uses the machine."""
    yield SimpleNamespace(slack=SimpleNamespace(seconds=0.0))
