"""Clients that are wrong about browsers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

import _pulsar

from jms_clients.mutants.mutant import UNREADABLE
from jms_clients.mutants.wrong import wrong
from jmsapi import Enumeration, JMSException, Message
from pulsar_jms.consuming import browser
from pulsar_jms.consuming.browser import PulsarEnumeration, PulsarQueueBrowser, Stretch
from pulsar_jms.dialects.snapshots import Copy, Snapshot, SnapshotBrowser
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.mapping.topic_extent import Extent
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.wire_messages import MessagePosition
from wrong_clients.helpers.rabbitmq_dialect import as_dialect

_copies = SnapshotBrowser._copies


@wrong("JMS-BRW-003", patches=(browser, "selector_of"))
def browser_ignores_its_selector(text: Any) -> None:
    """A browser with a selector lists every message."""


@wrong("JMS-BRW-004", patches=(browser, "is_delivered_yet"))
def browser_shows_what_is_delayed(*instants: Any) -> bool:
    """A browser lists messages before their delivery time."""
    return True


@wrong("JMS-BRW-001", "JMS-BRW-002", patches=(PulsarQueueBrowser, "_stretch"))
def browser_leaves_out_the_last(
    original: Callable[..., Iterator[Stretch]], browser: PulsarQueueBrowser, topic: str
) -> Iterator[Stretch]:
    """A browser ends before the last message of the queue."""
    for stretch in original(browser, topic):
        ledger, entry = stretch.extent.last
        yield stretch._replace(extent=stretch.extent._replace(last=(ledger, entry - 1)))


@wrong("API-BRW-002", patches=(PulsarQueueBrowser, "message_selector"))
def browsers_without_selector_say_it_is_empty(browser: Any) -> Any:
    """getMessageSelector of a browser without a selector is an empty text."""
    return browser._selector or ""


@wrong("SLJ-BRW-001", "JMS-BRW-001", patches=(PulsarClientTransport, "reader"))
def browser_consumes(
    original: Callable[..., Any],
    transport: PulsarClientTransport,
    topic: str,
    start: MessagePosition | None,
) -> Any:
    """A browser is a consumer of the queue's subscription.

    A reader beside which a consumer of the queue takes the messages.
    """
    transport._client.subscribe(topic, "jms-queue", consumer_type=_pulsar.ConsumerType.Shared)
    return original(transport, topic, start)


@wrong("SLJ-BRW-002", "SLJ-BRW-003", "SLJ-BRW-005", patches=(AdminRest, "first_due"))
def browser_begins_at_the_first_message(administration: Any, topic: Any, subscription: Any) -> Any:
    """A browser begins at the first message of the topic and asks nobody where."""
    return MessagePosition(0, 0)


@wrong("JMS-BRW-002", patches=(Extent, "is_due"))
def browser_knows_one_gap(
    original: Callable[..., bool], extent: Extent, entry: tuple[int, int]
) -> bool:
    """A browser leaves out what was consumed behind a message that was not, once in a queue."""
    return original(extent._replace(acknowledged=extent.acknowledged[:1]), entry)


@wrong("SLJ-BRW-002", "JMS-BRW-002", patches=(Extent, "is_due"))
def browser_begins_behind_the_last_consumed(extent: Extent, entry: tuple[int, int]) -> bool:
    """A browser begins behind whatever was consumed last, wherever that was."""
    return not extent.acknowledged or entry > extent.acknowledged[-1][1]


@wrong("API-BRW-003", patches=(PulsarQueueBrowser, "__init__"))
def browser_looks_when_it_is_made(
    original: Callable[..., None], browser: PulsarQueueBrowser, *arguments: Any
) -> None:
    """A browser lists what was there when it was made."""
    original(browser, *arguments)
    seen = list(browser._stretches())
    browser.__dict__["_stretches"] = lambda: iter(seen)


@wrong("SLJ-BRW-004", patches=(AdminRest, "first_due"))
def browser_shows_a_consumed_queue(
    original: Callable[..., MessagePosition | None],
    administration: AdminRest,
    topic: str,
    subscription: str,
) -> MessagePosition | None:
    """Where nothing is due, a browser lists everything."""
    return original(administration, topic, subscription) or MessagePosition(0, 0)


@wrong("SLJ-BRW-005", patches=(AdminRest, "first_due"))
def browser_forgets_the_subscription(
    original: Any, administration: Any, topic: Any, subscription: Any
) -> Any:
    """A browser begins where jms-queue stands, whatever subscription the queue names."""
    return original(administration, topic, "jms-queue")


@wrong("JMS-BRW-002", patches=(PulsarEnumeration, "__next__"), scenarios=UNREADABLE)
def browser_ends_at_what_is_unreadable(
    original: Callable[..., Message], enumeration: PulsarEnumeration
) -> Message:
    """A browser shows nothing behind a message that it cannot read."""
    try:
        return original(enumeration)
    except JMSException:
        enumeration._stretches.clear()
        raise


@wrong("RMQ-BRW-016", "RMQ-BRW-017", provider="reference/rabbitmq")
def enumeration_reads_on_demand() -> AbstractContextManager[object]:
    """An enumeration reads the queue when it is read itself, and ends with its session."""
    return as_dialect(browser=PulsarQueueBrowser)


@wrong("RMQ-BRW-019", provider="reference/rabbitmq")
def browser_closes() -> AbstractContextManager[object]:
    """close() ends a browser."""
    return patch.object(SnapshotBrowser, "close", PulsarQueueBrowser.close)


@wrong("RMQ-BRW-029", patches=(Snapshot, "__next__"), provider="reference/rabbitmq")
def enumeration_keeps_what_was_read(
    original: Callable[..., Message], snapshot: Snapshot
) -> Message:
    """An enumeration refers to the copies that it handed out."""
    message = original(snapshot)
    snapshot.__dict__.setdefault("read", []).append(message)
    return message


@wrong("RMQ-BRW-015", patches=(SnapshotBrowser, "enumeration"), provider="reference/rabbitmq")
def snapshot_taken_once(browser: SnapshotBrowser) -> Enumeration:
    """Every enumeration of a browser lists what the first one does.

    The copies of the first time.
    """
    first: list[Copy] = browser.__dict__.setdefault("first", _copies(browser))
    return Snapshot(first)


@wrong(
    "RMQ-BRW-022",
    patches=(PulsarConnectionFactory, "unacknowledged_positions"),
    provider="reference/rabbitmq",
)
def snapshot_shows_what_is_held(factory: Any) -> Any:
    """A snapshot has what another session holds unacknowledged."""
    return set()
