"""Clients that are wrong about what the core says of listeners that fail, and of contexts."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import Destination, Message, MessageListener
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.contexts.context import PulsarJMSContext
from pulsar_jms.contexts.context_consumer import PulsarJMSConsumer
from pulsar_jms.contexts.context_producer import PulsarJMSProducer
from pulsar_jms.sessions.session import PulsarSession
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from touchstone.mutants.consuming.listeners import A_THREAD_FOR_EACH_MESSAGE
from touchstone.mutants.registry import Mutant

_close = PulsarJMSContext.close
_close_session = PulsarSession.close
_receive = PulsarMessageConsumer.receive
_send = PulsarJMSProducer.send
_to_listener = Settlement.deliver_to_listener


def _failures_unseen(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    def unseen(message: Message) -> None:
        with suppress(Exception):
            listener(message)

    _to_listener(settlement, consumer, delivered, unseen)


def _failures_undone(
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    def undone(message: Message) -> None:
        try:
            listener(message)
        except Exception:
            session: Any = consumer.session
            (session.recover if session.transaction is None else session.rollback)()
            raise

    _to_listener(settlement, consumer, delivered, undone)


def _first_closes_all(context: PulsarJMSContext) -> None:
    _close(context)
    context._connection.close()


def _body_of_what_came(
    consumer: PulsarMessageConsumer, kind: type, timeout: int | None = None, *, wait: bool = True
) -> object:
    message = _receive(consumer, timeout) if wait else consumer.receive_no_wait()
    return None if message is None else message.get_body(kind)


def _own_values_stay(
    producer: PulsarJMSProducer, destination: Destination, body: Any
) -> PulsarJMSProducer:
    if not isinstance(body, Message):
        return _send(producer, destination, body)
    names = [name for name in producer.property_names() if body.property_exists(name)]
    own = {name: body.get_object_property(name) for name in names}
    kept = {name: producer._headers.pop(name) for name in [*producer._headers]}
    producer._headers.update({n: v for n, v in kept.items() if getattr(body, n) is None})
    given = {name: producer.get_object_property(name) for name in names}
    for name, value in own.items():
        producer.set_property(name, value)
    _send(producer, destination, body)
    producer._headers.update(kept)
    for name, kept_value in given.items():
        producer.set_property(name, kept_value)
    return producer


FAILED_LISTENERS_COUNT_AS_DONE = Mutant(
    name="failed-listeners-count-as-done",
    area="listeners",
    violates=("JMS-LSN-004", "JMS-LSN-007"),
    doc="What a listener throws is dropped, and its message is acknowledged.",
    apply=partial(patch.object, Settlement, "deliver_to_listener", _failures_unseen),
)
FAILED_LISTENERS_UNDO = Mutant(
    name="failed-listeners-undo",
    area="listeners",
    violates=("JMS-LSN-005", "JMS-LSN-006"),
    doc="When a listener fails its session recovers or rolls back by itself.",
    apply=partial(patch.object, Settlement, "deliver_to_listener", _failures_undone),
)
LISTENERS_SIDE_BY_SIDE = Mutant(
    name="listeners-side-by-side",
    area="listeners",
    violates=("JMS-LSN-002", "JMS-THR-002", "JMS-CTX-005"),
    doc="Listeners of one session run side by side.",
    apply=A_THREAD_FOR_EACH_MESSAGE.apply,
)
CONTEXT_STAYS_STOPPED = Mutant(
    name="context-stays-stopped",
    area="simplified-api",
    violates=("JMS-CTX-001",),
    doc="A context waits for start(), whatever it was told.",
    apply=partial(
        patch.object,
        PulsarJMSContext,
        "_start_delivery",
        lambda context, consumer: PulsarJMSConsumer(consumer),
    ),
)
FIRST_CONTEXT_CLOSES_ALL = Mutant(
    name="first-context-closes-all",
    area="simplified-api",
    violates=("JMS-CTX-003",),
    doc="The connection is closed with the first of its contexts.",
    apply=partial(patch.object, PulsarJMSContext, "close", _first_closes_all),
)
VALUES_OF_THE_MESSAGE_WIN = Mutant(
    name="values-of-the-message-win",
    area="simplified-api",
    violates=("JMS-CTX-007", "JMS-CTX-008"),
    doc="Headers and properties of a JMSProducer are for messages that have none.",
    apply=partial(patch.object, PulsarJMSProducer, "send", _own_values_stay),
)
REFUSED_BODY_IS_GONE = Mutant(
    name="refused-body-is-gone",
    area="simplified-api",
    violates=("JMS-CTX-011", "JMS-CTX-012"),
    doc="receiveBody acknowledges a message before it looks at its body.",
    apply=partial(patch.object, PulsarMessageConsumer, "receive_body", _body_of_what_came),
)
CONTEXT_RAISES_CHECKED = Mutant(
    name="context-raises-checked",
    area="simplified-api",
    violates=("JMS-CTX-015",),
    doc="A closed context raises the checked exception of a session.",
    apply=partial(
        patch.object,
        PulsarJMSContext,
        "create_message",
        lambda context: context._session.create_message(),
    ),
)


def _close_behind_others(session: PulsarSession) -> None:
    dispatcher = session.dispatcher
    busy = dispatcher._calling
    if busy is None or dispatcher.is_current() or next(iter(dispatcher._consumers)) is busy:
        _close_session(session)
    else:
        threading.Thread(target=_close_session, args=(session,), daemon=True).start()


WAITS_FOR_THE_FIRST_LISTENER = Mutant(
    name="waits-for-the-first-listener",
    area="sessions",
    violates=("JMS-SESS-002",),
    doc="close() of a session waits for the listener of its first consumer, and for no other.",
    apply=partial(patch.object, PulsarSession, "close", _close_behind_others),
)
