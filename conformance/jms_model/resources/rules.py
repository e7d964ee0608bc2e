"""The rule of each call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, Permitted, raises
from jms_model.resources import (
    connection_rules,
    consumer_rules,
    destination_rules,
    identity_rules,
    meta_data_rules,
    producer_rules,
    session_rules,
)
from jms_model.resources.refusals import twin
from jms_model.resources.things import (
    ANY,
    QUEUES,
    TOPICS,
    Browser,
    Connection,
    Consumer,
    Destination,
    Enumeration,
    MetaData,
    Producer,
    Session,
    Thing,
    World,
)
from jmsapi.errors import InvalidDestinationRuntimeException, JMSException

Rule = Callable[..., Expectation | None]
FACTORY: Final = "factory"
"""The one object that is there before the program."""
CONNECTIONS: Final = {
    "create_connection": ANY,
    "create_queue_connection": QUEUES,
    "create_topic_connection": TOPICS,
}
"""What makes a connection, and of which domain."""
CONSUMERS: Final = (
    "create_consumer",
    "create_receiver",
    "create_subscriber",
    "create_shared_consumer",
    "create_durable_consumer",
    "create_shared_durable_consumer",
    "create_durable_subscriber",
    "create_browser",
)
"""What makes a consumer or a browser."""
META_DATA: Final = (
    "jms_version",
    "jms_major_version",
    "jms_minor_version",
    "jms_provider_name",
    "provider_version",
    "provider_major_version",
    "provider_minor_version",
    "jmsx_property_names",
)
PRODUCER_SETTINGS: Final = (
    "get_delivery_mode",
    "get_priority",
    "get_time_to_live",
    "get_disable_message_id",
)
"""What a closed producer refuses to say; what an open one says is for programs that send."""
_LATE: Final = ("create_message", "create_text_message", "create_map_message")
_MAKES: Final = frozenset(
    {
        *CONNECTIONS,
        *CONSUMERS,
        "create_context",
        "create_session",
        "create_queue_session",
        "create_topic_session",
        "create_common_session",
        "create_queue",
        "create_topic",
        "create_temporary_queue",
        "create_temporary_topic",
        "create_producer",
        "meta_data",
        "enumeration",
    }
)
"""The methods whose results have a name."""


def _refusing_when_closed(rule: Rule) -> Rule:
    """A rule of an open connection; a closed one refuses."""

    def either(world: World, connection: Connection, *args: object) -> Expectation | None:
        if connection.closed:
            return connection_rules.behind_close(world, connection)
        return rule(world, connection, *args)

    return either


_set_listener = partial(connection_rules.set_exception_listener, registers=True)
_drop_listener = partial(connection_rules.set_exception_listener, registers=False)
_of_connection: Final[Mapping[str, Rule]] = {
    "start": connection_rules.start,
    "stop": connection_rules.stop,
    "get_client_id": identity_rules.get,
    "set_client_id": identity_rules.set_,
    "set_exception_listener": _set_listener,
    "drop_exception_listener": _drop_listener,
    "get_exception_listener": connection_rules.get_exception_listener,
    "meta_data": connection_rules.meta_data,
}
"""What a context has as well."""
_ON_A_CLOSED_CONTEXT: Final = ("start", "stop", "get_client_id", "meta_data")
RULES: Final[Mapping[type[Any], Mapping[str, Rule]]] = {
    Connection: {
        **{name: _refusing_when_closed(rule) for name, rule in _of_connection.items()},
        "create_session": connection_rules.create_session,
        "create_queue_session": connection_rules.create_session,
        "create_topic_session": connection_rules.create_session,
        "create_common_session": connection_rules.create_common_session,
        **{
            method: partial(connection_rules.create_connection_consumer, method)
            for method in connection_rules.CONNECTION_CONSUMERS
        },
        "close": connection_rules.close,
    },
    Session: {
        **{
            name: partial(session_rules.of_connection, rule)
            for name, rule in _of_connection.items()
        },
        "get_transacted": session_rules.is_transacted,
        "get_acknowledge_mode": session_rules.acknowledge_mode,
        "get_session_mode": session_rules.session_mode,
        "get_auto_start": session_rules.get_auto_start,
        "set_auto_start": session_rules.set_auto_start,
        "create_context": session_rules.create_context,
        "create_queue": partial(session_rules.create_destination, is_queue=True),
        "create_topic": partial(session_rules.create_destination, is_queue=False),
        "create_temporary_queue": partial(destination_rules.create_temporary, is_queue=True),
        "create_temporary_topic": partial(destination_rules.create_temporary, is_queue=False),
        "create_producer": session_rules.create_producer,
        "unsubscribe": session_rules.unsubscribe,
        "send_to": destination_rules.send_to,
        **dict.fromkeys((*_LATE, "commit", "rollback", "recover"), session_rules.settles),
        "close": session_rules.close,
    },
    Destination: {
        "get_name": destination_rules.get_name,
        "delete": destination_rules.delete,
        "is_there": destination_rules.is_there,
        "is_gone": destination_rules.is_gone,
    },
    Consumer: {
        "get_message_selector": consumer_rules.get_selector,
        "get_message_listener": consumer_rules.behind_close,
        "receive_no_wait": consumer_rules.behind_close,
        "close": consumer_rules.close,
    },
    Browser: {
        "get_message_selector": consumer_rules.get_selector,
        "get_queue": consumer_rules.get_queue,
        "enumeration": consumer_rules.enumeration,
        "close": consumer_rules.close,
    },
    Enumeration: {
        "has_more_elements": consumer_rules.has_more_elements,
        "next_element": consumer_rules.next_element,
    },
    Producer: {
        "get_destination": producer_rules.get_destination,
        **dict.fromkeys(PRODUCER_SETTINGS, producer_rules.behind_close),
        "close": producer_rules.close,
    },
    MetaData: {f"get_{what}": meta_data_rules.get(what) for what in META_DATA},
}


def expect(
    world: World, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now.

    What the call gives will have the name `makes`, where it gives an object. If another context of
    its connection was closed twice, an exception is the fault of that. A refused call may be an
    action, and a connection whose client id was refused may be good for nothing. Situations tell
    contexts from sessions, of which other statements speak.
    """
    expectation = _expect(world, on, method, args, makes)
    target = world.objects.get(on)
    connection = _connection_of(target)
    if expectation is None or connection is None:
        return expectation
    if connection.is_lost and method != "close":
        return None
    expectation.permitted = [_touching(connection, each) for each in expectation.permitted]
    if connection.was_rejected and not connection.closed:
        error = twin(JMSException, simplified=connection.simplified)
        lost = raises(error, effect=partial(setattr, connection, "is_lost", True))
        expectation.permitted.append(lost)
    is_closed = connection.closed or (isinstance(target, Session) and target.closed_by)
    if connection.simplified and not is_closed:
        _behind_others(connection, expectation)
    if connection.simplified:
        expectation.situation = f"by a context {expectation.situation}".rstrip()
    return expectation


def _behind_others(connection: Connection, expectation: Expectation) -> None:
    """An exception may be the fault of what became of the connection when a context was closed."""
    is_refusal = all(each.errors for each in expectation.permitted)
    if connection.closed_twice:
        expectation.situation = "behind a second close of another context"
        expectation.betrays = ()
        expectation.instead = [] if is_refusal else ["API-CTX-013"]
    elif connection.has_lost_contexts and not is_refusal:
        is_sure = not any(id_.startswith("JMS-SUB-") for id_ in expectation.ids)
        expectation.betrays = (InvalidDestinationRuntimeException,)
        expectation.instead = ["JMS-CTX-003"] if is_sure else []


def _touching(connection: Connection, end: Permitted) -> Permitted:
    """An end that leaves the connection touched, if the call is refused."""
    if not end.errors:
        return end

    def done() -> None:
        end.effect()
        connection.touched()

    return replace(end, effect=done)


def _connection_of(thing: Thing | None) -> Connection | None:
    match thing:
        case Session() | MetaData():
            return thing.connection
        case Consumer() | Browser() | Producer():
            return thing.session.connection
        case Enumeration():
            return thing.browser.session.connection
        case Destination():
            return thing.owner
    return thing


def _expect(
    world: World, on: str, method: str, args: Sequence[Any], makes: str
) -> Expectation | None:
    if on == FACTORY:
        if method in CONNECTIONS:
            return connection_rules.create(world, CONNECTIONS[method], makes)
        return connection_rules.create_context(world, makes, *args)
    target = world.objects.get(on)
    if target is None:
        return None
    if isinstance(target, Session):
        if method in CONSUMERS:
            return consumer_rules.create(world, target, method, makes, *args)
        if target.closed_by and method in _of_connection and method not in _ON_A_CLOSED_CONTEXT:
            return None
    if isinstance(target, Connection) and not _has(target, method):
        return None
    named = (makes, *args) if method in _MAKES else args
    rule = RULES[type(target)].get(method)
    return None if rule is None else rule(world, target, *named)


def _has(connection: Connection, method: str) -> bool:
    """Whether a connection of its domain has a method."""
    own = {"create_queue_session": QUEUES, "create_topic_session": TOPICS, "create_session": ANY}
    return own.get(method, connection.domain) == connection.domain
