"""Clients that are wrong about message listeners."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import patch
from weakref import WeakKeyDictionary

from pulsar_jms.consuming.consumer import PulsarMessageConsumer
from pulsar_jms.consuming.dispatch import Dispatcher
from pulsar_jms.threads import FailureHandler
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from touchstone.mutants.registry import Mutant

_call_listener = PulsarMessageConsumer.call_listener
_init = Dispatcher.__init__
_one_for_all = threading.Lock()
_pool = [ThreadPoolExecutor(1) for _ in range(4)]
_served_by: WeakKeyDictionary[object, ThreadPoolExecutor] = WeakKeyDictionary()


def _on_a_thread(consumer: PulsarMessageConsumer, delivered: DeliveredMessage) -> None:
    threading.Thread(target=_call_listener, args=(consumer, delivered), daemon=True).start()


def _one_at_a_time(consumer: PulsarMessageConsumer, delivered: DeliveredMessage) -> None:
    with _one_for_all:
        _call_listener(consumer, delivered)


def _by_a_pool(consumer: PulsarMessageConsumer, delivered: DeliveredMessage) -> None:
    executor = _served_by.setdefault(consumer.session, _pool[len(_served_by) % len(_pool)])
    executor.submit(_call_listener, consumer, delivered).result()


def _running_from_the_start(dispatcher: Dispatcher, name: str, ended: FailureHandler) -> None:
    _init(dispatcher, name, ended)
    dispatcher.resume()


STOP_DOES_NOT_WAIT = Mutant(
    name="stop-does-not-wait",
    area="listeners",
    violates=("SLJ-LSN-005",),
    doc="stop() comes back while a callback runs.",
    apply=partial(patch.object, Dispatcher, "_wait", lambda dispatcher, condition: None),
)
DELIVERY_BEFORE_START = Mutant(
    name="delivery-before-start",
    area="listeners",
    violates=("SLJ-LSN-004",),
    doc="Listeners are called before the connection is started.",
    apply=partial(patch.object, Dispatcher, "__init__", _running_from_the_start),
)
A_THREAD_FOR_EACH_MESSAGE = Mutant(
    name="a-thread-for-each-message",
    area="listeners",
    violates=("SLJ-LSN-001", "SLJ-LSN-002"),
    doc="Callbacks of one session run side by side.",
    apply=partial(patch.object, PulsarMessageConsumer, "call_listener", _on_a_thread),
)
SESSIONS_TAKE_TURNS = Mutant(
    name="sessions-take-turns",
    area="listeners",
    violates=("SLJ-LSN-003",),
    doc="Callbacks of different sessions never run at the same time.",
    apply=partial(patch.object, PulsarMessageConsumer, "call_listener", _one_at_a_time),
)
A_POOL_OF_THREADS = Mutant(
    name="a-pool-of-threads",
    area="listeners",
    violates=("SLJ-LSN-001",),
    doc="Four threads serve the sessions in turn: with more of them some share a thread.",
    apply=partial(patch.object, PulsarMessageConsumer, "call_listener", _by_a_pool),
)
