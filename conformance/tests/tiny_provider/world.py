"""The world of the tiny provider: time and chance, subscriptions, sessions and consumers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum, auto
from random import Random

from jms_histories.checks.small_history import DeliveryRow, Happening, SendRow, SubscriptionRow
from jms_histories.values import Event, Ordering, SettlementOutcome

MAXIMUM_MESSAGES = 40
NUMBERS_OF_ONE = 1_000
"""Apart from each other, so that histories share nothing."""
PRODUCERS_OF_ONE = 32
LAST_PRODUCER = (1 << 22) - 1
FIRST_SEQS = (0, 0, (1 << 16) - 4, (1 << 40) - 80)
"""At the beginning, across the border of two blocks of messages, near the end of all numbers."""
DOUBTFUL = (SettlementOutcome.FAIL, SettlementOutcome.INFO)


class Acknowledging(Enum):
    """How a session settles what it receives."""

    AUTO = auto()
    CLIENT = auto()
    LAZY = auto()
    INDIVIDUAL = auto()
    TRANSACTED = auto()


@dataclass
class Item:
    """A message as a subscription keeps it."""

    send: SendRow
    deliveries: int = 0
    last_enter: int = -1


@dataclass
class Session:
    """A session, its consumers and what they hold."""

    number: int
    how: Acknowledging
    started: bool = False
    open: bool = True
    busy_until: int = 0
    received: int = 0
    held: list[tuple[int, Item]] = field(default_factory=list)
    """Index of a delivery that is not settled yet, and its item."""
    outputs: list[int] = field(default_factory=list)
    """Indices of the sends of the transaction."""
    tx: int = -1


@dataclass
class Reader:
    """A consumer."""

    number: int
    session: Session
    sub: int
    open: bool = True


class World:
    """The world of a run: its time, subscriptions, sessions and consumers."""

    def __init__(self, random: Random, *, faults: bool, numbers: int) -> None:
        self.random = random
        self.faults = faults
        self.numbers = numbers
        self.now = random.choice((0, 1, 1_000_000_007))
        self.sends: list[SendRow] = []
        self.rows: list[DeliveryRow] = []
        self.events: list[Happening] = []
        self.subs: dict[int, SubscriptionRow] = {}
        self.queues: dict[int, list[Item]] = defaultdict(list)
        self.waiting: dict[int, Item] = {}
        """Of a consumer that recovered: what it must be given next."""
        self.finished: dict[int, list[Item]] = defaultdict(list)
        self.lost: dict[int, set[int]] = defaultdict(set)
        self.sessions: list[Session] = []
        self.readers: list[Reader] = []
        self.owners: dict[tuple[int, int], int] = {}
        self.next_seq: dict[int, int] = {}
        self.first_seq = random.choice(FIRST_SEQS)
        self.next_gseq: dict[int, int] = defaultdict(int)
        self.busy_producers: dict[int, int] = {}
        self.next_tx = numbers
        self.first_producer = numbers // NUMBERS_OF_ONE * PRODUCERS_OF_ONE + 1
        self.with_priorities = random.random() < 0.4
        self.epsilon = random.choice((0, 0, 3))
        self.chance_of_doubt = random.choice((0.0, 0.0, 0.1))

    def maybe(self, probability: float) -> bool:
        """Whether something of that probability happens."""
        return self.random.random() < probability

    def tick(self, least: int = 0) -> int:
        """The time after a little while, often the same."""
        self.now += least + self.random.choice((0, 0, 1, 2, 5))
        return self.now

    def event(self, session: int, event: Event, arg: int = -1) -> None:
        """Something happens strictly after all that happened before."""
        self.events.append(Happening(session, self.tick(1), event, arg))
        if event in (Event.CONSUMER_OPEN, Event.CONSUMER_CLOSE):
            subs = {reader.sub for reader in self.readers if reader.number == arg}
        elif event in (Event.CLOSE, Event.KILLED):
            subs = {reader.sub for reader in self.readers if reader.session.number == session}
        elif event in (Event.FAULT_BEGIN, Event.FAULT_END):
            subs = set(self.subs)
        else:
            return
        self.owners = {at: owner for at, owner in self.owners.items() if at[0] not in subs}

    def build(self) -> None:
        """Subscriptions, sessions and consumers at the beginning."""
        for number in range(self.random.randint(1, 3)):
            self.subscribe(self.numbers + number)
        for number in range(self.random.randint(1, 3)):
            how = self.random.choice(list(Acknowledging))
            session = Session(self.numbers + number, how)
            self.sessions.append(session)
            self.start(session)
        for sub in list(self.subs):
            for _ in range(self.random.randint(1, 3)):
                self.open_reader(sub)
        for number, sub in enumerate(list(self.subs)):
            if self.subs[sub].max_deliveries >= 0:
                session = Session(self.numbers + 10 + number, Acknowledging.AUTO)
                self.sessions.append(session)
                self.start(session)
                self.open_reader(-1 - sub, session)

    def subscribe(self, number: int) -> None:
        """A new subscription."""
        chance = self.random
        first = number == self.numbers
        exclusive = chance.random() < 0.5
        grouped = chance.random() < 0.4
        orderings = (Ordering.NONE, Ordering.KEY) if grouped else list(Ordering)
        limit = chance.choice((-1, -1, 1, 2))
        dest = self.numbers + (0 if first else chance.randint(0, 1))
        self.subs[number] = SubscriptionRow(
            number,
            dest=dest,
            t_from=self.now if first else self.tick(1),
            durable=chance.random() < 0.5,
            shared=not exclusive,
            exclusive=exclusive,
            grouped=grouped,
            through=first and chance.random() < 0.3,
            ordering=chance.choice(orderings),
            bit=number - self.numbers + chance.choice((0, 5, 59)),
            max_deliveries=limit,
        )

    def start(self, session: Session) -> None:
        """Its connection starts."""
        self.event(session.number, Event.START)
        session.started = True

    def stop(self, session: Session) -> None:
        """Its connection stops."""
        self.event(session.number, Event.STOP)
        session.started = False

    def open_reader(self, sub: int, session: Session | None = None) -> None:
        """Another consumer, if the subscription may have it."""
        running = [one for one in self.sessions if one.open and one.number < self.numbers + 10]
        if session is None:
            if not running or len(self.readers) >= 12:
                return
            session = self.random.choice(running)
        at = self.subs.get(sub)
        if at and at.exclusive and any(one.open and one.sub == sub for one in self.readers):
            return
        if at and at.through and session.how != Acknowledging.TRANSACTED:
            session.how = Acknowledging.TRANSACTED if session.received == 0 else session.how
            if session.how != Acknowledging.TRANSACTED:
                return
        reader = Reader(self.numbers + len(self.readers), session, sub)
        self.readers.append(reader)
        self.event(session.number, Event.CONSUMER_OPEN, reader.number)
        self.event(session.number, Event.CONSUMER_OPEN, reader.number)
