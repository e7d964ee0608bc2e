"""The rule of each call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation
from jms_model.delivery import (
    browser_rules,
    connection_rules,
    consumer_rules,
    listener_rules,
    message_rules,
    session_rules,
    sharing_rules,
)
from jms_model.delivery.browser_rules import Browsed, Browser, Enumeration
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.session import Connection, Consumer, Received, Session

Rule = Callable[..., Expectation | None]
FACTORY: Final = "factory"
"""The one object that is there before the program."""
RULES: Final[Mapping[type[Any], Mapping[str, Rule]]] = {
    Connection: {
        "start": connection_rules.start,
        "stop": connection_rules.stop,
        "close": connection_rules.close,
        "create_session": connection_rules.create_session,
    },
    Session: {
        "send": session_rules.send,
        "commit": session_rules.commit,
        "rollback": session_rules.rollback,
        "recover": session_rules.recover,
        "acknowledge": session_rules.acknowledge,
        "browse": session_rules.browse,
        "create_browser": browser_rules.create,
        "unsubscribe": session_rules.unsubscribe,
        "create_consumer": consumer_rules.create,
        "create_durable_consumer": consumer_rules.create_durable,
        "create_consumer_no_local": partial(consumer_rules.create, no_local=True),
        "create_durable_consumer_no_local": partial(consumer_rules.create_durable, no_local=True),
        "create_shared_consumer": sharing_rules.create_shared,
        "create_shared_durable_consumer": sharing_rules.create_shared_durable,
        "hear": listener_rules.hear,
        "close": connection_rules.close_session,
    },
    Consumer: {
        "receive": consumer_rules.receive,
        "receive_from": sharing_rules.receive_from,
        "receive_no_wait": consumer_rules.receive_in_vain,
        "receive_briefly": consumer_rules.receive_in_vain,
        "receive_body_as_map": consumer_rules.receive_body_as_map,
        "listen": listener_rules.listen,
        "close": consumer_rules.close,
    },
    Browser: {
        "queue": browser_rules.queue,
        "message_selector": browser_rules.message_selector,
        "enumeration": browser_rules.enumeration,
        "close": browser_rules.close,
    },
    Enumeration: {
        "more": browser_rules.more,
        "next": browser_rules.next_,
    },
    Browsed: {
        "content": browser_rules.content,
        "change": browser_rules.change,
    },
    Received: {
        "acknowledge": message_rules.acknowledge,
        "delivery": message_rules.delivery,
        "text": message_rules.text,
        "content": message_rules.content,
        "change": message_rules.change,
        "returns": listener_rules.returns,
        "throws": listener_rules.throws,
    },
}


def expect(
    provider: ModelProvider, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now.

    What the call gives will have the name `makes`, where it gives an object.
    """
    named = (*args, makes) if makes else tuple(args)
    if on == FACTORY:
        return connection_rules.create(provider, *named)
    target = provider.objects.get(on)
    if target is None or not listener_rules.makes_sense(provider, target, method):
        return None
    return RULES[type(target)][method](provider, target, *named)
