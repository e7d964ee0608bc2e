"""A tiny provider that keeps every promise of docs/volume.md: legal histories, drawn at random.

A run sends, delivers, settles, recovers, rolls back, dead-letters, stops, crashes and is drained.
With `faults` the broker fails now and then, and then it may repeat what it likes: such a history
has findings that are shoulds, and no others. Without, it has none at all.

Random is anything like random.Random: a seeded one, or one whose choices Hypothesis makes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from random import Random

from jms_histories.checks.small_history import (
    NEVER,
    Consumer,
    Delivery,
    Happening,
    Send,
    SmallHistory,
    Subscription,
)
from jms_histories.values import Event, Fate, Fault, Mode, Ordering, Outcome, Settle, uid

MAXIMUM_MESSAGES = 40
NUMBERS_OF_ONE = 1_000
"""Apart from each other, so that histories share nothing."""
PRODUCERS_OF_ONE = 32
LAST_PRODUCER = (1 << 22) - 1
FIRST_SEQS = (0, 0, (1 << 16) - 4, (1 << 40) - 80)
"""At the beginning, across the border of two blocks of messages, near the end of all numbers."""
DOUBTFUL = (Outcome.FAIL, Outcome.INFO)


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

    send: Send
    deliveries: int = 0
    last_enter: int = -1
    first_after_recover: bool = False


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


class Run:
    """One run of the provider: call `history` once."""

    def __init__(self, random: Random, *, faults: bool, numbers: int) -> None:
        self.random = random
        self.faults = faults
        self.numbers = numbers
        self.now = random.choice((0, 1, 1_000_000_007))
        self.sends: list[Send] = []
        self.rows: list[Delivery] = []
        self.events: list[Happening] = []
        self.subs: dict[int, Subscription] = {}
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

    # --- chance and time

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

    # --- the world

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
        self.subs[number] = Subscription(
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

    def close_reader(self, reader: Reader) -> None:
        """A consumer goes; what it has not settled goes back, if no transaction has it."""
        reader.open = False
        self.event(reader.session.number, Event.CONSUMER_CLOSE, reader.number)
        self.event(reader.session.number, Event.CONSUMER_CLOSE, reader.number)
        session = reader.session
        if session.how != Acknowledging.TRANSACTED:
            mine = [held for held in session.held if self.rows[held[0]].consumer == reader.number]
            self.give_back(session, mine)
        self.waiting.pop(reader.number, None)

    def end_session(self, session: Session, how: Event) -> None:
        """It is closed or killed; what it has not settled goes back."""
        session.open = False
        self.event(session.number, how)
        for place in session.outputs:
            self.sends[place] = replace(self.sends[place], fate=Fate.NEVER, t_visible=-1)
        session.outputs = []
        for reader in self.readers:
            if reader.session is session:
                reader.open = False
                self.waiting.pop(reader.number, None)
        self.give_back(session, list(session.held))

    # --- sending

    def message(self, producer: int, dest: int) -> Send:
        """A message that is about to be sent, not yet with any outcome."""
        chance = self.random
        t_inv = self.tick()
        seq = self.next_seq.get(producer, self.first_seq)
        seq += (chance.random() < 0.1) * chance.randint(1, 3)
        self.next_seq[producer] = seq + 1
        own = self.numbers + (producer - self.first_producer) * 2
        key = chance.choice((-1, own, own + 1))
        self.next_gseq[key] += 1
        digest = chance.choice((-1, seq + 1000, seq + 2000))
        number = uid(producer, seq)
        return Send(
            number,
            dest=dest,
            key=key,
            gseq=self.next_gseq[key] if key >= 0 else -1,
            priority=chance.choice((4, 9, 0)) if self.with_priorities else 4,
            mode=Mode.NON_PERSISTENT if chance.random() < 0.2 else Mode.PERSISTENT,
            t_inv=t_inv,
            t_visible=t_inv,
            deliver_at=t_inv + chance.randint(1, 10) if chance.random() < 0.15 else -1,
            expire_at=t_inv + chance.randint(5, 30) if chance.random() < 0.1 else -1,
            body64=digest,
            head64=digest,
            mid64=chance.choice((-1, number ^ 0x5DEECE66D)),
            match=-1 if chance.random() < 0.7 else chance.getrandbits(62),
        )

    def send(self) -> None:
        """A producer sends, alone or in a transaction of its own."""
        last = self.first_producer + 1 if self.numbers else LAST_PRODUCER
        producer = self.random.choice((self.first_producer, self.first_producer + 1, last))
        if self.busy_producers.get(producer, 0) > self.now:
            self.now = self.busy_producers[producer]
        dest = self.numbers + self.random.randint(0, 1)
        if producer % 2 == 0:
            self.send_transaction(producer, dest)
            return
        message = self.message(producer, dest)
        arrived = self.tick()
        fate = self.random.choice((Fate.MUST,) * 8 + (Fate.MAYBE, Fate.NEVER))
        t_ok = self.now + self.random.choice((0, 0, 1, 6)) if fate == Fate.MUST else -1
        message = replace(message, fate=fate, t_ok=t_ok)
        self.busy_producers[producer] = max(arrived, t_ok)
        self.sends.append(message)
        if fate == Fate.MUST or (fate == Fate.MAYBE and self.maybe(0.5)):
            self.store(message)

    def send_transaction(self, producer: int, dest: int) -> None:
        """Some messages that are committed, rolled back, or perhaps committed."""
        tx, self.next_tx = self.next_tx, self.next_tx + 1
        messages = []
        for _ in range(self.random.randint(1, 3)):
            message = replace(self.message(producer, dest), tx=tx)
            messages.append(replace(message, t_ok=self.tick()))
        fate = self.random.choice((Fate.MUST,) * 4 + (Fate.MAYBE, Fate.NEVER))
        commit = -1 if fate == Fate.NEVER else self.tick()
        messages = [replace(message, fate=fate, t_visible=commit) for message in messages]
        self.sends += messages
        if fate == Fate.MUST or (fate == Fate.MAYBE and self.maybe(0.5)):
            for message in messages:
                self.store(message)

    def store(self, send: Send) -> None:
        """The broker has it: every subscription that wants it keeps it."""
        for sub, at in self.subs.items():
            if at.dest == send.dest and send.match >> at.bit & 1 and at.t_to == NEVER:
                self.queues[sub].append(Item(send))

    # --- delivering

    def candidates(self, reader: Reader) -> list[Item]:
        """What a consumer may be given now, in the order of the queue."""
        at = self.subs.get(reader.sub)
        queue = self.queues[reader.sub]
        blocked: set[int] = set()
        items = []
        for item in queue:
            send = item.send
            if item.last_enter >= self.now:
                continue
            if item.deliveries == 0 and send.deliver_at > self.now + self.epsilon:
                continue
            if send.expire_at != -1 and self.now > send.expire_at + self.epsilon:
                continue
            if at and at.grouped and send.key >= 0 and send.deliver_at == -1:
                owner = self.owners.get((at.sub, send.key), reader.number)
                if send.key in blocked or owner != reader.number:
                    continue
                if item.deliveries == 0:
                    blocked.add(send.key)
            items.append(item)
        return items

    def deliver(self, reader: Reader) -> bool:
        """Hands a message to a consumer, if there is one for it; whether there was."""
        session = reader.session
        if not (reader.open and session.open and session.started):
            return False
        self.now = max(self.now, session.busy_until)
        self.tick()
        items = self.candidates(reader)
        wanted = self.waiting.get(reader.number)
        if wanted is not None:
            items = [item for item in items if item is wanted]
        if not items:
            return False
        item = self.choose(reader, items)
        self.waiting.pop(reader.number, None)
        self.queues[reader.sub].remove(item)
        self.hand_over(reader, item)
        return True

    def choose(self, reader: Reader, items: list[Item]) -> Item:
        """The first, or what the order allows instead."""
        at = self.subs.get(reader.sub)
        free = at is None or (at.ordering == Ordering.NONE and not at.grouped)
        if free and self.maybe(0.3):
            return self.random.choice(items)
        fresh = items[0].deliveries == 0
        if self.with_priorities and fresh and at is not None and not at.grouped:
            return max(items, key=lambda item: item.send.priority)
        return items[0]

    def hand_over(self, reader: Reader, item: Item) -> None:
        """A delivery, and what its session does with it at once."""
        session, send = reader.session, item.send
        item.deliveries += 1
        item.last_enter = self.now
        if reader.sub in self.subs and self.subs[reader.sub].grouped and send.deliver_at == -1:
            self.owners.setdefault((reader.sub, send.key), reader.number)
        t_enter = self.now
        listener = session.number % 2 == 0
        t_exit = t_enter + (self.random.choice((0, 1, 3)) if listener else 0)
        session.busy_until = t_exit
        knows_count = reader.sub % 2 == 0
        unreadable = self.maybe(0.03)
        self.rows.append(
            Delivery(
                session.number,
                session.received,
                reader.number,
                reader.sub,
                send.uid,
                dest=send.dest,
                key=send.key,
                gseq=send.gseq,
                priority=send.priority,
                mode=send.mode,
                deliver_at=send.deliver_at,
                expire_at=send.expire_at,
                t_sent=send.t_inv,
                t_enter=t_enter,
                t_exit=t_exit,
                redelivered=item.deliveries > 1,
                count=item.deliveries if knows_count else -1,
                tx=session.tx if session.how == Acknowledging.TRANSACTED else -1,
                intact=0 if unreadable else 7,
                body64=-1 if unreadable else send.body64,
                head64=send.head64,
            )
        )
        session.received += 1
        session.held.append((len(self.rows) - 1, item))
        self.now = t_exit
        self.process(reader, item)

    def process(self, reader: Reader, item: Item) -> None:
        """What a session does when it has a message: through, and automatic acknowledgement."""
        session = reader.session
        if session.how == Acknowledging.TRANSACTED:
            if session.tx < 0:
                session.tx, self.next_tx = self.next_tx, self.next_tx + 1
                place = len(self.rows) - 1
                self.rows[place] = replace(self.rows[place], tx=session.tx)
            if reader.sub in self.subs and self.subs[reader.sub].through:
                self.output(session, item.send.uid)
        elif session.how in (Acknowledging.AUTO, Acknowledging.LAZY):
            lazy = session.how == Acknowledging.LAZY
            self.settle(session, [session.held[-1]], Settle.LAZY if lazy else Settle.ACK)

    def output(self, session: Session, cause: int) -> None:
        """The one message that the processing of another sends, in the session's transaction."""
        producer = self.first_producer + 2 + session.number - self.numbers
        message = self.message(producer, self.numbers + 1)
        self.sends.append(
            replace(
                message,
                tx=session.tx,
                t_ok=self.tick(),
                cause=cause,
                match=-1,
                mode=Mode.PERSISTENT,
                deliver_at=-1,
                expire_at=-1,
            )
        )
        session.outputs.append(len(self.sends) - 1)

    # --- settling

    def settle(self, session: Session, held: list[tuple[int, Item]], how: Settle) -> Outcome:
        """One call that settles some deliveries."""
        s_inv = self.tick()
        outcome = Outcome.OK
        if self.maybe(self.chance_of_doubt) and not session.number >= self.numbers + 10:
            outcome = self.random.choice(DOUBTFUL)
        s_ok = self.tick() if outcome == Outcome.OK else -1
        for place, _ in held:
            self.rows[place] = replace(
                self.rows[place], settle=how, s_out=outcome, s_inv=s_inv, s_ok=s_ok
            )
        session.held = [one for one in session.held if one not in held]
        session.busy_until = max(session.busy_until, self.now)
        accepted = how in (Settle.ACK, Settle.CLIENT_ACK, Settle.LAZY)
        if accepted and (outcome == Outcome.OK or (outcome == Outcome.INFO and self.maybe(0.5))):
            for place, item in held:
                self.finish(self.rows[place], item)
            return Outcome.OK
        self.give_back(session, held)
        return outcome

    def finish(self, row: Delivery, item: Item) -> None:
        """The broker knows that it is finished; what was lazy may come once more."""
        at = self.subs.get(row.sub)
        lazy = row.settle == Settle.LAZY and at is not None and at.max_deliveries < 0
        if lazy and self.maybe(0.1):
            self.queues[row.sub].insert(0, item)
        else:
            self.finished[row.sub].append(item)

    def give_back(self, session: Session, held: list[tuple[int, Item]]) -> None:
        """What was not finished waits again in its subscription, or becomes a dead letter."""
        session.held = [one for one in session.held if one not in held]
        for place, item in reversed(held):
            sub = self.rows[place].sub
            at = self.subs.get(sub)
            if at is not None and 0 <= at.max_deliveries <= item.deliveries:
                self.queues[-1 - sub].append(Item(item.send))
            else:
                self.queues[sub].insert(0, item)

    def acknowledge(self, session: Session) -> None:
        """The session settles what it holds as its mode has it."""
        if not session.held:
            return
        if session.how == Acknowledging.CLIENT:
            self.settle(session, list(session.held), Settle.CLIENT_ACK)
        elif session.how == Acknowledging.INDIVIDUAL:
            one = self.random.choice(session.held)
            self.settle(session, [one], self.random.choice((Settle.ACK, Settle.ACK, Settle.NACK)))
        elif session.how == Acknowledging.TRANSACTED:
            self.end_transaction(session, commit=self.maybe(0.7))

    def end_transaction(self, session: Session, *, commit: bool) -> None:
        """Commits or rolls back what a session received and sent."""
        called = self.now
        if not commit:
            self.settle(session, list(session.held), Settle.ROLLBACK)
        else:
            placed = [place for place, _ in session.held]
            took = self.settle(session, list(session.held), Settle.ACK) == Outcome.OK
            row = self.rows[placed[0]]
            called = row.s_inv
            fate = Fate.MUST if row.s_out == Outcome.OK else Fate.MAYBE
        for place in session.outputs:
            if not commit:
                self.sends[place] = replace(self.sends[place], fate=Fate.NEVER, t_visible=-1)
                continue
            self.sends[place] = replace(self.sends[place], fate=fate, t_visible=called)
            if took:
                self.store(self.sends[place])
        session.outputs = []
        session.tx = -1

    def recover(self, session: Session) -> None:
        """session.recover(): what it holds comes again, the oldest first."""
        if session.how in (Acknowledging.TRANSACTED, Acknowledging.AUTO, Acknowledging.LAZY):
            return
        self.event(session.number, Event.RECOVER)
        t = self.now
        held = list(session.held)
        for place, _ in held:
            self.rows[place] = replace(
                self.rows[place], settle=Settle.RECOVER, s_out=Outcome.OK, s_inv=t, s_ok=t
            )
        self.give_back(session, held)
        for place, item in reversed(held):
            row = self.rows[place]
            at = self.subs.get(row.sub)
            if at and at.exclusive and at.max_deliveries < 0 and item.send.expire_at == -1:
                self.waiting[row.consumer] = item
            else:
                self.waiting.pop(row.consumer, None)

    # --- faults

    def fault(self) -> None:
        """The broker fails for a while: non-persistent messages may be lost, others repeated."""
        kind = self.random.choice(list(Fault))
        self.event(-1, Event.FAULT_BEGIN, kind)
        for sub, queue in self.queues.items():
            if sub not in self.subs:
                continue
            kept = set(map(id, self.waiting.values()))
            self.queues[sub] = [
                item
                for item in queue
                if item.send.mode == Mode.PERSISTENT or id(item) in kept or self.maybe(0.5)
            ]
            left = {item.send.uid for item in self.queues[sub]}
            self.lost[sub] |= {item.send.uid for item in queue} - left
            often = 0.0 if self.subs[sub].through else 0.2
            repeated = [item for item in self.finished[sub] if self.maybe(often)]
            self.finished[sub] = [item for item in self.finished[sub] if item not in repeated]
            self.queues[sub] = repeated + self.queues[sub]
            for item in repeated:
                item.deliveries -= self.maybe(0.5)
        if self.maybe(0.8) and kind != Fault.LOST_RECORD:  # what is lost of a record stays so
            self.event(-1, Event.FAULT_END, kind)

    # --- all of it

    def step(self) -> None:
        """One thing happens."""
        chance = self.random.random()
        reader = self.random.choice(self.readers)
        session = reader.session
        if chance < 0.3 and len(self.sends) < MAXIMUM_MESSAGES - 4:
            self.send()
        elif chance < 0.7:
            self.deliver(reader)
        elif chance < 0.82:
            if session.open:
                self.acknowledge(session)
        elif chance < 0.88:
            if session.open:
                self.recover(session)
        elif chance < 0.91:
            if session.open:
                (self.stop if session.started else self.start)(session)
        elif chance < 0.93 and reader.sub >= 0:
            if reader.open:
                self.close_reader(reader)
            self.open_reader(reader.sub)
        elif chance < 0.94 and reader.sub >= 0:
            if session.open:
                self.end_session(session, self.random.choice((Event.CLOSE, Event.KILLED)))
        elif chance < 0.95:
            if self.subs.get(reader.sub, Subscription(-1, through=True)).t_to == NEVER:
                self.unsubscribe(reader.sub)
        elif chance < 0.97 and self.faults:
            self.fault()

    def unsubscribe(self, sub: int) -> None:
        """From now on it gets no new messages."""
        at = self.subs.get(sub)
        if at is not None and at.dest == self.numbers:
            self.subs[sub] = replace(at, t_to=self.tick(1))
            self.tick(1)

    def drain(self) -> None:
        """Everything is received and acknowledged, as far as there are sessions."""
        self.chance_of_doubt = 0.0
        for session in self.sessions:
            if session.open and not session.started:
                self.start(session)
        for sub in list(self.subs):
            if not any(reader.open and reader.sub == sub for reader in self.readers):
                self.open_reader(sub)
        idle = 0
        while idle < 2:
            idle += 1
            for reader in self.readers:
                while self.deliver(reader):
                    idle = 0
                session = reader.session
                while session.open and session.held:
                    idle = 0
                    if session.how == Acknowledging.TRANSACTED:
                        self.end_transaction(session, commit=True)
                    else:
                        how = session.how == Acknowledging.CLIENT
                        self.settle(
                            session, list(session.held), Settle.CLIENT_ACK if how else Settle.ACK
                        )
            self.tick(11)

    def history(self, steps: int) -> SmallHistory:
        """All that was recorded."""
        self.build()
        for _ in range(steps):
            if self.readers:
                self.step()
        if self.maybe(0.85):
            self.drain()
        for session in self.sessions:
            if session.open and self.maybe(0.5):
                self.end_session(session, Event.CLOSE)
            for place in session.outputs:
                self.sends[place] = replace(self.sends[place], fate=Fate.MAYBE, t_visible=self.now)
        self.tick(1)
        return SmallHistory(
            tuple(self.sends),
            tuple(self.rows),
            tuple(self.drained(at) for at in self.subs.values()),
            tuple(self.events),
            tuple(Consumer(one.number, one.session.number, one.sub) for one in self.readers),
            epsilon=self.epsilon,
            priority_slack=1 << 40 if self.with_priorities else 0,
        )

    def drained(self, at: Subscription) -> Subscription:
        """The subscription with the time until which all it got is settled for sure."""
        done = {(row.uid, row.sub) for row in self.rows if row.done}
        copied = {row.uid for row in self.rows if row.sub == -1 - at.sub}
        lost_outputs = {send.uid for send in self.sends if send.cause >= 0} - {
            row.uid for row in self.rows if row.sub >= 0
        }
        stored = {item.send.uid for item in self.queues[at.sub]} | self.lost[at.sub]
        stored |= {row.uid for row in self.rows if row.sub == at.sub}
        open_since = [
            send.t_inv
            for send in self.sends
            if send.dest == at.dest
            and send.match >> at.bit & 1
            and send.fate != Fate.NEVER
            and send.t_inv < at.t_to
            and (send.uid, at.sub) not in done
            and send.uid not in copied
            and send.expire_at == -1
            and (send.fate == Fate.MUST or send.uid in stored)
        ]
        until = min([self.now, at.t_to, *(t - 1 for t in open_since)])
        if lost_outputs or until < 0:
            until = -1
        dead = [item.send.uid for item in self.queues[-1 - at.sub]]
        dlq = self.now if at.max_deliveries >= 0 and not dead else -1
        return replace(at, t_drained=until, t_dlq_drained=dlq)


def legal(
    random: Random, *, faults: bool = False, numbers: int = 0, steps: int = 60
) -> SmallHistory:
    """A history without findings, or with `faults` with none but shoulds.

    numbers is the least number of subscriptions, sessions, consumers, destinations and
    transactions: histories with numbers NUMBERS_OF_ONE apart share nothing, not even messages.
    """
    return Run(random, faults=faults, numbers=numbers).history(random.randint(0, steps))
