"""How the tiny provider's producers send, and what its broker keeps of it."""

from __future__ import annotations

from dataclasses import replace

from jms_histories.checks.small_history import NEVER, SendRow
from jms_histories.values import Mode, SendFate, uid
from tiny_provider.world import LAST_PRODUCER, Item, World


class Sending(World):
    """A world in which messages are sent."""

    def message(self, producer: int, dest: int) -> SendRow:
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
        return SendRow(
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
        fate = self.random.choice((SendFate.MUST,) * 8 + (SendFate.MAYBE, SendFate.NEVER))
        t_ok = self.now + self.random.choice((0, 0, 1, 6)) if fate == SendFate.MUST else -1
        message = replace(message, fate=fate, t_ok=t_ok)
        self.busy_producers[producer] = max(arrived, t_ok)
        self.sends.append(message)
        if fate == SendFate.MUST or (fate == SendFate.MAYBE and self.maybe(0.5)):
            self.store(message)

    def send_transaction(self, producer: int, dest: int) -> None:
        """Some messages that are committed, rolled back, or perhaps committed."""
        tx, self.next_tx = self.next_tx, self.next_tx + 1
        messages = []
        for _ in range(self.random.randint(1, 3)):
            message = replace(self.message(producer, dest), tx=tx)
            messages.append(replace(message, t_ok=self.tick()))
        fate = self.random.choice((SendFate.MUST,) * 4 + (SendFate.MAYBE, SendFate.NEVER))
        commit = -1 if fate == SendFate.NEVER else self.tick()
        messages = [replace(message, fate=fate, t_visible=commit) for message in messages]
        self.sends += messages
        if fate == SendFate.MUST or (fate == SendFate.MAYBE and self.maybe(0.5)):
            for message in messages:
                self.store(message)

    def store(self, send: SendRow) -> None:
        """The broker has it: every subscription that wants it keeps it."""
        for sub, at in self.subs.items():
            if at.dest == send.dest and send.match >> at.bit & 1 and at.t_to == NEVER:
                self.queues[sub].append(Item(send))
