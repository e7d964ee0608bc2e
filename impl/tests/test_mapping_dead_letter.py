"""Dead letters as rules: how often, whereto, with which properties."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import JMSException
from pulsar_jms.configuration import settings
from pulsar_jms.mapping.dead_letter import (
    DeadLetterPolicy,
    dead_letter_properties,
    dead_letter_topic_name,
)

POLICY = "consumerConfig.deadLetterPolicy"


@given(st.integers(1, 50))
def test_a_message_is_delivered_once_and_redelivered_as_often_as_allowed(limit: int) -> None:
    policy = DeadLetterPolicy(limit)
    redeliveries = next(n for n in count() if policy.exhausted_after(n))
    assert redeliveries == limit
    assert not policy.exceeded_by(redeliveries)
    assert policy.exceeded_by(redeliveries + 1)


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("persistent://public/default/q", "persistent://public/default/q-jms-queue-DLQ"),
        (
            "persistent://public/default/q-partition-3",
            "persistent://public/default/q-partition-3-jms-queue-DLQ",
        ),
    ],
)
def test_the_topic_is_named_after_topic_and_subscription(topic: str, expected: str) -> None:
    assert DeadLetterPolicy(1).topic_for(topic, "jms-queue") == expected
    assert DeadLetterPolicy(1, "persistent://a/b/c").topic_for(topic, "s") == "persistent://a/b/c"


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("", ""),
        ("dlt", "persistent://public/default/dlt"),
        ("a/b/dlt", "persistent://a/b/dlt"),
        ("persistent://a/b/dlt", "persistent://a/b/dlt"),
        ("non-persistent://a/b/dlt", "non-persistent://a/b/dlt"),
    ],
)
def test_the_topic_is_named_by_pulsars_rules(name: str, full: str) -> None:
    assert dead_letter_topic_name(name) == full


@pytest.mark.parametrize(
    "name", [7, "a/b", "a/b/c/d", "http://a/b/c", "persistent://a/b", "persistent://a//b", "://a"]
)
def test_a_name_of_no_topic_is_refused(name: object) -> None:
    with pytest.raises(ValueError, match=r"a text|a topic"):
        dead_letter_topic_name(name)


def test_a_dead_letter_says_where_it_came_from() -> None:
    assert dead_letter_properties({"k": "v"}, "persistent://a/b/c", "sub", (7, 5, -1, -1)) == {
        "k": "v",
        "REAL_TOPIC": "persistent://a/b/c",
        "REAL_SUBSCRIPTION": "sub",
        "ORIGIN_MESSAGE_ID": "7:5:-1",
        "ORIGIN_MESSAGE_IDY_TIME": "7:5:-1",
    }


@given(st.dictionaries(st.sampled_from(["REAL_TOPIC", "ORIGIN_MESSAGE_ID", "k"]), st.text()))
def test_its_own_properties_stay_as_they_are(own: dict[str, str]) -> None:
    properties = dead_letter_properties(own, "persistent://a/b/c", "sub", (7, 5, 0, 2))
    assert own.items() <= properties.items()
    assert properties["ORIGIN_MESSAGE_IDY_TIME"] == "7:5:0:2"


def test_without_a_policy_there_is_none() -> None:
    assert settings({"consumerConfig": {"deadLetterPolicy": {}}}).dead_letter_policy is None


def test_a_policy_is_read_from_texts_and_numbers() -> None:
    given = {
        "maxRedeliverCount": "2",
        "deadLetterTopic": "dlt",
        "initialSubscriptionName": "keep",
        "retryLetterTopic": "retry",
    }
    assert settings(
        {"consumerConfig": {"deadLetterPolicy": given}}
    ).dead_letter_policy == DeadLetterPolicy(2, "persistent://public/default/dlt", "keep")


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ({"maxRedeliverCount": 0}, r"maxRedeliverCount' is 0.*1 or more"),
        ({"maxRedeliverCount": -1}, r"maxRedeliverCount' is -1.*1 or more"),
        ({"maxRedeliverCount": "often"}, "maxRedeliverCount.*'often'.*a whole number"),
        ({"maxRedeliverCount": 1.5}, "maxRedeliverCount.*1.5"),
        ({"deadLetterTopic": "dlt"}, "maxRedeliverCount' is missing beside .*deadLetterTopic"),
        ({"maxRedeliverCount": 1, "deadLetterTopic": "a/b"}, "deadLetterTopic.*'a/b'.*a topic"),
        ({"maxRedeliverCount": 1, "retryLetterTopic": 1}, "retryLetterTopic.*a text"),
        ({"maxRedeliverCount": 1, "initialSubscriptionName": 1}, "initialSubscriptionName.*a text"),
        ({"maxRedeliveryCount": 1}, "maxRedeliveryCount.*did you mean.*maxRedeliverCount"),
        (3, r"deadLetterPolicy' is 3.*a map with .*maxRedeliverCount"),
    ],
)
def test_a_wrong_policy_is_refused_by_name(policy: object, says: str) -> None:
    with pytest.raises(JMSException, match=says):
        settings({"consumerConfig": {"deadLetterPolicy": policy}})


def test_a_destination_replaces_policy_and_backoffs_as_a_whole() -> None:
    configured = settings(
        {
            f"{POLICY}.maxRedeliverCount": 1,
            f"{POLICY}.deadLetterTopic": "dlt",
            "consumerConfig.negativeAckRedeliveryBackoff": {"minDelayMs": 5, "multiplier": 3.0},
            "consumerConfig.receiverQueueSize": 5,
        }
    )
    query = {
        "consumerConfig": {
            "deadLetterPolicy": {"maxRedeliverCount": "9"},
            "negativeAckRedeliveryBackoff": {"minDelayMs": "7"},
        }
    }
    overridden = configured.with_overrides(query, "queue 'q'")
    assert overridden.dead_letter_policy == DeadLetterPolicy(9)
    assert overridden.negative_ack_backoff is not None
    assert overridden.negative_ack_backoff.min_delay == 7
    assert overridden.negative_ack_backoff.multiplier == 2.0
    assert overridden.receiver_queue_size == 5


def test_a_destination_without_a_policy_keeps_that_of_the_factory() -> None:
    configured = settings({f"{POLICY}.maxRedeliverCount": 1})
    overridden = configured.with_overrides(
        {"consumerConfig": {"receiverQueueSize": "1"}}, "queue 'q'"
    )
    assert overridden.dead_letter_policy == DeadLetterPolicy(1)


def test_a_wrong_policy_of_a_destination_names_it() -> None:
    query = {"consumerConfig": {"deadLetterPolicy": {"maxRedeliverCount": "0"}}}
    with pytest.raises(JMSException, match=r"In queue 'q' the key .*maxRedeliverCount.* is '0'"):
        settings({}).with_overrides(query, "queue 'q'")
