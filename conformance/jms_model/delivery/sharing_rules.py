"""Several consumers of one queue, or of one shared subscription (JMS 2.0, 8.3.2, 8.3.4 and 8.9)."""

from __future__ import annotations

from functools import partial

from jms_model.answers import Expectation
from jms_model.delivery import consumer_rules
from jms_model.delivery.backlog import Backlog, Copy
from jms_model.delivery.next_message import NextMessage, one_of
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.session import Consumer, Session, Subscription, received_copy


def create_shared(
    provider: ModelProvider,
    session: Session,
    topic: str,
    name: str,
    selector: str | None,
    makes: str,
) -> Expectation | None:
    """On a shared subscription that lives as long as it has a consumer."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    key = session.connection.client_id, name
    known = provider.shared.get(key)
    if known is not None and known.backlog.is_read:
        return _joins(provider, makes, session, known, (topic, selector), "JMS-SUB-022")
    if consumer_rules.is_pending(provider, topic):
        return None
    if known is not None and known.backlog.is_held:
        return None
    backlog = Backlog(
        is_queue=False,
        selector=selector,
        is_durable=False,
        is_shared=True,
        replaces_until=0 if known is None else provider.sent,
        replaces_by="JMS-SUB-020",
    )

    def make() -> None:
        provider.shared[key] = Subscription(topic, selector, backlog)

    made = Consumer(session, backlog, selector)
    return consumer_rules.opens(provider, makes, made, provider.backlogs(topic), first=make)


def create_shared_durable(
    provider: ModelProvider,
    session: Session,
    topic: str,
    name: str,
    selector: str | None,
    makes: str,
) -> Expectation | None:
    """On a shared subscription that is new, goes on, or takes the place of another."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    key = session.connection.client_id, name
    known = provider.durable.get(key)
    if known is not None and not known.backlog.is_shared:
        situation = f"that is not shared{consumer_rules.usage_words(known)}"
        return consumer_rules.refuse_name(provider, "JMS-SUB-028", situation)
    if known is not None and known.backlog.is_read:
        return _joins(provider, makes, session, known, (topic, selector), "JMS-SUB-024")
    if consumer_rules.is_pending(provider, topic):
        return None
    if known is not None and known.is_as(topic, selector):
        going_on = Consumer(session, known.backlog, selector)
        return consumer_rules.goes_on(provider, makes, going_on)
    if known is not None and known.backlog.is_held:
        return None
    backlog = Backlog(
        is_queue=False,
        selector=selector,
        is_shared=True,
        replaces_until=0 if known is None else provider.sent,
        replaces_by="JMS-SUB-025",
    )

    def make() -> None:
        if known is not None:
            known.backlog.is_gone = True
        provider.durable[key] = Subscription(topic, selector, backlog)

    made = Consumer(session, backlog, selector)
    ids = ["JMS-SUB-005" if known is None else "JMS-SUB-025"]
    return consumer_rules.opens(
        provider, makes, made, provider.backlogs(topic), ids=ids, first=make
    )


def _joins(
    provider: ModelProvider,
    makes: str,
    session: Session,
    known: Subscription,
    asked: tuple[str, str | None],
    refused_by: str,
) -> Expectation:
    """A consumer beside others, if it asks for the same as they."""
    if not known.is_as(*asked):
        return consumer_rules.refuse_name(provider, refused_by, "that has a consumer")
    id_ = "JMS-SUB-010" if known.backlog.is_durable else "JMS-SUB-019"
    made = Consumer(session, known.backlog, known.selector)
    return consumer_rules.opens(provider, makes, made, ids=[id_])


def receive_from(provider: ModelProvider, consumer: Consumer, *named: str) -> Expectation | None:
    """The next message of one of several consumers, and its number: all are asked in turn.

    One that gets nothing proves nothing: what it might get may be on its way to another.
    """
    *others, makes = named
    [name] = (name for name, each in provider.of_kind(Consumer).items() if each is consumer)
    every = {each: provider.objects[each] for each in (name, *others) if each in provider.objects}
    if any(each.closed_by or not each.session.connection.started for each in every.values()):
        return None
    if {id(each) for each in every.values()} != {id(each) for each in consumer.backlog.readers}:
        return None
    coming = {name: NextMessage(provider, each) for name, each in every.items()}

    def take(consumer: Consumer, copy: Copy) -> None:
        provider.objects[makes] = received_copy(copy, consumer)
        consumer.gets(copy)
        consumer_rules.leaves_out(provider, consumer)

    return one_of(coming, lambda each, copy: partial(take, each, copy), "gave null")
