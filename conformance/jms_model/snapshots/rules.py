"""The rule of each call: limits of factories, and browsers that take snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, Permitted, gives, gives_what, raises, succeeds
from jms_model.delivery.choosing import kind_of
from jms_model.snapshots import causes
from jms_model.snapshots.things import (
    TOPIC,
    Browser,
    Connection,
    Factory,
    Message,
    Session,
    Snapshot,
    SnapshotState,
    World,
    choose,
    messages_within,
)
from jmsapi.errors import JMSException, JMSRuntimeException

PROGRAM: Final = "program"
"""The one object that is there before the program: it makes factories, sends and consumes."""
PAST: Final = "NoSuchElementException"
"""What an enumeration gives behind its end."""
LATE: Final = "late"
"""What an enumeration is that was ready only when something may have expired."""
_REFUSALS: Final = (JMSException, JMSRuntimeException)


# -- factories and connections ---------------------------------------------------------------------


def factory(world: World, makes: str) -> Expectation:
    """A new factory."""
    return Expectation([succeeds(partial(world.objects.__setitem__, makes, Factory()))], [])


def change(_: World, of: Factory, limit: int) -> Expectation:
    """setQueueBrowserReadMax."""

    def set_() -> None:
        of.limit, of.is_set, of.made = limit, True, 0

    return Expectation([succeeds(set_)], ["RMQ-CFG-002"])


def limit(_: World, of: Factory) -> Expectation:
    """getQueueBrowserReadMax: a negative one, which is none, may be given as another number."""
    situation = "that was set" if of.is_set else "of a new factory"
    ids = ["RMQ-CFG-002" if of.is_set else "RMQ-CFG-010"]
    way = gives(of.limit) if of.limit >= 0 else gives_what("none", _is_none)
    return Expectation([way], ids, situation, name=lambda _: "gave another limit")


def _is_none(limit: object) -> bool:
    return isinstance(limit, int) and limit <= 0


def create_connection(world: World, of: Factory, makes: str) -> Expectation:
    """A connection, with the limit that the factory has now."""

    def make() -> None:
        world.objects[makes] = Connection(of, of.limit, of.is_set, of.made)
        of.made += 1

    return Expectation([succeeds(make)], [])


def create_session(world: World, connection: Connection, makes: str) -> Expectation | None:
    """A session, or a context."""
    if connection.is_closed:
        return None
    made = Session(connection)
    return Expectation([succeeds(partial(world.objects.__setitem__, makes, made))], [])


def close_connection(world: World, connection: Connection) -> Expectation | None:
    """With its sessions, of which none holds anything."""
    held = (each for queue in world.queues.values() for each in queue.held)
    if connection.is_closed or any(each.holder is connection for each in held):
        return None

    def end() -> None:
        connection.is_closed = True
        for each in world.of_kind(Session).values():
            if each.connection is connection and not each.closed_by:
                each.closed_by = "connection"

    return Expectation([succeeds(end)], [])


def close_session(_: World, session: Session) -> Expectation | None:
    """By itself."""
    if session.closed_by:
        return None
    return Expectation([succeeds(partial(setattr, session, "closed_by", "session"))], [])


# -- what a queue has ------------------------------------------------------------------------------


def send(world: World, name: str, kinds: Sequence[int]) -> Expectation:
    """Messages of these kinds."""

    def put() -> None:
        _put(world, name, kinds, is_brief=False)

    return Expectation([succeeds(put)], [])


def send_brief(world: World, name: str, kinds: Sequence[int]) -> Expectation | None:
    """Messages that expire soon, to a queue that never had others."""
    if world.queue(name).messages:
        return None

    def put() -> None:
        _put(world, name, kinds, is_brief=True)

    return Expectation([succeeds(put)], [])


def _put(world: World, name: str, kinds: Sequence[int], *, is_brief: bool) -> None:
    for kind in kinds:
        world.sent += 1
        world.queue(name).messages.append(Message(world.sent, kind, is_brief))
    world.now()


def expire(world: World, name: str) -> Expectation | None:
    """The time of what expires soon goes by."""
    queue = world.queue(name)
    if not any(each.is_brief for each in queue.messages) or queue.is_unknown:
        return None

    def pass_by() -> None:
        queue.is_unknown, queue.expired = True, world.now()

    return Expectation([succeeds(pass_by)], [])


def consume(world: World, name: str, count: int) -> Expectation | None:
    """The first messages are received by another connection, and settled."""
    queue = world.queue(name)
    taken = queue.ready[:count]
    if len(taken) < count or queue.held or queue.is_mixed or _is_brief(world, name):
        return None

    def settle() -> None:
        at = world.now()
        for each in taken:
            each.state, each.settled = SnapshotState.SETTLED, at

    return Expectation([succeeds(settle)], [])


def hold(world: World, connection: Connection, name: str, count: int) -> Expectation | None:
    """The first messages are received by a session more, which does not settle them yet."""
    queue = world.queue(name)
    taken = queue.ready[:count]
    if connection.is_closed or len(taken) < count or queue.held or queue.is_mixed:
        return None
    if _is_brief(world, name):
        return None

    def get() -> None:
        for each in taken:
            each.state, each.holder = SnapshotState.HELD, connection

    return Expectation([succeeds(get)], [])


def put_back(world: World, name: str) -> Expectation | None:
    """Who holds messages gives them back."""
    queue = world.queue(name)
    if not queue.held:
        return None

    def give() -> None:
        queue.is_mixed, at = True, world.now()
        for each in queue.held:
            each.state, each.put_back = SnapshotState.READY, at

    return Expectation([succeeds(give)], [])


def _is_brief(world: World, name: str) -> bool:
    return any(each.is_brief for each in world.queue(name).messages)


# -- browsers --------------------------------------------------------------------------------------


def create_browser(
    world: World, session: Session, name: str, selector: str | None, makes: str
) -> Expectation | None:
    """A browser, of queues alone."""
    if session.closed_by:
        return None
    if name.startswith(TOPIC):
        return Expectation([raises(*_REFUSALS)], ["RMQ-BRW-002"], "of a topic")
    made = Browser(session, world.queue(name), selector, world.events, world.sent)
    return Expectation([succeeds(partial(world.objects.__setitem__, makes, made))], [])


def close_browser(world: World, browser: Browser) -> Expectation | None:
    """Which does nothing."""
    if browser.session.closed_by:
        return None

    def end() -> None:
        browser.is_closed = True
        for each in world.of_kind(Snapshot).values():
            if each.browser is browser:
                each.browser_closed = True

    situation = "of a closed browser" if browser.is_closed else ""
    return Expectation([succeeds(end)], [causes.CLOSED_BROWSER], situation)


def enumeration(world: World, browser: Browser, makes: str) -> Expectation | None:
    """A snapshot."""
    session, queue = browser.session, browser.queue
    if session.closed_by:
        situation = f"behind close of the {session.closed_by}"
        return Expectation([raises(*_REFUSALS)], ["RMQ-BRW-018"], situation)
    connection, ready = session.connection, queue.ready
    read = messages_within(ready, connection.limit)
    if queue.is_unknown or (queue.is_mixed and len(read) < len(ready)):
        return None
    holders = (each.holder for each in queue.held)
    if any(each is not None and each.factory is not connection.factory for each in holders):
        return None  # who has what of a queue only the broker knows
    beyond = choose(ready[len(read) :], browser.selector)
    made = Snapshot(
        browser, world.events, world.sent, choose(read, browser.selector), beyond, queue.held,
        ready, world.other_limits(connection), connection.factory.limit,
        not queue.is_mixed, browser.enumerations == 0,
    )  # fmt: skip

    def make() -> None:
        world.objects[makes] = made
        browser.enumerations += 1

    ways = [gives(None, make)]
    if any(each.is_brief for each in ready):
        ways.append(gives(LATE, partial(setattr, queue, "is_unknown", True)))
    ids = [causes.CLOSED_BROWSER] if browser.is_closed else []
    return Expectation(ways, ids, "of a closed browser" if browser.is_closed else "")


def more(_: World, snapshot: Snapshot) -> Expectation:
    """hasMoreElements."""
    if snapshot.left:
        return _accusing(
            snapshot, [gives(True)], causes.missing(snapshot, ends=True),
            causes.ids_of_giving_next(snapshot),
            lambda _: (causes.missing(snapshot, ends=True), "gave false"),
        )  # fmt: skip
    ways = [gives(False, partial(setattr, snapshot, "is_exhausted", True))]
    kept = causes.at_the_end(snapshot)
    next_ids = kept[:1] if snapshot.is_exhausted or len({*kept}) == 1 else []
    return _accusing(snapshot, ways, [], kept, lambda _: (next_ids, "gave true"))


def next_(_: World, snapshot: Snapshot) -> Expectation:
    """nextElement: the number of the next message."""
    if not snapshot.left:
        ways = [gives(PAST, partial(setattr, snapshot, "is_exhausted", True))]
        return _accusing(
            snapshot, ways, [], causes.at_the_end(snapshot), partial(causes.surplus, snapshot)
        )
    comes = snapshot.left[: 1 if snapshot.in_order else None]
    ways = [gives(each.number, partial(_reads, snapshot, each)) for each in comes]

    def wrong(number: object) -> tuple[Sequence[str], str]:
        if number == PAST:
            return causes.missing(snapshot, ends=True), "gave none"
        return causes.surplus(snapshot, number)

    missing = causes.missing(snapshot, ends=True)
    return _accusing(snapshot, ways, missing, causes.ids_of_giving_next(snapshot), wrong)


def _accusing(
    snapshot: Snapshot,
    ways: Sequence[Permitted],
    ids: Sequence[str],
    kept: Sequence[str],
    wrong: Callable[[object], tuple[Sequence[str], str]],
) -> Expectation:
    return Expectation(
        ways, ids, _situation(snapshot), besides=kept,
        accuse=lambda given: wrong(given)[0], name=lambda given: wrong(given)[1],
    )  # fmt: skip


def _reads(snapshot: Snapshot, message: Message) -> None:
    snapshot.left.remove(message)
    snapshot.read.append(message)


def _situation(snapshot: Snapshot) -> str:
    where = "before the end" if snapshot.left else "behind the end"
    selector = snapshot.browser.selector
    by = f" by {kind_of(selector)}" if selector else ""
    limited = " within a limit" if snapshot.browser.session.connection.is_limited else ""
    closed_by = snapshot.browser.session.closed_by
    closed = f", behind close of the {closed_by}" if closed_by else ""
    by_browser = ", behind close of the browser" if snapshot.browser_closed else ""
    return f"{where}{by}{limited}{closed}{by_browser}"


Rule = Callable[..., Expectation | None]
RULES: Final[Mapping[type[Any], Mapping[str, Rule]]] = {
    Factory: {
        "change": change,
        "limit": limit,
        "create_connection": create_connection,
    },
    Connection: {"create_session": create_session, "hold": hold, "close": close_connection},
    Session: {"create_browser": create_browser, "close": close_session},
    Browser: {"enumeration": enumeration, "close": close_browser},
    Snapshot: {"more": more, "next": next_},
}
_OF_PROGRAM: Final[Mapping[str, Rule]] = {
    "factory": factory,
    "send": send,
    "send_brief": send_brief,
    "expire": expire,
    "consume": consume,
    "put_back": put_back,
}


def expect(
    world: World, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now."""
    named = (*args, makes) if makes else tuple(args)
    if on == PROGRAM:
        return _OF_PROGRAM[method](world, *named)
    target = world.objects.get(on)
    return None if target is None else RULES[type(target)][method](world, target, *named)
