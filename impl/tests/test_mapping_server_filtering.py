"""What a consumer announces to the broker's filter, and which selectors it keeps to itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pulsar_jms.configuration import settings
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.consuming.subscription_requests import subscription_request, with_filter_metadata
from pulsar_jms.mapping.destinations import PulsarDestination, create_queue, create_topic
from pulsar_jms.mapping.server_filtering import filter_metadata
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.selectors import Selector
from pulsar_jms.selectors.at_broker import MAX_BYTES, means_the_same
from pulsar_jms.transport.transport_protocol import SubscriptionRequest

FILTERED = {"jms.useServerSideFiltering": "true"}


@pytest.mark.parametrize(("kind", "action"), [("queue", "reschedule"), ("topic", "drop")])
def test_a_consumer_announces_what_the_real_client_does(kind: str, action: str) -> None:
    told = filter_metadata(kind, "x = 1", "c1", server_side=True, acknowledge_rejected=True)
    assert told == {
        "jms.filtering": "true",
        "jms.selector": "x = 1",
        "jms.selector.reject.action": action,
        "jms.filter.JMSConnectionID": "c1",
        "jms.force.drop.rejected": "true",
    }


def test_nothing_is_announced_unless_it_is_asked_for() -> None:
    told = filter_metadata("queue", "x = 1", "c1", server_side=False, acknowledge_rejected=False)
    assert told == {}


def request_for(
    destination: PulsarDestination, selector: str | None, configuration: dict[str, object]
) -> SubscriptionRequest:
    """What a consumer with this selector asks the broker for."""
    configured = settings(configuration)
    kind = ConsumerKind.QUEUE if destination.KIND == "queue" else ConsumerKind.SIMPLE
    request = subscription_request(kind, destination, None, None, "AUTO_ACKNOWLEDGE", configured)
    message_filter = MessageFilter(Selector.parse(selector) if selector else None)
    return with_filter_metadata(request, destination, message_filter, configured)


def test_the_selector_is_in_the_metadata_beside_the_rest() -> None:
    request = request_for(create_queue("q"), "x = 1", dict(FILTERED))
    assert request.properties == {
        "jms.destination.type": "queue",
        "jms.acknowledgeMode": "AUTO_ACKNOWLEDGE",
        "jms.filtering": "true",
        "jms.selector": "x = 1",
        "jms.selector.reject.action": "reschedule",
    }
    assert request.subscription_properties == {"jms.destination.type": "queue"}


def test_without_the_setting_the_request_stays_as_it_was() -> None:
    topic = create_topic("t")
    plain = request_for(topic, None, {})
    asked = request_for(topic, "x = 1", {})
    assert replace(asked, name=plain.name) == plain


def test_a_selector_that_the_filter_cannot_evaluate_stays_with_the_client() -> None:
    request = request_for(create_topic("t"), "JMSMessageID LIKE 'ID:%'", dict(FILTERED))
    assert "jms.selector" not in request.properties
    assert request.properties["jms.filtering"] == "true"


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "x < 1.5",
        "x <> 1",
        "'a' = colour",
        "TRUE = flag",
        "x > 0 OR x < 0.0 OR x <> 0 OR x <= 0",
        "x BETWEEN -1 AND 0",
        "colour = 'it''s 0x1F'",
        "flag = TRUE",
        "flag",
        "x BETWEEN 1 AND 10",
        "colour IN ('red', 'blue') AND (x >= 2 OR x IS NULL)",
        "colour LIKE 'r%' AND x IS NOT NULL",
        "colour LIKE 'r!_%' ESCAPE '!'",
        "JMSType = 'a' AND JMSPriority > 4 AND JMSDeliveryMode = 'PERSISTENT'",
        "x = -1",
    ],
)
def test_plain_conditions_mean_the_same_at_the_broker(text: str) -> None:
    assert means_the_same(Selector.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NOT x = 1",
        "x NOT BETWEEN 0 AND 10",
        "colour NOT IN ('red')",
        "colour NOT LIKE 'r%'",
        "x / 2 = 1",
        "x % 2 = 1",
        "x + 1 = 2",
        "x = y",
        "TRUE",
        "x = 0x1F",
        "x = 010",
        "x = 1.5f",
        "x = 1.5d",
        "x = 5L",
        "x = 1e3",
        "x = .5",
        "x = 1.",
        "1 < x",
        "1.5 < x",
        "9999999999 > x",
        "x = 0",
        "x = 0.0",
        "x >= 0",
        "x <= -0.0",
        "x > -0.0",
        "x BETWEEN 0 AND 10",
        "x BETWEEN -1 AND -0.0",
        "JMSMessageID = 'ID:1'",
        "JMSTimestamp > 0",
        "JMSXGroupSeq = 1",
        "JMSXGroupID IS NULL",
        "JMSXDeliveryCount = 2",
        "JMSConnectionID = 'c'",
        "größe = 1",
        f"colour = '{'ä' * (MAX_BYTES // 2)}'",
    ],
)
def test_what_the_broker_may_understand_otherwise_does_not_go_there(text: str) -> None:
    assert not means_the_same(Selector.parse(text))
