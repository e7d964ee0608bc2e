"""Producers and their sends (JMS 2.0, sections 7.2 and 7.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, Permitted, raises, succeeds
from jms_model.async_sends.state import (
    ACTS,
    AGAIN,
    COMPLETED,
    DEFAULTS,
    HELD,
    LARGE,
    LASTS,
    NULL,
    READS,
    REFUSES,
    SPARED,
    THROWS,
    Listener,
    MessageFate,
    ModelApplication,
    Producer,
    SendCall,
    Session,
)
from jmsapi.errors import (
    MessageFormatException,
    MessageNotWriteableException,
    MessageNotWriteableRuntimeException,
)

GOES_ON: Final = "JMS-ASY-010"
"""The statement that a session goes on behind an asynchronous send."""
_READ_ONLY: Final = (MessageNotWriteableException, MessageNotWriteableRuntimeException)
_HARMLESS: Final = (READS, THROWS, LASTS, HELD)
"""What uses no session."""


def create_session(app: ModelApplication, mode: int, makes: str) -> Expectation | None:
    """A session of the connection, or a context."""
    if app.closed:
        return None
    return Expectation([succeeds(partial(app.objects.__setitem__, makes, Session(mode)))], [])


def listener(app: ModelApplication, act: str, makes: str) -> Expectation:
    """A listener that does something."""
    assert act in ACTS
    return Expectation([succeeds(partial(app.objects.__setitem__, makes, Listener(act)))], [])


def create_producer(
    app: ModelApplication, session: Session, queue: str, makes: str
) -> Expectation | None:
    """For a queue, or for none; producers of contexts are for none."""
    if session.closed or session.busy:
        return None
    made = Producer(session, "" if app.simplified else queue)
    return _usable(app, session, [succeeds(partial(app.objects.__setitem__, makes, made))])


def set_option(
    app: ModelApplication, producer: Producer, name: str, value: int
) -> Expectation | None:
    """A setting of the producer, which each later send has."""
    if producer.closed or producer.session.closed or producer.session.busy:
        return None
    changes = partial(producer.settings.__setitem__, name, value)
    return _usable(app, producer.session, [succeeds(changes)])


def use(app: ModelApplication, session: Session) -> Expectation | None:
    """The session makes a message and a consumer, and receives what another has sent."""
    if session.closed or session.busy or session.transacted:
        return None
    situation = "behind an asynchronous send" if app.outstanding(session) else ""
    return _usable(app, session, [succeeds()], (), situation)


def send(
    app: ModelApplication,
    producer: Producer,
    what: tuple[Any, ...],
    to: str,
    options: Sequence[int] | None,
    by: str,
    makes: str,
) -> Expectation | None:
    """A message, or a body, to a queue or to that of the producer; with a listener or without."""
    session = producer.session
    told = app.objects.get(by) if by else None
    if session.busy or (by and told is None):
        return None
    own = dict(producer.settings)
    if options is not None:
        own.update(zip(DEFAULTS, options, strict=True))
    again = app.objects.get(what[1]) if what[0] == AGAIN else None
    if what[0] == AGAIN:
        if again is None or not again.told or again.touched or again.what[0] in (NULL, LARGE):
            return None
        what = again.what
        again = again.first or again
    made = SendCall(int(makes[1:]), producer, producer.queue or to, own, what, told, first=again)
    if what[0] == LARGE and (session.transacted or told is None):
        return None
    reason = _why_refused(producer, what, to)
    if reason:
        return _refuse(app, made, reason, makes)
    made.fate = MessageFate.IN_TRANSACTION if session.transacted else MessageFate.SENT
    if told is None:
        made.told = COMPLETED

    def begin() -> None:
        _keep(app, made)
        app.objects[makes] = made
        app.sends.append(made)
        session.busy = told is not None and told.act not in _HARMLESS

    if what[0] == LARGE:
        refuse = _refusal(app, made, "of a large message", makes)
        return Expectation([succeeds(begin), raises(effect=refuse)], [])
    ways = [succeeds(begin)]
    if again is not None:  # it is given its new number first, by a property
        refuse = _refusal(app, made, "of a message that is read-only", makes)
        ways.append(raises(*_READ_ONLY, effect=refuse))
    if told is None:
        return _usable(app, session, ways, (), "without a listener")
    return _usable(app, session, ways, ["JMS-ASY-001"], "with a listener")


def _why_refused(producer: Producer, what: tuple[Any, ...], to: str) -> str:
    if producer.closed:
        return "of a closed producer"
    if producer.session.closed:
        return "of a closed session"
    if bool(producer.queue) == bool(to):
        return "of a producer for a queue to another" if to else "to no destination"
    return "of null" if what[0] == NULL else ""


def _refuse(app: ModelApplication, made: SendCall, reason: str, makes: str) -> Expectation:
    """The call is refused; only of null it is said here by which exception."""
    refuse = _refusal(app, made, reason, makes)
    if reason != "of null" or made.listener is None:
        return Expectation([raises(effect=refuse)], [], reason)
    return Expectation(
        [raises(MessageFormatException, effect=refuse)], ["API-PROD-012"], "of null with a listener"
    )


def _refusal(app: ModelApplication, made: SendCall, reason: str, makes: str) -> Callable[[], None]:
    def refuse() -> None:
        _keep(app, made)
        made.refused, made.fate, made.told = reason, MessageFate.NOWHERE, ""
        app.objects[makes] = made
        app.sends.append(made)

    return refuse


def _keep(app: ModelApplication, made: SendCall) -> None:
    """A JMSProducer is set what a send is to have, and has it from then on."""
    if app.simplified:
        made.producer.settings.update(made.options)


def _usable(
    app: ModelApplication,
    session: Session,
    ways: Sequence[Permitted],
    ids: Sequence[str] = (),
    situation: str = "",
) -> Expectation:
    """A call on what has to be open, also behind asynchronous sends and what was refused."""
    if session.spared:
        return Expectation(ways, [REFUSES], f"{situation}, {SPARED}".removeprefix(", "))
    ids = [*ids, *([GOES_ON] if app.outstanding(session) else [])]
    if any(each.closed for each in app.of_kind(Session)):  # whose close may be to blame
        return Expectation(ways, ids, situation, instead=[], betrays=[])
    return Expectation(ways, ids, situation)
