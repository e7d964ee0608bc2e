"""How the tiny provider gives messages to consumers, and what these do with them at once."""

from __future__ import annotations

from dataclasses import replace

from jms_histories.checks.small_history import DeliveryRow
from jms_histories.values import Mode, Ordering, Settle
from tiny_provider.settling import Settling
from tiny_provider.world import Acknowledging, Item, Reader, Session


class Delivering(Settling):
    """One in which consumers are given messages."""

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
            DeliveryRow(
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
