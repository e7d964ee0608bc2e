"""Clients that are wrong about what the dialect of RabbitMQ's document decides."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import Enumeration, MapMessage, Message
from pulsar_jms import messages
from pulsar_jms.consuming.browser import PulsarQueueBrowser
from pulsar_jms.dialects import DIALECTS, rabbitmq
from pulsar_jms.dialects.rabbitmq import RABBITMQ
from pulsar_jms.dialects.snapshots import READ_MAX, Copy, Snapshot, SnapshotBrowser
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.mapping.session_modes import INDIVIDUAL_ACKNOWLEDGE, Covers, ModeRow
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.settling.unacknowledged import UnacknowledgedDeliveries
from touchstone.mutants.registry import Mutant

_next = Snapshot.__next__
_copies = SnapshotBrowser._copies
_individual = RABBITMQ.modes[INDIVIDUAL_ACKNOWLEDGE]


def _as_dialect(**decisions: Any) -> Callable[[], AbstractContextManager[object]]:
    """The dialect with other decisions."""
    return partial(patch.dict, DIALECTS, {RABBITMQ.name: replace(RABBITMQ, **decisions)})


def _with_individual(row: ModeRow) -> Callable[[], AbstractContextManager[object]]:
    return _as_dialect(modes={**RABBITMQ.modes, INDIVIDUAL_ACKNOWLEDGE: row})


# ---- browser ----


def _remembered_next(snapshot: Snapshot) -> Message:
    message = _next(snapshot)
    snapshot.__dict__.setdefault("read", []).append(message)
    return message


def _same_enumeration(browser: SnapshotBrowser) -> Enumeration:
    """The copies of the first time."""
    first: list[Copy] = browser.__dict__.setdefault("first", _copies(browser))
    return Snapshot(first)


ENUMERATION_READS_ON_DEMAND = Mutant(
    name="enumeration-reads-on-demand",
    area="browser",
    violates=("RMQ-BRW-016", "RMQ-BRW-017"),
    doc="An enumeration reads the queue when it is read itself, and ends with its session.",
    apply=_as_dialect(browser=PulsarQueueBrowser),
    provider="reference/rabbitmq",
)
BROWSER_CLOSES = Mutant(
    name="browser-closes",
    area="browser",
    violates=("RMQ-BRW-019",),
    doc="close() ends a browser.",
    apply=partial(patch.object, SnapshotBrowser, "close", PulsarQueueBrowser.close),
    provider="reference/rabbitmq",
)
ENUMERATION_KEEPS_WHAT_WAS_READ = Mutant(
    name="enumeration-keeps-what-was-read",
    area="browser",
    violates=("RMQ-BRW-029",),
    doc="An enumeration refers to the copies that it handed out.",
    apply=partial(patch.object, Snapshot, "__next__", _remembered_next),
    provider="reference/rabbitmq",
)
SNAPSHOT_TAKEN_ONCE = Mutant(
    name="snapshot-taken-once",
    area="browser",
    violates=("RMQ-BRW-015",),
    doc="Every enumeration of a browser lists what the first one does.",
    apply=partial(patch.object, SnapshotBrowser, "enumeration", property(_same_enumeration)),
    provider="reference/rabbitmq",
)
SNAPSHOT_SHOWS_WHAT_IS_HELD = Mutant(
    name="snapshot-shows-what-is-held",
    area="browser",
    violates=("RMQ-BRW-022",),
    doc="A snapshot has what another session holds unacknowledged.",
    apply=partial(
        patch.object, PulsarConnectionFactory, "unacknowledged_positions", lambda factory: set()
    ),
    provider="reference/rabbitmq",
)

# ---- acknowledgement ----

SESSION_ACKNOWLEDGED = Mutant(
    name="session-acknowledged",
    area="acknowledgement",
    violates=("RMQ-ACK-001", "RMQ-ACK-004"),
    doc="acknowledge() in CLIENT_ACKNOWLEDGE covers the whole session, as JMS has it.",
    apply=partial(
        patch.object, UnacknowledgedDeliveries, "take_through", lambda one, _: one.take_all()
    ),
    provider="reference/rabbitmq",
)
INDIVIDUAL_MODE_REPORTED = Mutant(
    name="individual-mode-reported",
    area="acknowledgement",
    violates=("RMQ-ACK-010",),
    doc="A session in CLIENT_INDIVIDUAL_ACKNOWLEDGE reports the vendor's number.",
    apply=_with_individual(_individual._replace(reported=None)),
    provider="reference/rabbitmq",
)
INDIVIDUAL_ACKNOWLEDGES_THE_GROUP = Mutant(
    name="individual-acknowledges-the-group",
    area="acknowledgement",
    violates=("RMQ-ACK-007", "RMQ-ACK-008"),
    doc="acknowledge() in CLIENT_INDIVIDUAL_ACKNOWLEDGE covers earlier messages, too.",
    apply=_with_individual(_individual._replace(call_covers=Covers.SO_FAR)),
    provider="reference/rabbitmq",
)

# ---- interop ----


def _without_type(message: Message) -> PulsarMessage:
    copy = rabbitmq.convert(message)
    if copy is not message:
        copy.jms_type = None
    return copy


def _without_maps(message: Message) -> PulsarMessage:
    return rabbitmq.convert(message) if not isinstance(message, MapMessage) else PulsarMessage()


FOREIGN_MESSAGE_ADOPTED_WHOLE = Mutant(
    name="foreign-message-converted-whole",
    area="interop",
    violates=("RMQ-INTR-004", "RMQ-INTR-005"),
    doc="JMSReplyTo of a foreign message is kept, and what cannot be rebuilt fails the send.",
    apply=_as_dialect(convert=messages.convert),
    provider="reference/rabbitmq",
)
FOREIGN_TYPE_LOST = Mutant(
    name="foreign-type-lost",
    area="interop",
    violates=("RMQ-INTR-003",),
    doc="JMSType of a foreign message is lost.",
    apply=_as_dialect(convert=_without_type),
    provider="reference/rabbitmq",
)
FOREIGN_MAP_LOST = Mutant(
    name="foreign-map-lost",
    area="interop",
    violates=("RMQ-INTR-008",),
    doc="A foreign MapMessage becomes a message without a body.",
    apply=_as_dialect(convert=_without_maps),
    provider="reference/rabbitmq",
)

# ---- configuration ----


def _until_selected(browser: SnapshotBrowser) -> list[Copy]:
    """As many copies as the limit allows, however many messages are read for them."""
    limit = browser._session.settings.number(READ_MAX, 0)
    with patch.dict(browser._session.settings.values, {READ_MAX: 0}):
        copies = _copies(browser)
    return copies[:limit] if limit > 0 else copies


def _limit_of_the_factory(browser: SnapshotBrowser) -> list[Copy]:
    session: Any = browser._session
    now = {READ_MAX: session.connection.factory.setting(READ_MAX)}
    with patch.dict(session.settings.values, now):
        return _copies(browser)


def _nothing_at_zero(browser: SnapshotBrowser) -> list[Copy]:
    limit = browser._session.settings.number(READ_MAX, 0)
    return [] if limit == 0 else _copies(browser)


LIMIT_COUNTS_WHAT_IS_SELECTED = Mutant(
    name="limit-counts-what-is-selected",
    area="configuration",
    violates=("RMQ-CFG-006",),
    doc="The limit counts the messages that the selector keeps.",
    apply=partial(patch.object, SnapshotBrowser, "_copies", _until_selected),
    provider="reference/rabbitmq",
)
LIMIT_FOLLOWS_THE_FACTORY = Mutant(
    name="limit-follows-the-factory",
    area="configuration",
    violates=("RMQ-CFG-004",),
    doc="A changed limit holds for connections that there are already.",
    apply=partial(patch.object, SnapshotBrowser, "_copies", _limit_of_the_factory),
    provider="reference/rabbitmq",
)
ZERO_READS_NOTHING = Mutant(
    name="zero-reads-nothing",
    area="configuration",
    violates=("RMQ-CFG-007", "RMQ-CFG-010"),
    doc="A limit of zero lets a browser read nothing.",
    apply=partial(patch.object, SnapshotBrowser, "_copies", _nothing_at_zero),
    provider="reference/rabbitmq",
)
PROCESS_PROPERTY_IGNORED = Mutant(
    name="process-property-ignored",
    area="configuration",
    violates=("RMQ-CFG-009",),
    doc="The property of the process says nothing of the limit.",
    apply=_as_dialect(initial=lambda environment: {READ_MAX: 0}),
    provider="reference/rabbitmq",
)
