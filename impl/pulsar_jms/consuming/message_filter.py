"""Message filters: which messages of its subscription a consumer delivers.

A message is judged by its raw properties alone, before its body is read: one that this consumer
rejects may be unreadable here and still be another's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from jmsapi import IllegalStateException, InvalidSelectorException, MessageFormatException
from jmsapi.values import PropertyValue
from pulsar_jms.configuration import Settings
from pulsar_jms.implements import implements
from pulsar_jms.mapping.expiration import expiration_text, is_expired
from pulsar_jms.mapping.headers import message_id_text
from pulsar_jms.mapping.nolocal import was_sent_through
from pulsar_jms.mapping.properties import Unreadable
from pulsar_jms.mapping.selectors import (
    HEADER_VALUES,
    FilterResult,
    result_for_rejected,
    selector_of,
    selects,
)
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.messages.received_properties import ReceivedProperties
from pulsar_jms.selectors import Selector
from pulsar_jms.transport.transport_protocol import SubscriptionType
from pulsar_jms.transport.wire_messages import Incoming

SERVER_SIDE = "jms.useServerSideFiltering"
_SHOWN = 60
"""Characters of a selector that an error shows."""


def _now() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """What one consumer or browser lets pass."""

    selector: Selector | None = None
    not_from: str | None = None
    """The id of the connection whose messages noLocal rejects."""
    rejected: FilterResult = FilterResult.ACKNOWLEDGED
    """What becomes of a message that selector or noLocal rejects."""
    clock: Callable[[], int] = _now
    """Milliseconds since the epoch."""

    @implements("JMS-EXP-001")
    def filter_result(self, incoming: Incoming) -> FilterResult:
        """What is to be done with a message; `MessageFormatException` as that of `accepts`.

        An expired message is dropped on every kind of subscription: no other consumer of it may
        have the message either.
        """
        expiration = expiration_text(incoming.properties)
        if expiration is not None and is_expired(expiration, self.clock()):
            return FilterResult.ACKNOWLEDGED
        if self.selector is None and self.not_from is None:
            return FilterResult.DELIVERED
        return FilterResult.DELIVERED if self.accepts(incoming) else self.rejected

    @implements("JMS-SUB-021", "JMS-NLOC-003")
    def accepts(self, incoming: Incoming) -> bool:
        """Whether selector and noLocal let a message pass, expired or not.

        `MessageFormatException` when a property that the selector asks for cannot be read.
        """
        if self.not_from is not None and was_sent_through(self.not_from, incoming.properties):
            return False
        return self.selector is None or _matches(self.selector, incoming)


ACCEPT_ALL = MessageFilter()
"""Lets pass whatever is not expired."""


def filter_for(
    kind: ConsumerKind,
    subscription_type: SubscriptionType,
    settings: Settings,
    selector: str | None,
    not_from: str | None,
) -> MessageFilter:
    """The message filter of a new consumer.

    `InvalidSelectorException` or, for noLocal, `IllegalStateException` where the settings forbid
    what was asked for; the former for a malformed selector, too.
    """
    parsed = selector_of(selector)
    if parsed is None and not not_from:
        return ACCEPT_ALL
    if _is_forbidden(kind, subscription_type, settings):
        advice = (
            f"is refused on a {subscription_type.value} subscription while "
            "jms.enableClientSideEmulation is false; set it to true or leave it out"
        )
        if parsed is not None:
            raise InvalidSelectorException(f"The selector {_excerpt(parsed)} {advice}")
        raise IllegalStateException(f"noLocal {advice}")
    acknowledge = settings.flag("jms.acknowledgeRejectedMessages", False)
    return MessageFilter(
        parsed, not_from, result_for_rejected(subscription_type.value, acknowledge)
    )


def _is_forbidden(
    kind: ConsumerKind, subscription_type: SubscriptionType, settings: Settings
) -> bool:
    """Whether neither client nor broker may filter, and the type is not Exclusive.

    As in the real client, a queue counts as what a simple consumer of a topic would be.
    """
    if settings.flag("jms.enableClientSideEmulation", True) or settings.flag(SERVER_SIDE, False):
        return False
    if kind is ConsumerKind.QUEUE:
        return not settings.flag("jms.useExclusiveSubscriptionsForSimpleConsumers", True)
    return subscription_type is not SubscriptionType.EXCLUSIVE


def _matches(selector: Selector, incoming: Incoming) -> bool:
    try:
        return selects(selector, _Values(incoming))
    except MessageFormatException as error:
        raise MessageFormatException(
            f"The message {message_id_text(incoming.position)} of {incoming.topic} cannot be "
            f"judged by the selector {_excerpt(selector)}: {error.reason}. It is not acknowledged; "
            "consume it without a selector, or skip it by the administration"
        ) from error


def _excerpt(selector: Selector) -> str:
    text = selector.text
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


@implements("JMS-SEL-011..013", "JMS-PROP-042")
class _Values(Mapping[str, PropertyValue | None]):
    """The values that a selector asks for by name, read from a raw message when it does."""

    __slots__ = ("_incoming", "_properties")

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming
        self._properties = ReceivedProperties(incoming, incoming.properties)

    def __getitem__(self, name: str) -> PropertyValue | None:
        header = HEADER_VALUES.get(name)
        if header is not None:
            return header(self._incoming)
        value = self._properties.get(name)
        if isinstance(value, Unreadable):
            raise value.refusal(name)
        return value

    def __iter__(self) -> Iterator[str]:
        yield from HEADER_VALUES
        yield from self._properties

    def __len__(self) -> int:
        return len(HEADER_VALUES) + len(self._properties)
