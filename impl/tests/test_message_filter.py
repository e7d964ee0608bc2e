"""What passes a consumer's message filter, judged on raw messages alone."""

from __future__ import annotations

import pytest

from jmsapi import (
    IllegalStateException,
    InvalidSelectorException,
    JMSException,
    Long,
    MessageFormatException,
)
from pulsar_jms.configuration import settings
from pulsar_jms.consuming.message_filter import ACCEPT_ALL, MessageFilter, filter_for
from pulsar_jms.mapping.expiration import expiration_of, is_expired
from pulsar_jms.mapping.nolocal import was_sent_through
from pulsar_jms.mapping.selectors import (
    HEADER_VALUES,
    FilterResult,
    result_for_rejected,
    selector_of,
)
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.selectors import Selector
from pulsar_jms.transport.transport_protocol import SubscriptionType
from pulsar_jms.transport.wire_messages import IncomingMessage, MessagePosition

NOW = 1_700_000_000_000
EXCLUSIVE, SHARED = SubscriptionType.EXCLUSIVE, SubscriptionType.SHARED


def raw(**wire: str) -> IncomingMessage:
    """A raw message with these properties."""
    return IncomingMessage(b"", False, wire, MessagePosition(7, 3), topic="some-topic")


def sent_at(event_time: int) -> IncomingMessage:
    """A raw message sent at that time."""
    return raw()._replace(event_time=event_time)


def message_filter(selector: str | None = None, not_from: str | None = None) -> MessageFilter:
    """The filter of a shared subscription at the instant `NOW`."""
    return MessageFilter(selector_of(selector), not_from, FilterResult.NACKED, lambda: NOW)


# -- expiration --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expires"),
    [
        (str(NOW), True),
        (str(NOW - 1), True),
        ("1", True),
        (str(NOW + 1), False),
        ("0", False),
        ("-1", False),
        ("", False),
        ("soon", False),
        ("1e3", False),
        (str(2**63 - 1), False),
        (str(2**63), False),
    ],
)
def test_an_instant_that_has_come_expires(text: str, expires: bool) -> None:
    assert is_expired(text, NOW) is expires
    filter_result = message_filter("x = 1").filter_result(
        raw(JMSExpiration=text, x="1", x_jsmtype="int")
    )
    assert filter_result is (FilterResult.ACKNOWLEDGED if expires else FilterResult.DELIVERED)


def test_an_expired_message_is_dropped_before_any_selector_is_asked() -> None:
    unreadable = raw(JMSExpiration="1", x="one", x_jsmtype="int")
    assert message_filter("x = 1").filter_result(unreadable) is FilterResult.ACKNOWLEDGED
    assert message_filter(None, "me").filter_result(
        raw(JMSExpiration="1", JMSConnectionID="me")
    ) is (FilterResult.ACKNOWLEDGED)


def test_a_browser_or_reader_may_ask_for_expired_messages() -> None:
    assert message_filter("x IS NULL").accepts(raw(JMSExpiration="1"))


def test_whatever_is_not_expired_passes_without_selector_and_no_local() -> None:
    assert ACCEPT_ALL.filter_result(raw(JMSConnectionID="me")) is FilterResult.DELIVERED


@pytest.mark.parametrize(("lives", "expiration"), [(0, 0), (1, NOW + 1), (60_000, NOW + 60_000)])
def test_expiration_is_sending_plus_time_to_live(lives: int, expiration: int) -> None:
    assert expiration_of(NOW, lives) == expiration


def test_a_time_to_live_beyond_all_instants_is_refused() -> None:
    assert expiration_of(NOW, 2**63 - 1 - NOW) == 2**63 - 1
    with pytest.raises(JMSException, match=f"time_to_live {2**63 - NOW} .*0 is for messages"):
        expiration_of(NOW, 2**63 - NOW)


# -- noLocal -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "local"),
    [
        ({"JMSConnectionID": "me"}, True),
        ({"JMSConnectionID": "Me"}, False),
        ({"JMSConnectionID": "me-too"}, False),
        ({}, False),
    ],
)
def test_the_connection_id_tells_what_is_local(wire: dict[str, str], local: bool) -> None:
    assert was_sent_through("me", wire) is local
    assert message_filter(None, "me").filter_result(raw(**wire)) is (
        FilterResult.NACKED if local else FilterResult.DELIVERED
    )


def test_selector_and_no_local_hold_together() -> None:
    both = message_filter("x IS NULL", "me")
    assert both.accepts(raw(JMSConnectionID="you"))
    assert not both.accepts(raw(JMSConnectionID="me"))
    assert not both.accepts(raw(JMSConnectionID="you", x=""))


# -- selectors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selector", "selected", "left"),
    [
        ("JMSPriority = 4", raw(), raw(JMSPriority="5")),
        ("JMSPriority = 9", raw(JMSPriority="9"), raw()),
        ("JMSType = 'a'", raw(JMSType="a"), raw()),
        ("JMSType IS NULL", raw(), raw(JMSType="")),
        ("JMSCorrelationID = 'abc'", raw(JMSCorrelationID="YWJj"), raw()),
        ("JMSCorrelationID IS NULL", raw(), raw(JMSCorrelationID="YWJj")),
        ("JMSDeliveryMode = 'PERSISTENT'", raw(), raw(JMSDeliveryMode="1")),
        ("JMSDeliveryMode = 'NON_PERSISTENT'", raw(JMSDeliveryMode="1"), raw()),
        ("JMSTimestamp >= 1000", sent_at(1000), sent_at(999)),
        ("JMSTimestamp = 0", raw(), sent_at(1)),
        ("JMSMessageID = 'ID:7:3:-1'", raw(), raw(JMSMessageId="ID:mine")),
        ("JMSMessageID = 'ID:mine'", raw(JMSMessageId="ID:mine"), raw()),
        ("JMSXDeliveryCount = 1", raw(), raw()._replace(redelivery_count=1)),
        ("JMSXGroupID = 'g'", raw()._replace(partition_key="g"), raw(JMSXGroupID="g")),
        ("x = 1", raw(x="1", x_jsmtype="int"), raw(x="1")),
        ("x = '1'", raw(x="1"), raw(x="1", x_jsmtype="int")),
        ("x = 1", raw(x="1", x_jmstype="integer"), raw(x="1", x_jmstype="whatever")),
        ("x", raw(x="true", x_jsmtype="boolean"), raw(x="true")),
        ("x IS NOT NULL AND x_jsmtype IS NULL", raw(x="1", x_jsmtype="int"), raw(y="1")),
    ],
)
def test_selector_sees_header_fields_and_typed_properties(
    selector: str, selected: IncomingMessage, left: IncomingMessage
) -> None:
    assert message_filter(selector).accepts(selected)
    assert not message_filter(selector).accepts(left)


def test_timestamps_are_longs() -> None:
    assert HEADER_VALUES["JMSTimestamp"](sent_at(5)) == Long(5)
    assert type(HEADER_VALUES["JMSTimestamp"](sent_at(5))) is Long


def test_an_unreadable_property_is_told_and_decides_nothing() -> None:
    unreadable = raw(x="one", x_jsmtype="int", y="1", y_jsmtype="int")
    with pytest.raises(MessageFormatException, match=r"ID:7:3:-1 of some-topic .*'x = 1'.*'x'"):
        message_filter("x = 1").filter_result(unreadable)
    assert message_filter("y = 1 OR x = 1").filter_result(unreadable) is FilterResult.DELIVERED
    assert message_filter("y = 2 AND x = 1").filter_result(unreadable) is FilterResult.NACKED


def test_a_long_selector_is_shown_in_short() -> None:
    text = " OR ".join(["x = 1"] * 1000)
    with pytest.raises(MessageFormatException) as refusal:
        message_filter(text).filter_result(raw(x="one", x_jsmtype="int"))
    assert len(refusal.value.reason) < 400


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_text_is_no_selector(nothing: str | None) -> None:
    assert selector_of(nothing) is None
    screened = filter_for(ConsumerKind.QUEUE, SHARED, settings({}), nothing, None)
    assert screened is ACCEPT_ALL


@pytest.mark.parametrize("text", [1, b"x = 1", ["x = 1"], True, Selector.parse("x = 1")])
def test_what_is_no_text_is_no_selector_either(text: object) -> None:
    with pytest.raises(InvalidSelectorException, match="is no text"):
        selector_of(text)  # type: ignore[arg-type]


# -- what becomes of the rejected, and what settings forbid -------------------------------------


@pytest.mark.parametrize(
    ("kind", "filter_result"),
    [
        ("Exclusive", FilterResult.ACKNOWLEDGED),
        ("Shared", FilterResult.NACKED),
        ("Key_Shared", FilterResult.NACKED),
        ("Failover", FilterResult.LEFT),
    ],
)
def test_fate_of_the_rejected_by_type(kind: str, filter_result: FilterResult) -> None:
    assert result_for_rejected(kind) is filter_result
    assert result_for_rejected(kind, acknowledge_rejected=True) is FilterResult.ACKNOWLEDGED
    screened = filter_for(ConsumerKind.SHARED, SubscriptionType(kind), settings({}), "x = 1", None)
    assert screened.rejected is filter_result
    acknowledging = settings({"jms.acknowledgeRejectedMessages": "true"})
    screened = filter_for(ConsumerKind.SHARED, SubscriptionType(kind), acknowledging, None, "me")
    assert screened.rejected is FilterResult.ACKNOWLEDGED


FORBIDDING: dict[str, object] = {"jms.enableClientSideEmulation": False}
SIMPLE_SHARED: dict[str, object] = {"jms.useExclusiveSubscriptionsForSimpleConsumers": False}


@pytest.mark.parametrize(
    ("kind", "of", "configuration", "forbidden"),
    [
        (ConsumerKind.SHARED, SHARED, {}, False),
        (ConsumerKind.SHARED, SHARED, {"jms.enableClientSideEmulation": True}, False),
        (ConsumerKind.SHARED, SHARED, FORBIDDING, True),
        (ConsumerKind.SHARED_DURABLE, SubscriptionType.FAILOVER, FORBIDDING, True),
        (ConsumerKind.DURABLE, EXCLUSIVE, FORBIDDING, False),
        (ConsumerKind.SIMPLE, EXCLUSIVE, FORBIDDING, False),
        (ConsumerKind.SIMPLE, SHARED, {**FORBIDDING, **SIMPLE_SHARED}, True),
        (ConsumerKind.QUEUE, SHARED, FORBIDDING, False),
        (ConsumerKind.QUEUE, SHARED, {**FORBIDDING, **SIMPLE_SHARED}, True),
    ],
)
def test_emulation_is_refused_only_where_the_settings_say_so(
    kind: ConsumerKind, of: SubscriptionType, configuration: dict[str, object], forbidden: bool
) -> None:
    given = settings(configuration)
    if not forbidden:
        assert filter_for(kind, of, given, "x = 1", "me").not_from == "me"
        return
    with pytest.raises(InvalidSelectorException, match=r"'x = 1'.*jms\.enableClientSideEmulation"):
        filter_for(kind, of, given, "x = 1", None)
    with pytest.raises(IllegalStateException, match=r"noLocal .*jms\.enableClientSideEmulation"):
        filter_for(kind, of, given, None, "me")
    assert filter_for(kind, of, given, None, None) is ACCEPT_ALL
