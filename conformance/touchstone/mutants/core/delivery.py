"""Clients that break what the specification says of browsers, delays, expiration and priorities."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import Int
from pulsar_jms.consuming import browser
from pulsar_jms.consuming.browser import PulsarQueueBrowser, Stretch
from pulsar_jms.deliveries import punctual_consumer
from pulsar_jms.mapping import selectors
from pulsar_jms.mapping.headers import read_headers
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.messages import encode, message, wire_decoding, wire_encoding
from pulsar_jms.producing import producer
from pulsar_jms.transport.wire_messages import OutgoingMessage
from touchstone.mutants.registry import Mutant
from touchstone.mutants.subscription_rows import row_changed

_stretch = PulsarQueueBrowser._stretch
_LATE = 2000


def _all_but_the_last(browser: PulsarQueueBrowser, topic: str) -> Iterator[Stretch]:
    for stretch in _stretch(browser, topic):
        ledger, entry = stretch.extent.last
        yield stretch._replace(extent=stretch.extent._replace(last=(ledger, entry - 1)))


def _prolonged(*arguments: Any) -> OutgoingMessage:
    outgoing = encode(*arguments)
    if outgoing.deliver_at is None:
        return outgoing
    return outgoing._replace(deliver_at=outgoing.deliver_at + _LATE)


def _lowest_taken_for_none(wire: Any) -> dict[str, object]:
    found = read_headers(wire)
    found["jms_priority"] = found.get("jms_priority") or 4
    return found


def _default_only(wire: Any) -> dict[str, object]:
    found = read_headers(wire)
    found.pop("jms_priority", None)
    return found


BROWSER_IGNORES_ITS_SELECTOR = Mutant(
    name="browser-ignores-its-selector",
    area="browser",
    violates=("JMS-BRW-003",),
    doc="A browser with a selector lists every message.",
    apply=partial(patch.object, browser, "selector_of", lambda text: None),
)
BROWSER_SHOWS_WHAT_IS_DELAYED = Mutant(
    name="browser-shows-what-is-delayed",
    area="browser",
    violates=("JMS-BRW-004",),
    doc="A browser lists messages before their delivery time.",
    apply=partial(patch.object, browser, "is_delivered_yet", lambda *instants: True),
)
BROWSER_LEAVES_OUT_THE_LAST = Mutant(
    name="browser-leaves-out-the-last",
    area="browser",
    violates=("JMS-BRW-001", "JMS-BRW-002"),
    doc="A browser ends before the last message of the queue.",
    apply=partial(patch.object, PulsarQueueBrowser, "_stretch", _all_but_the_last),
)
DELIVERY_TIME_WITHOUT_THE_DELAY = Mutant(
    name="delivery-time-without-the-delay",
    area="delay",
    violates=("JMS-DLY-001",),
    doc="JMSDeliveryTime is the time of sending, on both sides.",
    apply=partial(patch.object, wire_encoding, "delivery_time_of", lambda sent_at, delay: sent_at),
)
EARLY_MESSAGES_DELIVERED = Mutant(
    name="early-messages-delivered",
    area="delay",
    violates=("JMS-DLY-003",),
    doc="What the broker delivers a moment too early is handed over at once.",
    apply=partial(patch.object, punctual_consumer, "early_by", lambda due, sent_at, now: 0),
)
DELAYS_ARE_PROLONGED = Mutant(
    name="delays-are-prolonged",
    area="delay",
    violates=("JMS-DLY-004",),
    doc="A delayed message comes two seconds after its delivery time.",
    apply=partial(patch.object, producer, "encode", _prolonged),
)
LATER_SUBSCRIPTIONS_GET_EARLIER_MESSAGES = Mutant(
    name="later-subscriptions-get-earlier-messages",
    area="delay",
    violates=("JMS-DLY-005",),
    doc="The subscription of a simple topic consumer begins with the first message of the topic.",
    apply=row_changed(ConsumerKind.SIMPLE, earliest=True),
)
EXPIRATION_IS_NOT_READ = Mutant(
    name="expiration-is-not-read",
    area="expiration",
    violates=("JMS-EXP-004",),
    doc="A receiver reads JMSExpiration as 0.",
    apply=partial(patch.object, message, "read_expiration", lambda wire: 0),
)
PRIORITY_IS_NOT_READ = Mutant(
    name="priority-is-not-read",
    area="priority",
    violates=("JMS-PRIO-001",),
    doc="Every message is received with priority 4.",
    apply=partial(patch.object, wire_decoding, "read_headers", _default_only),
)
LOWEST_PRIORITY_TAKEN_FOR_NONE = Mutant(
    name="lowest-priority-taken-for-none",
    area="priority",
    violates=("JMS-PRIO-001",),
    doc="Priority 0 is received as 4.",
    apply=partial(patch.object, wire_decoding, "read_headers", _lowest_taken_for_none),
)
SELECTOR_SEES_ONE_PRIORITY = Mutant(
    name="selector-sees-one-priority",
    area="priority",
    violates=("JMS-PRIO-001",),
    doc="JMSPriority is 4 for every selector.",
    apply=partial(patch.dict, selectors.HEADER_VALUES, {"JMSPriority": lambda message: Int(4)}),
)
