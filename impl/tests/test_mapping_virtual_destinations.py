"""Virtual destinations: what their names stand for, and which patterns are understood."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jmsapi import InvalidDestinationException
from pulsar_jms.mapping.destinations import create_queue, create_topic
from pulsar_jms.mapping.topic_patterns import MAX_SIZE, PatternError, check_pattern, topics_covered
from pulsar_jms.mapping.virtual_destinations import TopicSource

SPACE = "t1/ns1"


def short(*names: str) -> TopicSource:
    return TopicSource(tuple(f"persistent://{SPACE}/{name}" for name in names))


@pytest.mark.parametrize(
    ("name", "source", "subscription"),
    [
        ("q1", short("q1"), None),
        ("multi:example,foo,bar", short("example", "foo", "bar"), None),
        ("multi:example,foo,bar:subscription", short("example", "foo", "bar"), "subscription"),
        ("multi:a", short("a"), None),
        ("multi:a,b,a", short("a", "b"), None),
        ("multi:a,b?consumerConfig.receiverQueueSize=1", short("a", "b"), None),
        (
            "multi:persistent://x/y/a,b,persistent://x/y/c:s",
            TopicSource(("persistent://x/y/a", f"persistent://{SPACE}/b", "persistent://x/y/c")),
            "s",
        ),
        ("regex:example.*", TopicSource((), f"persistent://{SPACE}/(?:example.*)"), None),
        ("regex:example.*:s", TopicSource((), f"persistent://{SPACE}/(?:example.*)"), "s"),
        ("regex:a|b", TopicSource((), f"persistent://{SPACE}/(?:a|b)"), None),
        ("regex:^a?b$", TopicSource((), f"persistent://{SPACE}/(?:a?b)"), None),
        ("regex:(?:a|b):s", TopicSource((), f"persistent://{SPACE}/(?:(?:a|b))"), "s"),
        ("regex:a?b?consumerConfig.x=1", TopicSource((), f"persistent://{SPACE}/(?:a?b)"), None),
        ("regex:persistent://x/y/q.*:s", TopicSource((), "persistent://x/y/(?:q.*)"), "s"),
        ("regex:non-persistent://x/y/q.*", TopicSource((), "non-persistent://x/y/(?:q.*)"), None),
    ],
)
def test_what_a_queue_stands_for(name: str, source: TopicSource, subscription: str | None) -> None:
    queue = create_queue(name)
    assert queue.source(SPACE) == source
    assert queue.subscription == subscription
    assert queue.is_virtual == (not name.startswith("q1"))


def test_a_topic_has_no_subscription_in_its_name() -> None:
    assert create_topic("multi:a,b:c").source(SPACE) == short("a", "b:c")
    assert (
        create_topic("regex:(?:a|b)").source(SPACE).pattern == f"persistent://{SPACE}/(?:(?:a|b))"
    )


def test_settings_of_a_virtual_destination() -> None:
    override = {"consumerConfig": {"receiverQueueSize": "1"}}
    for name in ("multi:a,b", "regex:a?b"):
        assert create_queue(f"{name}?consumerConfig.receiverQueueSize=1").settings == override
        assert create_queue(name).settings == {}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("multi:", "empty topic"),
        ("multi:a,,b", "empty topic"),
        ("multi:a,", "empty topic"),
        ("multi:persistent://a/b,c", "tenant/namespace/topic"),
        ("regex:", "it is empty"),
        ("regex:persistent://a/b", "tenant, namespace"),
        ("regex:persistent://a/.*/b", "tenant, namespace"),
        ("regex:a/b", "no slash"),
        ("regex:exa(", "'(' at character 4 opens a group that is not closed"),
    ],
)
def test_names_that_are_refused(name: str, says: str) -> None:
    for create in (create_queue, create_topic):
        with pytest.raises(InvalidDestinationException, match=re.escape(says)):
            create(name)


def test_a_colon_in_the_pattern_of_a_queue_is_explained() -> None:
    with pytest.raises(InvalidDestinationException, match="is its subscription"):
        create_queue("regex:(?:a|b)")


def test_nobody_sends_or_replies_to_several_topics() -> None:
    for name in ("multi:a,b", "regex:a.*", "multi:a,b:s"):
        for destination in (create_queue(name), create_topic(name)):
            with pytest.raises(InvalidDestinationException, match="sent to one topic"):
                destination.topic(SPACE)
            with pytest.raises(InvalidDestinationException, match="sent to one topic"):
                destination.wire_name(SPACE)


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "example.*",
        "a+?b{2,3}?c{2}d{2,}",
        "a|b||c",
        "(a|(?:b))*",
        r"[a-z0-9_.\-\d]+",
        r"[^\[\]]",
        r"\d\D\w\W\s\S\.\*\\",
        "Ä.",
        "a-b,c=d:e",
    ],
)
def test_patterns_that_are_understood(pattern: str) -> None:
    assert check_pattern(pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(", "not closed"),
        (")", "closes no group"),
        ("a)b", "closes no group"),
        ("*a", "cannot stand here"),
        ("a|*", "cannot stand here"),
        ("a**", "repeats a repetition"),
        ("a*+", "repeats a repetition"),
        ("a{2}{3}", "repeats a repetition"),
        ("a{3,2}", "at most less often"),
        ("a{,2}", "cannot stand here"),
        ("a{x}", "cannot stand here"),
        ("a]", "cannot stand here"),
        ("a}", "cannot stand here"),
        ("a^b", "cannot stand here"),
        ("a$b", "cannot stand here"),
        ("[a", "not closed"),
        ("[]", "cannot stand in a class"),
        ("[z-a]", "runs backwards"),
        ("[[:alpha:]]", "cannot stand in a class"),
        (r"[a-\d]", "cannot stand in a class"),
        ("[ä]", "cannot stand in a class"),
        ("(?i)a", "kind of group"),
        ("(?<=x)a", "kind of group"),
        ("(?P<n>a)", "kind of group"),
        (r"\p{L}", "no escape"),
        (r"\1", "no escape"),
        (r"\bword", "no escape"),
        ("a\\", "no escape"),
        (r"\$", None),
        ("((a{100}){100}){2}", "more than"),
        (f"a{{{MAX_SIZE + 1}}}", "more than"),
        ("(" * 60 + ")" * 60, "group inside another"),
    ],
)
def test_patterns_that_are_refused(pattern: str, says: str | None) -> None:
    if says is None:
        assert check_pattern(pattern) == pattern
        return
    with pytest.raises(PatternError, match=says):
        check_pattern(pattern)


@given(st.text("ab.*+?|()[]{}^$\\-:,1?d", max_size=12))
def test_what_is_accepted_is_an_expression(pattern: str) -> None:
    try:
        checked = check_pattern(pattern)
    except PatternError:
        return
    assert re.compile(f"(?:{checked})")


@given(st.text(max_size=20))
def test_any_text_is_a_pattern_or_refused(pattern: str) -> None:
    try:
        checked = check_pattern(pattern)
    except PatternError:
        return
    assert checked in pattern


def test_covered_topics() -> None:
    names = [
        f"persistent://{SPACE}/{name}"
        for name in (
            "example1",
            "my-example",
            "example-p-partition-0",
            "example-p-partition-1",
            "Example",
            "example",
        )
    ]
    pattern = create_queue("regex:example.*").source(SPACE).pattern or ""
    assert topics_covered(pattern, names) == [
        f"persistent://{SPACE}/{name}" for name in ("example1", "example-p", "example")
    ]
    assert topics_covered(pattern, ["persistent://t1/ns2/example"]) == []
