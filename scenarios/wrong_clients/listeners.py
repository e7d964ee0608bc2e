"""Clients that are wrong about message listeners."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from typing import Any
from weakref import WeakKeyDictionary

from jms_clients.mutants.mutant import UNREADABLE
from jms_clients.mutants.wrong import wrong
from jmsapi import Message, MessageListener
from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.threads import FailureHandler
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from wrong_clients.helpers.unreadable import struck

_one_for_all = threading.Lock()
_pool = [ThreadPoolExecutor(1) for _ in range(4)]
_served_by: WeakKeyDictionary[object, ThreadPoolExecutor] = WeakKeyDictionary()


@wrong("JMS-LSN-004", "JMS-LSN-007", patches=(Settlement, "deliver_to_listener"))
def failed_listeners_count_as_done(
    original: Callable[..., None],
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    """What a listener throws is dropped, and its message is acknowledged."""

    def unseen(message: Message) -> None:
        with suppress(Exception):
            listener(message)

    original(settlement, consumer, delivered, unseen)


@wrong("JMS-LSN-005", "JMS-LSN-006", patches=(Settlement, "deliver_to_listener"))
def failed_listeners_undo(
    original: Callable[..., None],
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    """When a listener fails its session recovers or rolls back by itself."""

    def undone(message: Message) -> None:
        try:
            listener(message)
        except Exception:
            session: Any = consumer.session
            (session.recover if session.transaction is None else session.rollback)()
            raise

    original(settlement, consumer, delivered, undone)


@wrong("JMS-LSN-002", "JMS-THR-002", "JMS-CTX-005")
def listeners_side_by_side() -> AbstractContextManager[object]:
    """Listeners of one session run side by side."""
    return a_thread_for_each_message.apply()


@wrong("SLJ-LSN-005", patches=(Dispatcher, "_wait"))
def stop_does_not_wait(dispatcher: Any, condition: Any) -> None:
    """stop() comes back while a callback runs."""


@wrong("SLJ-LSN-004", patches=(Dispatcher, "__init__"))
def delivery_before_start(
    original: Callable[..., None], dispatcher: Dispatcher, name: str, ended: FailureHandler
) -> None:
    """Listeners are called before the connection is started."""
    original(dispatcher, name, ended)
    dispatcher.resume()


@wrong("SLJ-LSN-001", "SLJ-LSN-002", patches=(PulsarMessageConsumer, "call_listener"))
def a_thread_for_each_message(
    original: Callable[..., None], consumer: PulsarMessageConsumer, delivered: DeliveredMessage
) -> None:
    """Callbacks of one session run side by side."""
    threading.Thread(target=original, args=(consumer, delivered), daemon=True).start()


@wrong("SLJ-LSN-003", patches=(PulsarMessageConsumer, "call_listener"))
def sessions_take_turns(
    original: Callable[..., None], consumer: PulsarMessageConsumer, delivered: DeliveredMessage
) -> None:
    """Callbacks of different sessions never run at the same time."""
    with _one_for_all:
        original(consumer, delivered)


@wrong("SLJ-LSN-001", patches=(PulsarMessageConsumer, "call_listener"))
def a_pool_of_threads(
    original: Callable[..., None], consumer: PulsarMessageConsumer, delivered: DeliveredMessage
) -> None:
    """Four threads serve the sessions in turn: with more of them some share a thread."""
    executor = _served_by.setdefault(consumer.session, _pool[len(_served_by) % len(_pool)])
    executor.submit(original, consumer, delivered).result()


@wrong("JMS-LSN-001", patches=(Settlement, "deliver_to_listener"), scenarios=UNREADABLE)
def unreadable_messages_end_listeners(
    original: Callable[..., None],
    settlement: Settlement,
    consumer: PulsarMessageConsumer,
    delivered: DeliveredMessage,
    listener: MessageListener,
) -> None:
    """Behind a message that cannot be read no listener of the session gets anything."""
    if settlement not in struck:
        try:
            original(settlement, consumer, delivered, listener)
        except Exception:
            struck.add(settlement)
            raise


@wrong("JMS-LSN-001", patches=(PulsarMessageConsumer, "handle_failure"), scenarios=UNREADABLE)
def unreadable_messages_end_the_thread(
    consumer: PulsarMessageConsumer, delivered: DeliveredMessage | None, error: BaseException
) -> None:
    """A message that cannot be read ends the thread of its session's listeners."""
    raise error
