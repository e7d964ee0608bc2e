"""All cases of a program at work side by side, and what was seen of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.polling import until
from jms_brokers.machine.slack import watch_machine
from jms_model.answers import Raised
from jms_model.redelivery_limits.cases import Case
from jms_model.redelivery_limits.seen import CaseObservation
from jms_model.redelivery_limits.settings import DEFAULT_LETTERS
from jmsapi import SessionMode
from touchstone.drawn.driving import Asks, answer_of
from touchstone.drawn.redelivery_limits.application import Application, Opening, body_of
from touchstone.drawn.redelivery_limits.looking import (
    MARK,
    NAMELESS,
    AdministratorView,
    ProgramBroker,
    WireView,
)
from touchstone.drawn.redelivery_limits.program import Program, destination

EMULATION: Final = {"jms.enableClientSideEmulation": True}
"""Selectors on shared subscriptions are the client's."""
_EMPTY_WITHIN: Final = 3.0
"""Seconds in which a backlog ends."""
_READ_WITHIN: Final = 3000
"""Milliseconds in which a dead letter has to come to a consumer."""


@dataclass
class RedeliveryClient:
    """The client under test, and the broker behind it."""

    factory: Callable[[Mapping[str, Any]], Any]
    """By settings."""
    admin: AdministratorView
    wire: WireView
    namespace: str
    individual: int
    name: Callable[[str], str]


class Running:
    """One program."""

    def __init__(self, client: RedeliveryClient, program: Program, begins: Asks) -> None:
        self._client = client
        self._program = program
        self._begins = begins
        self._prefix = client.name("p")
        self._broker = ProgramBroker(
            client.admin,
            client.wire,
            client.namespace,
            self._prefix,
            [destination(at) for at, _ in program.cases],
        )
        self._applications: list[Application] = []
        self._opened: list[Any] = []

    def seen(self) -> Sequence[tuple[int, Case, CaseObservation]]:
        """What was seen of each case."""
        with watch_machine() as watch:
            plain = self._connect(self._client.factory(EMULATION))
            self._open(plain)
            self._in_all(Application.send)
            with self._broker.looked_at():
                self._run()
            self._look_at_the_end()
            self._read(plain.create_session(False, SessionMode.AUTO_ACKNOWLEDGE))
        for each in self._applications:
            each.seen.slack = watch.slack.seconds
        return [(each.at, each.case, each.seen) for each in self._applications]

    def close(self) -> None:
        """Close what is still open."""
        for each in (*self._applications, *self._opened):
            with suppress(Exception):
                each.close()

    def _connect(self, factory: Any) -> Any:
        connection = factory.create_connection()
        self._opened.append(connection)
        connection.start()
        return connection

    def _open(self, plain: Any) -> None:
        factories: dict[int, Any] = {}
        for at, case in self._program.cases:
            self._begins(case)
            settings = self._program.settings(case)
            if case.factory not in factories:
                named = {DEFAULT_LETTERS: ""}
                if settings.policy is not None:
                    letters = settings.policy.letters
                    named[letters] = self._broker.full_name(letters)
                config = settings.given(named)
                factories[case.factory] = self._client.factory(
                    {**EMULATION, "consumerConfig": config}
                )
            opening = Opening(
                factories[case.factory],
                plain.create_session(False, SessionMode.AUTO_ACKNOWLEDGE),
                self._client.individual,
                f"{self._prefix}c{at}",
            )
            self._applications.append(Application(at, case, settings, opening, self._broker))
        self._in_all(Application.open)

    def _in_all(self, call: Callable[[Application], None]) -> None:
        for each in self._applications:
            _call_and_note_failure(call, each)

    def _run(self) -> None:
        if len(self._applications) == 1:
            self._in_all(Application.run)
            return
        with ThreadPoolExecutor(max(1, len(self._applications))) as threads:
            for done in [
                threads.submit(_call_and_note_failure, Application.run, each)
                for each in self._applications
            ]:
                done.result()

    def _look_at_the_end(self) -> None:
        letters = self._broker.letters()
        subscriptions = {name: self._broker.subscriptions(name) for name in letters}
        nameless = frozenset(name for name, numbered in letters.items() if NAMELESS in numbered)
        for each in self._applications:
            seen = each.seen
            seen.nameless = nameless
            for topic, numbered in letters.items():
                for case, number in numbered:
                    if case == each.at:
                        seen.letters.setdefault(number, []).append(topic)
            seen.subscriptions = dict(subscriptions)
            if each.case.filtered or seen.letters:
                seen.backlog = self._backlog(destination(each.at))

    def _backlog(self, name: str) -> int:
        """What is left in the end."""
        try:
            until(lambda: not self._broker.backlog(name), _EMPTY_WITHIN)
        except NotAsExpected:
            return self._broker.backlog(name)
        return 0

    def _read(self, session: Any) -> None:
        """Receive the dead letters by JMS."""
        by_number = {each.at: each for each in self._applications}
        for topic, letters in self._broker.letters().items():
            consumer = answer_of(
                partial(
                    session.create_consumer, session.create_queue(self._broker.full_name(topic))
                )
            )
            if isinstance(consumer, Raised):
                continue
            with closing(consumer.value):  # type: ignore[type-var]
                for _ in letters:
                    answer = answer_of(partial(self._receive, consumer.value, by_number))
                    if isinstance(answer, Raised) or answer.value is None:
                        break

    @staticmethod
    def _receive(consumer: Any, applications: Mapping[int, Application]) -> object:
        message = consumer.receive(_READ_WITHIN)
        if message is None:
            return None
        case, _, number = (message.get_string_property(MARK) or "").partition(".")
        if case.isdecimal() and int(case) in applications:
            application = applications[int(case)]
            names = application.sent(int(number)).properties
            application.seen.read[int(number)] = body_of(message, names)
        return message


def _call_and_note_failure(call: Callable[[Application], None], application: Application) -> None:
    """Go on with a case, unless the client has failed in it; note if it does."""
    if application.seen.failure is None:
        answer = answer_of(partial(call, application))
        if isinstance(answer, Raised):
            application.seen.failure = answer.error
