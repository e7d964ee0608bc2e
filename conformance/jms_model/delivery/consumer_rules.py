"""Consumers: made, closed, and what they receive (JMS 2.0, sections 8.2 to 8.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import eq

from jms_model.answers import Expectation, gives, gives_what, raises, succeeds
from jms_model.delivery.backlog import Backlog, Copy
from jms_model.delivery.choosing import chooses
from jms_model.delivery.next_message import NextMessage
from jms_model.delivery.provider import QUEUE, ModelProvider
from jms_model.delivery.session import REFUSED, Consumer, Session, Subscription, received_copy
from jmsapi.errors import (
    JMSException,
    JMSRuntimeException,
    MessageFormatRuntimeException,
    UnsupportedOperationException,
)


def create(
    provider: ModelProvider,
    session: Session,
    destination: str,
    selector: str | None,
    makes: str,
    *,
    no_local: bool = False,
) -> Expectation | None:
    """On a queue, or on a topic: then it has a subscription of its own."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    if destination.startswith(QUEUE):
        [backlog] = provider.backlogs(destination)
        if backlog.is_read and not provider.side_by_side:
            return None
        expectation = opens(provider, makes, Consumer(session, backlog, selector))
        if selector:  # not every client has selectors of queues
            expectation.permitted = [*expectation.permitted, raises(UnsupportedOperationException)]
        return expectation
    if is_pending(provider, destination):
        return None
    backlog = Backlog(is_queue=False, selector=selector, is_durable=False, no_local=no_local)
    made = Consumer(session, backlog, selector)
    return opens(provider, makes, made, provider.backlogs(destination))


def create_durable(
    provider: ModelProvider,
    session: Session,
    topic: str,
    name: str,
    selector: str | None,
    makes: str,
    *,
    no_local: bool = False,
) -> Expectation | None:
    """On a new subscription, one that goes on, or one that takes the place of another."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    client_id = session.connection.client_id
    if client_id is None or is_pending(provider, topic):
        return None
    known = provider.durable.get((client_id, name))
    if known is not None and known.backlog.is_shared:
        return refuse_name(provider, "JMS-SUB-027", f"that is shared{usage_words(known)}")
    if known is not None and known.backlog.is_read:
        return refuse_name(provider, "JMS-SUB-026", "that has a consumer")
    if known is not None and known.is_as(topic, selector, no_local=no_local):
        return goes_on(provider, makes, Consumer(session, known.backlog, selector))
    if known is not None and known.backlog.is_held:
        return None
    before = provider.sent if known is not None else 0
    backlog = Backlog(is_queue=False, selector=selector, replaces_until=before, no_local=no_local)
    made = Consumer(session, backlog, selector)

    def make() -> None:
        if known is not None:
            known.backlog.is_gone = True
        provider.durable[client_id, name] = Subscription(topic, selector, backlog)

    ids = ["JMS-SUB-005" if known is None else "JMS-SUB-011"]
    return opens(provider, makes, made, provider.backlogs(topic), ids=ids, first=make)


def goes_on(provider: ModelProvider, makes: str, consumer: Consumer) -> Expectation:
    """On a durable subscription, with what it has."""

    def go_on() -> None:
        for copy in consumer.backlog.waiting():
            if not copy.deliveries:
                copy.ids = ["JMS-SUB-006", "JMS-SUB-007", "JMS-SUB-008"]
                copy.words = "that its subscription has"

    return opens(provider, makes, consumer, ids=["JMS-SUB-006"], first=go_on)


def refuse_name(provider: ModelProvider, id_: str, situation: str) -> Expectation:
    """A consumer is refused by what has the name of its subscription."""
    kind = JMSRuntimeException if provider.simplified else JMSException
    return Expectation([raises(kind)], [id_], situation)


def usage_words(known: Subscription) -> str:
    """Whether a subscription has consumers, for people."""
    return "" if known.backlog.is_read else ", and has no consumer"


def is_pending(provider: ModelProvider, topic: str) -> bool:
    """Whether a transaction has messages for it: whether a new subscription gets them is open."""
    return any(
        each.destination == topic
        for session in provider.of_kind(Session).values()
        for each in session.produced
    )


def opens(
    provider: ModelProvider,
    makes: str,
    consumer: Consumer,
    subscriptions: list[Backlog] | None = None,
    *,
    ids: Sequence[str] = ("JMS-SESS-001",),
    first: Callable[[], None] = lambda: None,
) -> Expectation:
    """It is there, and its subscription, if that is new."""

    def open_() -> None:
        first()
        consumer.backlog.opens(consumer)
        consumer.backlog.of = consumer.session.connection
        if subscriptions is not None:
            subscriptions.append(consumer.backlog)
        if provider.simplified:
            consumer.session.connection.started = True
        provider.objects[makes] = consumer

    if provider.simplified and consumer.session.connection.closed_twice:
        return Expectation([succeeds(open_)], ["API-CTX-013"], "behind a second close of another")
    return Expectation([succeeds(open_)], ids)


def close(provider: ModelProvider, consumer: Consumer) -> Expectation:
    """What it did not deliver is left to others, what it did stays its session's."""
    if consumer.closed_by:
        return provider.closed_again(consumer.closed_by)
    session, backlog = consumer.session, consumer.backlog

    handled = session.handled is not None and session.handled.consumer is consumer

    def end() -> None:
        consumer.closed_by = "consumer"
        if not handled:
            leave(provider, consumer)
        for of, copy in session.held:
            if of is backlog:
                copy.ids = ["JMS-CONS-007" if session.transacted else "JMS-CONS-006"]
                copy.words = "that a closed consumer delivered"

    return Expectation([succeeds(end)], ["JMS-CONS-005" if handled else "JMS-CONS-008"])


def leave(provider: ModelProvider, consumer: Consumer) -> None:
    """Others get what a closed consumer did not deliver, once its listener has returned, too."""
    provider.loses(consumer)
    leaves_out(provider, consumer)
    backlog = consumer.backlog
    outlives = backlog.is_shared and not backlog.is_durable
    for copy in backlog.waiting(consumer.selector):
        if not copy.deliveries:
            copy.ids = ["JMS-CONS-008", *(["JMS-SUB-020"] if outlives else [])]
            copy.words = "that a closed consumer did not deliver"


def leaves_out(provider: ModelProvider, consumer: Consumer) -> None:
    """What a queue has that is not for this consumer stays for others."""
    if not (provider.side_by_side and consumer.backlog.is_queue):
        return
    for copy in consumer.backlog.waiting():
        if not (copy.deliveries or chooses(consumer.selector, copy.sent.kind)):
            copy.ids, copy.words = ["JMS-SEL-067"], "that a selector left out"


def receive(provider: ModelProvider, consumer: Consumer, makes: str) -> Expectation | None:
    """The number of the next message; it is not asked for where none has to come."""
    if consumer.closed_by:
        return provider.refused(consumer.closed_by)
    connection = consumer.session.connection
    if not connection.started:
        ids = ["JMS-CONN-006", "JMS-CONN-008"] if connection.was_stopped else ["JMS-CONN-001"]
        if provider.simplified:
            ids = [each for each in ids if each != "JMS-CONN-001"]
        return Expectation([gives(None)], ids, "on a stopped connection")
    coming = NextMessage(provider, consumer)
    if not coming.possible or len(consumer.backlog.readers) > 1:
        return None

    def take(copy: Copy) -> None:
        provider.objects[makes] = received_copy(copy, consumer)
        consumer.gets(copy)
        leaves_out(provider, consumer)

    permitted = [
        gives_what(
            f"message {copy.sent.number}", partial(eq, copy.sent.number), partial(take, copy)
        )
        for copy in coming.possible
    ]
    return Expectation(
        permitted,
        coming.ids,
        coming.situation,
        besides=coming.besides,
        accuse=lambda number: coming.wrong(number)[0],
        name=lambda number: coming.wrong(number)[1],
    )


def receive_in_vain(provider: ModelProvider, consumer: Consumer) -> Expectation | None:
    """Nothing comes where nothing waits; what comes for all that is judged as any message."""
    backlog = consumer.backlog
    if consumer.closed_by or not consumer.session.connection.started:
        return None
    if backlog.had_several or backlog.waiting():
        return None
    coming = NextMessage(provider, consumer)
    return Expectation(
        [gives(None)],
        [],
        "where nothing waits",
        accuse=lambda number: coming.wrong(number)[0],
        name=lambda number: coming.wrong(number)[1],
    )


def receive_body_as_map(provider: ModelProvider, consumer: Consumer) -> Expectation | None:
    """JMSConsumer.receiveBody(Map.class) of a text message."""
    if not provider.simplified or consumer.closed_by or not consumer.session.connection.started:
        return None
    possible = consumer.backlog.next(consumer)
    if len(possible) != 1 or consumer.backlog.had_several:
        return None
    [copy] = possible
    session, backlog = consumer.session, consumer.backlog

    def fail() -> None:
        copy.words = "that receiveBody could not give"
        if session.settles_itself:
            copy.ids = ["JMS-CTX-012"]
            backlog.starts_again([copy])
            return
        copy.deliveries += 1
        session.holds(backlog, copy)
        copy.ids = [REFUSED[session.transacted]]
        copy.words = "that receiveBody could not give"

    return Expectation([raises(MessageFormatRuntimeException, effect=fail)], ["JMS-CTX-011"])
