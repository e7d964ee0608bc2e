"""A client and its broker in memory, which redeliver and set aside by a clock of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jms_model.redelivery_limits.cases import RECOVER, TIME_OUT, Case
from jms_model.redelivery_limits.seen import (
    Body,
    CaseObservation,
    ObservedSubscription,
    ReceivedDelivery,
)
from jms_model.redelivery_limits.settings import DEFAULT_LETTERS, Backoff, ConsumerSettings
from touchstone.drawn.driving import Asks
from touchstone.drawn.redelivery_limits.program import Program, default_letters

HANDOVER = 0.01
"""Seconds between the request of a redelivery and the message."""


class LimitsClient:
    """A right client; wrong ones do one thing otherwise."""

    def seconds(self, settings: ConsumerSettings, backoff: Backoff, times: int) -> float:
        """How long a redelivery waits by a back-off, behind so many others."""
        return backoff.seconds(times)

    def nack_wait(self, settings: ConsumerSettings, times: int) -> float:
        """How long a redelivery waits behind a negative acknowledgement."""
        return self.seconds(settings, settings.nack, times)

    def time_out_wait(self, settings: ConsumerSettings, times: int) -> float:
        """How long it waits when a message was not acknowledged."""
        backoff = settings.timeout_backoff
        return settings.timeout / 1000 + (self.seconds(settings, backoff, times) if backoff else 0)

    def comes_again(self, case: Case, settings: ConsumerSettings) -> bool:
        """Whether a message that failed is ever tried again."""
        return True

    def sets_aside(self, case: Case, settings: ConsumerSettings, times: int) -> bool:
        """Whether a message that failed so often goes to the dead letter topic."""
        policy = settings.policy
        return policy is not None and case.shared and times > policy.limit

    def count(self, times: int) -> int:
        """The JMSXDeliveryCount of a delivery."""
        return times

    def letters(self, program: Program, at: int, case: Case) -> Sequence[str]:
        """Where the dead letters of a case go."""
        policy = program.settings(case).policy
        named = policy is not None and policy.letters != DEFAULT_LETTERS
        return [policy.letters if policy and named else default_letters(at, case)]

    def nameless(self, program: Program, at: int, case: Case) -> Sequence[str]:
        """The dead letter topics with messages that have lost all properties."""
        return []

    def letter(self, body: Body) -> Body | None:
        """A dead letter as it is read; None: it cannot be."""
        return body

    def subscription(
        self, settings: ConsumerSettings, count: int
    ) -> Mapping[str, ObservedSubscription]:
        """The subscriptions of a dead letter topic with so many messages."""
        name = settings.policy.subscription if settings.policy else ""
        return {name: ObservedSubscription(durable=True, backlog=count)} if name else {}

    def halts(self) -> bool:
        """Whether recover() halts the delivery of what follows."""
        return True

    def acknowledged(self, case: Case, settings: ConsumerSettings, number: int) -> Sequence[str]:
        """Where a message is set aside though it was acknowledged."""
        return []

    def set_aside(self, case: Case, seen: CaseObservation, number: int, now: float) -> None:
        """What is done besides when a message is set aside."""

    def rejected(self, case: Case) -> bool:
        """Whether what a selector or noLocal rejects is given back, or dropped where it has to."""
        return True

    def first_count(self, case: Case) -> int:
        """The count with which another consumer gets what was rejected."""
        return 2

    def goes_on(self, case: Case, seen: CaseObservation) -> bool:
        """Whether what is sent in the end comes."""
        return True


class InMemory:
    """One program on such a client."""

    def __init__(self, client: LimitsClient, program: Program, begins: Asks) -> None:
        self._client = client
        self._program = program

    def close(self) -> None:
        """Nothing is open."""

    def seen(self) -> Sequence[tuple[int, Case, CaseObservation]]:
        """What is seen of each case."""
        every = [(at, case, self._of(at, case)) for at, case in self._program.cases]
        for _, case, seen in every:
            for topic in {topic for topics in seen.letters.values() for topic in topics}:
                count = sum(topics.count(topic) for topics in seen.letters.values())
                settings = self._program.settings(case)
                seen.subscriptions[topic] = self._client.subscription(settings, count)
        return every

    def _of(self, at: int, case: Case) -> CaseObservation:
        seen, settings = CaseObservation(), self._program.settings(case)
        seen.nameless = frozenset(self._client.nameless(self._program, at, case))
        now = 0.0
        for number, sent in enumerate(case.messages):
            if sent.rejected:
                self._reject(at, case, seen, number)
                continue
            begins = now if case.way == RECOVER else 0.0
            now = self._deliver(at, case, settings, seen, number, begins)
        halting = case.way == RECOVER and self._client.halts()
        seen.deliveries.sort(key=lambda each: 0 if halting else each.came)
        if case.way == RECOVER and not halting:
            first = [each for each in seen.deliveries if each.count == 1]
            seen.deliveries = first + [each for each in seen.deliveries if each.count != 1]
        seen.went_on = self._client.goes_on(case, seen)
        return seen

    def _deliver(
        self,
        at: int,
        case: Case,
        settings: ConsumerSettings,
        seen: CaseObservation,
        number: int,
        now: float,
    ) -> float:
        sent, client = case.messages[number], self._client
        body = Body(sent.kind, sent.content, sent.properties)
        timed = case.way == TIME_OUT
        for times in range(1, sent.fails + 2):
            count = client.count(times)
            seen.deliveries.append(ReceivedDelivery(number, count, times > 1, body, now, now, now))
            if times > sent.fails:
                letters = client.acknowledged(case, settings, number)
                if letters:
                    seen.letters[number] = [*letters]
                break
            wait = client.time_out_wait if timed else client.nack_wait
            if client.sets_aside(case, settings, times):
                self._set_aside(at, case, seen, number)
                client.set_aside(case, seen, number, now)
                break
            if not client.comes_again(case, settings):
                break
            now += wait(settings, times - 1 if case.shared else 0) + HANDOVER
        return now

    def _set_aside(self, at: int, case: Case, seen: CaseObservation, number: int) -> None:
        sent, client = case.messages[number], self._client
        topics = client.letters(self._program, at, case)
        if not topics:
            return
        seen.letters[number] = [*topics]
        read = client.letter(Body(sent.kind, sent.content, sent.properties))
        if read is not None:
            seen.read[number] = read

    def _reject(self, at: int, case: Case, seen: CaseObservation, number: int) -> None:
        client, sent = self._client, case.messages[number]
        gives_back = client.rejected(case)
        if not case.shared:
            seen.backlog += not gives_back
        elif case.taker and gives_back:
            body = Body(sent.kind, sent.content, sent.properties)
            count = client.first_count(case)
            seen.taken.append(ReceivedDelivery(number, count, count > 1, body, 0.0, 0.0))
        elif not case.taker and gives_back:
            self._set_aside(at, case, seen, number)


def renamed(body: Body, **changed: object) -> Body:
    """A body of which something is another."""
    return replace(body, **changed)  # type: ignore[arg-type]
