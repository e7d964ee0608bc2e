"""How the tiny provider's sessions settle, recover and end, and what goes back."""

from __future__ import annotations

from dataclasses import replace

from jms_histories.checks.small_history import DeliveryRow
from jms_histories.values import Event, SendFate, Settle, SettlementOutcome
from tiny_provider.sending import Sending
from tiny_provider.world import DOUBTFUL, Acknowledging, Item, Reader, Session


class Settling(Sending):
    """One in which sessions settle what they hold, or leave it behind."""

    def settle(
        self, session: Session, held: list[tuple[int, Item]], how: Settle
    ) -> SettlementOutcome:
        """One call that settles some deliveries."""
        s_inv = self.tick()
        outcome = SettlementOutcome.OK
        if self.maybe(self.chance_of_doubt) and not session.number >= self.numbers + 10:
            outcome = self.random.choice(DOUBTFUL)
        s_ok = self.tick() if outcome == SettlementOutcome.OK else -1
        for place, _ in held:
            self.rows[place] = replace(
                self.rows[place], settle=how, s_out=outcome, s_inv=s_inv, s_ok=s_ok
            )
        session.held = [one for one in session.held if one not in held]
        session.busy_until = max(session.busy_until, self.now)
        accepted = how in (Settle.ACK, Settle.CLIENT_ACK, Settle.LAZY)
        if accepted and (
            outcome == SettlementOutcome.OK
            or (outcome == SettlementOutcome.INFO and self.maybe(0.5))
        ):
            for place, item in held:
                self.finish(self.rows[place], item)
            return SettlementOutcome.OK
        self.give_back(session, held)
        return outcome

    def finish(self, row: DeliveryRow, item: Item) -> None:
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
            took = self.settle(session, list(session.held), Settle.ACK) == SettlementOutcome.OK
            row = self.rows[placed[0]]
            called = row.s_inv
            fate = SendFate.MUST if row.s_out == SettlementOutcome.OK else SendFate.MAYBE
        for place in session.outputs:
            if not commit:
                self.sends[place] = replace(self.sends[place], fate=SendFate.NEVER, t_visible=-1)
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
                self.rows[place], settle=Settle.RECOVER, s_out=SettlementOutcome.OK, s_inv=t, s_ok=t
            )
        self.give_back(session, held)
        for place, item in reversed(held):
            row = self.rows[place]
            at = self.subs.get(row.sub)
            if at and at.exclusive and at.max_deliveries < 0 and item.send.expire_at == -1:
                self.waiting[row.consumer] = item
            else:
                self.waiting.pop(row.consumer, None)

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
            self.sends[place] = replace(self.sends[place], fate=SendFate.NEVER, t_visible=-1)
        session.outputs = []
        for reader in self.readers:
            if reader.session is session:
                reader.open = False
                self.waiting.pop(reader.number, None)
        self.give_back(session, list(session.held))
