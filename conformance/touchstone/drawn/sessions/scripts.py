"""Calls that only together show something, on one open consumer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jms_model.delivery.provider import QUEUE, TOPIC
from jmsapi import SessionMode
from touchstone.drawn.sessions.program import APART, Step


@dataclass(frozen=True, slots=True)
class Names:
    """What the calls are about, by name, and what they may call what they make."""

    connection: str
    session: str
    consumer: str
    made_by: Step
    """The call that made the consumer."""
    mode: int
    simplified: bool
    first: int
    """The number from which on names are free."""

    def new(self, letter: str) -> Iterator[str]:
        """Free names."""
        return (f"{letter}{number}" for number in itertools.count(self.first))


def scripts(of: Names, gives_back: str, settles: str) -> Sequence[Sequence[Step]]:
    """All of them; by `gives_back` and `settles` the session gives back and settles what it got."""
    messages, others, sessions = of.new("m"), of.new("k"), of.new("s")
    connection, session, consumer = of.connection, of.session, of.consumer
    back, settle = Step(session, gives_back), Step(session, settles)

    def gets(by: str = consumer) -> tuple[Step, Step]:
        name = next(messages)
        return Step(by, "receive", (), name), Step(name, "delivery")

    def again(by: str = session) -> tuple[Step, str]:
        name = next(others)
        return Step(by, of.made_by.method, of.made_by.args, name), name

    plain = next(sessions)
    opens = Step(connection, "create_session", (SessionMode.AUTO_ACKNOWLEDGE.value,), plain)
    sends = [
        Step(plain, "send", (of.made_by.args[0], str(number), 1, "producer")) for number in range(3)
    ]
    first, second = gets()[0], gets()[0]
    other, other_name = again()
    new_session = next(sessions)
    later, later_name = again(new_session)
    starts = Step(connection, "create_session", (of.mode,), new_session)
    closes, ends = Step(consumer, "close"), Step(session, "close")
    stops, starts_again = Step(connection, "stop"), Step(connection, "start")
    waits = Step(consumer, "receive", (), next(messages))
    misfits = Step(consumer, "receive_body_as_map")
    settles_one = Step(first.makes, "acknowledge")
    scripted = [
        [opens, *sends, *gets(), *gets(), *gets()],
        [first, back, *gets(), Step(first.makes, "text")],
        [first, Step(first.makes, "change"), back, second, Step(second.makes, "text")],
        [first, second, back, *gets(), back, *gets(), back, *gets()],
        [first, second, settle, back, *gets()],
        [first, second, settles_one, back, *gets()],
        [first, closes, settles_one, settle, other, *gets(other_name)],
        [first, closes, back, other, *gets(other_name)],
        [first, closes, other, opens, sends[0], *gets(other_name), settle, back],
        [closes, other, *gets(other_name)],
        [first, starts, ends, settles_one, later, *gets(later_name)],
        [stops, waits, starts_again, *gets()],
        [stops, stops, opens, sends[0], starts_again, *gets()],
        [first, Step(connection, "close"), settles_one],
        [closes, waits, closes],
    ]  # fmt: skip
    if of.simplified:
        scripted += [
            [misfits, *gets(), back, *gets()],
            [opens, *sends, misfits, *gets(), back, *gets()],
            [misfits, settle, *gets()],
            [opens, sends[0], misfits, *gets(), settle, back, *gets()],
        ]
    if of.made_by.method.endswith("_no_local"):
        apart = Step(APART, "send", (of.made_by.args[0], "apart", 1, "producer"))
        scripted += [
            [opens, sends[0], apart, sends[1], apart, *gets(), *gets()],
            [opens, sends[0], apart, *gets(), back, *gets()],
            [closes, opens, sends[0], apart, other, sends[1], apart, *gets(other_name)],
        ]
    if of.made_by.method.startswith("create_durable_consumer"):
        name = of.made_by.args[1]
        unsubscribe = Step(session, "unsubscribe", (name,))
        scripted += [
            [unsubscribe, closes, opens, *sends, unsubscribe, other, sends[0], *gets(other_name)],
            [opens, sends[0], first, closes, unsubscribe, settle, unsubscribe],
            [opens, sends[0], first, closes, unsubscribe, back, unsubscribe],
            [closes, opens, *sends, other, *gets(other_name)],
        ]
    return scripted


def listener_scripts(of: Names, gives_back: str, settles: str) -> Sequence[Sequence[Step]]:
    """The same on a session that belongs to its listeners, and one of their consumers."""
    messages, others, sessions = of.new("m"), of.new("k"), of.new("s")
    session, consumer = of.session, of.consumer
    back, settle = Step(session, gives_back), Step(session, settles)

    def hears() -> tuple[Step, Step]:
        name = next(messages)
        return Step(session, "hear", (), name), Step(name, "delivery")

    def ends(heard: Step) -> Step:
        return Step(heard.makes, "returns")

    def hears_all(count: int) -> Iterator[Step]:
        for _ in range(count):
            heard = hears()
            yield from (*heard, ends(heard[0]))

    first, second = hears()[0], hears()[0]
    throws, throws_second = Step(first.makes, "throws"), Step(second.makes, "throws")
    settles_one = Step(first.makes, "acknowledge")
    plain, other = next(sessions), next(others)
    opens = Step(of.connection, "create_session", (SessionMode.AUTO_ACKNOWLEDGE.value,), plain)
    destination = of.made_by.args[0]
    sends = [Step(plain, "send", (destination, str(number), 1, "producer")) for number in range(3)]
    sends_itself = Step(session, "send", (destination, "text", 1, "producer"))
    closes = Step(consumer, "close")
    gets = next(messages)
    gets_by_another = (
        Step(plain, of.made_by.method, of.made_by.args, other),
        Step(other, "receive", (), gets),
        Step(gets, "delivery"),
    )
    more, elsewhere = next(others), f"{TOPIC if destination.startswith(QUEUE) else QUEUE}0"
    hears_more = Step(session, "create_consumer", (elsewhere, None), more)
    listens, sends_more = Step(more, "listen"), Step(plain, "send", (elsewhere, "0", 1, "producer"))
    stops, starts = Step(of.connection, "stop"), Step(of.connection, "start")
    return [
        [opens, *sends, *hears_all(4)],
        [first, throws, *hears_all(2)],
        [first, throws, second, throws_second, ends(second), *hears_all(2)],
        [first, back, ends(first), *hears_all(2)],
        [first, ends(first), second, back, ends(second), *hears_all(3)],
        [first, ends(first), second, back, throws_second, *hears_all(3)],
        [first, settle, throws, *hears_all(2)],
        [first, settles_one, back, ends(first), *hears_all(2)],
        [first, ends(first), second, settles_one, back, ends(second), *hears_all(2)],
        [first, back, settles_one, ends(first), *hears_all(2)],
        [first, Step(first.makes, "change"), back, ends(first), second, Step(second.makes, "text")],
        [first, Step(first.makes, "change"), throws, second, Step(second.makes, "text")],
        [first, sends_itself, ends(first), *hears_all(2)],
        [first, sends_itself, back, ends(first), *hears_all(2)],
        [opens, first, closes, ends(first), *gets_by_another],
        [opens, first, closes, settle, ends(first), *gets_by_another],
        [opens, *sends, *hears_all(5), settle, stops, sends[0], starts, *hears_all(2)],
        [*hears_all(5), stops, hears_more, listens, opens, sends_more, starts, *hears_all(2)],
        [*hears_all(5), Step(session, "close"), Step(session, "close")],
    ]
