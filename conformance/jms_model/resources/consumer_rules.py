"""Consumers and browsers: made, refused, asked and closed (JMS 2.0, chapter 8 and section 9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from jms_model.answers import Expectation, gives, raises, succeeds
from jms_model.resources.arguments import FOREIGN, NO_SELECTOR, Of, Selector, Unique
from jms_model.resources.refusals import (
    RefusalReason,
    of_a_closed,
    refuse,
    refuse_for_any,
    twin,
)
from jms_model.resources.session_rules import (
    GOES_ON,
    names_of,
    of_the_other_domain,
    refuses_domain,
    what_else_is_judged,
)
from jms_model.resources.things import (
    QUEUES,
    SET,
    TOPICS,
    Browser,
    Consumer,
    Destination,
    Enumeration,
    Session,
    Subscription,
    World,
)
from jmsapi.errors import (
    IllegalStateException,
    InvalidDestinationException,
    InvalidSelectorException,
    JMSException,
)

_OF_NULL: Final = {
    "create_browser": ("API-SESS-004", "API-CTX-007"),
    "create_consumer": ("JMS-ERR-002", "API-CTX-008"),
    "create_durable_consumer": ("API-SESS-005", "API-CTX-009"),
    "create_shared_consumer": ("API-SESS-006", "API-CTX-010"),
    "create_shared_durable_consumer": ("API-SESS-007", "API-CTX-011"),
    "create_durable_subscriber": ("API-SESS-008", ""),
}
"""The statement that a call refuses null: of sessions, and of contexts."""
_OF_ONE_DOMAIN: Final = {
    "create_receiver": QUEUES,
    "create_subscriber": TOPICS,
}
_UNSHARED: Final = ("create_durable_consumer", "create_durable_subscriber")
_NAMED: Final = (*_UNSHARED, "create_shared_consumer", "create_shared_durable_consumer")
"""The calls that have the name of a subscription."""
_NO_GRAMMAR: Final = "JMS-SEL-039"
"""The statement on texts that are no selectors by any vendor's grammar either."""


def create(
    world: World,
    session: Session,
    method: str,
    makes: str,
    destination: Of | None,
    *rest: Unique | Selector | bool,
) -> Expectation | None:
    """A consumer or browser, by any of the calls that make one."""
    name = rest[0] if method in _NAMED else None
    selector = next((each for each in rest if isinstance(each, Selector)), NO_SELECTOR)
    if method == "create_durable_subscriber" and session.simplified:
        return None
    if method in _OF_ONE_DOMAIN and session.domain != _OF_ONE_DOMAIN[method]:
        return None
    target = world.objects.get(destination.name) if destination else None
    if destination not in (None, FOREIGN) and not isinstance(target, Destination):
        return None
    known = target if isinstance(target, Destination) else None
    if known is not None and not _is_of_kind(session, method, known):
        return None
    faults = list(_faults(world, session, method, destination, known, selector))
    if session.closed_by:
        closed = refuse(of_a_closed(session), simplified=session.simplified)
        return None if faults else closed
    is_anothers = known is not None and known.owner not in (None, session.connection)
    if session.connection.is_doubtful or (is_anothers and method == "create_browser"):
        return None
    if session.connection.is_vague and method in _NAMED:
        return None
    if other := of_the_other_domain(session, method):
        return refuses_domain(session, other) if not faults else None
    if selector.refused_by and (_is_known(world, session, name) or name in world.spoiled):
        return None
    if faults:
        expectation = refuse_for_any(faults, simplified=session.simplified)
        if isinstance(name, Unique):
            spoils = partial(world.spoiled.add, name)
            expectation.permitted = [
                replace(permitted, effect=spoils) for permitted in expectation.permitted
            ]
        return expectation
    if known is None:
        return None
    if method == "create_browser":
        return _browser(world, session, makes, known, selector)
    if isinstance(name, Unique):
        return _subscribe(world, session, method, makes, known, name, selector)
    return _consumer(world, session, makes, known, selector)


def _is_known(world: World, session: Session, name: object) -> bool:
    """Whether its client has a subscription of a name, which may be why the name is refused."""
    client_id = session.connection.client_id
    return any((client_id, name) == key[:2] for key in world.subscriptions)


def _is_of_kind(session: Session, method: str, destination: Destination) -> bool:
    """Whether the method takes such a destination at all."""
    if method in ("create_browser", "create_receiver"):
        return destination.is_queue
    if method in (*_NAMED, "create_subscriber"):
        return not destination.is_queue
    return not session.domain or destination.is_queue == (session.domain == QUEUES)


def _faults(
    world: World,
    session: Session,
    method: str,
    destination: Of | None,
    target: Destination | None,
    selector: Selector,
) -> Sequence[RefusalReason]:
    faults = []
    if destination is None:
        id_ = _OF_NULL.get(method, ("JMS-ERR-002", ""))[session.simplified]
        faults.append(RefusalReason(InvalidDestinationException, [id_], "of null"))
    elif destination == FOREIGN:
        fault = RefusalReason(
            InvalidDestinationException, ["JMS-ERR-002"], "of a destination of nobody"
        )
        faults.append(fault)
    elif target is not None:
        faults += _faults_of(session, target)
    if selector.refused_by:
        is_sure = selector.refused_by == _NO_GRAMMAR and method != "create_browser"
        ids = [selector.refused_by, *(["SLJ-SEL-007"] if is_sure else [])]
        fault = RefusalReason(InvalidSelectorException, ids, "of a text that is none")
        faults.append(fault)
    if method in _UNSHARED and session.connection.identity != SET and not world.administered:
        kind = IllegalStateException if world.oldest >= 2 else JMSException
        fault = RefusalReason(kind, ["JMS-IDN-005"], "without a client id")
        faults.append(fault)
    return faults


def _faults_of(session: Session, target: Destination) -> list[RefusalReason]:
    """What is wrong with a destination of a client."""
    if target.owner is not None and target.owner is not session.connection:
        own = "JMS-TEMP-004" if target.is_queue else "JMS-TEMP-006"
        return [
            RefusalReason(
                JMSException, ["JMS-TEMP-001", own], "of another connection's temporary one"
            )
        ]
    if target.gone:
        return [RefusalReason(InvalidDestinationException, ["JMS-ERR-002"], "of one that is gone")]
    return []


def _succeeds(
    world: World, session: Session, consumer: Consumer | Browser, makes: str
) -> Expectation:
    """The call has to succeed, which other statements say as well."""

    def done() -> None:
        session.connection.used("create_consumer")
        world.objects[makes] = consumer
        if isinstance(consumer, Consumer) and session.simplified and session.auto_start:
            session.connection.used("start")

    ids, situation = what_else_is_judged(session)
    target = consumer.queue if isinstance(consumer, Browser) else consumer.destination
    if target.temporary:
        own = ["JMS-TEMP-003"] if target.is_queue else ["JMS-TEMP-005"]
        assert target.maker is not None
        if target.maker.closed_by:
            return Expectation([succeeds(done)], [*ids, *own], "of one whose session is closed")
        if target.maker is not session:
            return Expectation(
                [succeeds(done)], [*ids, "JMS-TEMP-001"], "of one of the same connection"
            )
    return Expectation([succeeds(done)], ids, situation)


def _browser(
    world: World, session: Session, makes: str, queue: Destination, selector: Selector
) -> Expectation:
    return _succeeds(world, session, Browser(session, queue, selector), makes)


def _consumer(
    world: World, session: Session, makes: str, target: Destination, selector: Selector
) -> Expectation:
    return _succeeds(world, session, Consumer(session, target, selector), makes)


def _subscribe(
    world: World,
    session: Session,
    method: str,
    makes: str,
    topic: Destination,
    name: Unique,
    selector: Selector,
) -> Expectation | None:
    shared, durable = "shared" in method, "durable" in method
    client_id = session.connection.client_id
    key = (client_id, name, durable)
    if session.connection.identity != SET and (world.administered or client_id):
        return None
    there = world.subscriptions.get(key)
    if (client_id, name, not durable) in world.subscriptions:
        return None
    if there is not None and not _may_join(world, there, topic, selector, shared=shared):
        return None
    subscription = there or Subscription(topic, selector, shared, durable)
    consumer = Consumer(session, topic, selector, subscription)
    expectation = _succeeds(world, session, consumer, makes)
    [succeeded] = expectation.permitted

    def done() -> None:
        world.subscriptions[key] = subscription
        world.spoiled.discard(name)
        succeeded.effect()

    if topic.temporary and durable:
        works = succeeds(done)
        error = twin(JMSException, simplified=session.simplified)
        return Expectation([raises(error), works], ["JMS-TEMP-007"], "of a temporary topic")
    if topic.temporary:
        return None
    others = any(
        each == name and is_durable == durable and owner != client_id
        for owner, each, is_durable in world.subscriptions
    )
    if client_id is not None and not client_id.is_plain:
        return Expectation([succeeds(done)], [], "of an unusual client id")
    if name in world.spoiled:
        return Expectation([succeeds(done)], [], "of a name that was refused before")
    ids = [*expectation.ids, *names_of(name)]
    if method != "create_durable_subscriber" and GOES_ON in ids:
        ids.remove(GOES_ON)  # it may be refused by itself: no interface of one domain has it
    situation = expectation.situation
    if others:
        ids.append("JMS-SUB-031" if shared else "JMS-SUB-009")
        situation = "of a name that another client has"
    if method == "create_shared_durable_consumer" and session.connection.identity != SET:
        ids.append("JMS-IDN-005")
        situation = situation or "without a client id"
    return Expectation([succeeds(done)], ids, situation)


def _may_join(
    world: World, there: Subscription, topic: Destination, selector: Selector, *, shared: bool
) -> bool:
    """Whether one consumer more of a subscription has to be made."""
    same = there.topic.name == topic.name and there.selector == selector and there.shared == shared
    is_used = any(each.subscription is there for each in world.consumers())
    return same and (shared or not is_used)


# Consumers and browsers that are there


def get_selector(world: World, target: Consumer | Browser) -> Expectation | None:
    """The selector; null where there is none, or an empty one."""
    if closed := _refuse_closed(target):
        return closed
    if target.closed or target.session.closed_by:
        return None
    text = target.selector.text or None
    if isinstance(target, Browser):
        id_ = "API-BRW-002"
    else:
        id_ = "API-JCONS-001" if target.session.simplified else "API-CONS-001"
    of = "of a browser " if isinstance(target, Browser) else ""
    words = "with a selector" if text else "without a selector"
    return Expectation([gives(text)], [id_], of + words)


def behind_close(world: World, target: Consumer) -> Expectation | None:
    """What a consumer refuses once it is closed; nothing is said of an open one."""
    return _refuse_closed(target)


def _refuse_closed(target: Consumer | Browser) -> Expectation | None:
    """The refusal of what is closed; None: it is open, or nothing is said."""
    session = target.session
    if isinstance(target, Browser):
        if not target.closed or session.closed_by:
            return None
        fault = RefusalReason(IllegalStateException, ["API-BRW-006"], "behind close of the browser")
        return refuse(fault, simplified=False)
    if session.simplified:
        return None
    if session.closed_by:
        return refuse(of_a_closed(session), simplified=False)
    if target.closed:
        fault = RefusalReason(
            IllegalStateException, ["API-CONS-002"], "behind close of the consumer"
        )
        return refuse(fault, simplified=False)
    return None


def close(world: World, target: Consumer | Browser) -> Expectation:
    """A consumer or browser, again and again."""

    def done() -> None:
        target.closed = True
        world.release()

    if target.session.closed_by and not target.closed:
        ids = []
        if not target.session.simplified:
            by = target.session.closed_by
            ids = ["JMS-SESS-006" if by == "session" else "JMS-CONN-017"]
        by_words = f"behind close of the {target.session.closed_by}"
        return Expectation([succeeds(done)], ids, by_words)
    if not target.closed:
        return Expectation([succeeds(done)], [])
    id_ = "API-BRW-007" if isinstance(target, Browser) else "API-CONS-003"
    return Expectation([succeeds()], [id_], "again")


def get_queue(world: World, browser: Browser) -> Expectation | None:
    """The queue that is browsed, by its name."""
    if closed := _refuse_closed(browser):
        return closed
    if browser.closed or browser.session.closed_by:
        return None
    if browser.queue.temporary:
        names = [name for name, each in world.temporary_names.items() if each is browser.queue]
        return Expectation([gives(names[0])], ["API-BRW-001"]) if names else None
    return Expectation([gives(browser.queue.name)], ["API-BRW-001"])


def enumeration(world: World, browser: Browser, makes: str) -> Expectation | None:
    """A look at an empty queue."""
    if closed := _refuse_closed(browser):
        return closed
    if browser.closed or browser.session.closed_by or browser.queue.gone:
        return None
    done = partial(world.objects.__setitem__, makes, Enumeration(browser))
    return Expectation([succeeds(done)], ["API-BRW-003"])


def has_more_elements(world: World, enumeration: Enumeration) -> Expectation | None:
    """No message was sent."""
    if _is_over(enumeration):
        return None
    return Expectation([gives(False)], ["API-BRW-003"])


def next_element(world: World, enumeration: Enumeration) -> Expectation | None:
    """There is none."""
    if _is_over(enumeration):
        return None
    return Expectation([raises(StopIteration)], ["API-BRW-003"])


def _is_over(enumeration: Enumeration) -> bool:
    browser = enumeration.browser
    return browser.closed or bool(browser.session.closed_by) or browser.queue.gone
