"""A run of the tiny provider, from its beginning until it is drained, and what was recorded."""

from __future__ import annotations

from dataclasses import replace

from jms_histories.checks.small_history import NEVER, ConsumerRow, SmallHistory, SubscriptionRow
from jms_histories.values import Event, FaultKind, Mode, SendFate, Settle
from tiny_provider.delivering import Delivering
from tiny_provider.world import MAXIMUM_MESSAGES, Acknowledging


class Run(Delivering):
    """One run of the provider: call `history` once."""

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
                self.sends[place] = replace(
                    self.sends[place], fate=SendFate.MAYBE, t_visible=self.now
                )
        self.tick(1)
        return SmallHistory(
            tuple(self.sends),
            tuple(self.rows),
            tuple(self.drained(at) for at in self.subs.values()),
            tuple(self.events),
            tuple(ConsumerRow(one.number, one.session.number, one.sub) for one in self.readers),
            epsilon=self.epsilon,
            priority_slack=1 << 40 if self.with_priorities else 0,
        )

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
            if self.subs.get(reader.sub, SubscriptionRow(-1, through=True)).t_to == NEVER:
                self.unsubscribe(reader.sub)
        elif chance < 0.97 and self.faults:
            self.fault()

    def unsubscribe(self, sub: int) -> None:
        """From now on it gets no new messages."""
        at = self.subs.get(sub)
        if at is not None and at.dest == self.numbers:
            self.subs[sub] = replace(at, t_to=self.tick(1))
            self.tick(1)

    def fault(self) -> None:
        """The broker fails for a while: non-persistent messages may be lost, others repeated."""
        kind = self.random.choice(list(FaultKind))
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
        if self.maybe(0.8) and kind != FaultKind.LOST_RECORD:  # what is lost of a record stays so
            self.event(-1, Event.FAULT_END, kind)

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

    def drained(self, at: SubscriptionRow) -> SubscriptionRow:
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
            and send.fate != SendFate.NEVER
            and send.t_inv < at.t_to
            and (send.uid, at.sub) not in done
            and send.uid not in copied
            and send.expire_at == -1
            and (send.fate == SendFate.MUST or send.uid in stored)
        ]
        until = min([self.now, at.t_to, *(t - 1 for t in open_since)])
        if lost_outputs or until < 0:
            until = -1
        dead = [item.send.uid for item in self.queues[-1 - at.sub]]
        dlq = self.now if at.max_deliveries >= 0 and not dead else -1
        return replace(at, t_drained=until, t_dlq_drained=dlq)
