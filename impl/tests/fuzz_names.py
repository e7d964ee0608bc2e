"""Names: destinations, patterns of topics, dead letter topics; configuration keys."""

from __future__ import annotations

import re

from fuzz.mutations import words
from fuzz.targets import Target
from jmsapi import InvalidDestinationException, JMSException
from pulsar_jms.configuration import settings
from pulsar_jms.factories.client_opening import configuration_of
from pulsar_jms.mapping.dead_letter import DeadLetterPolicy, dead_letter_topic_name
from pulsar_jms.mapping.destinations import DEFAULT_NAMESPACE, create_queue, create_topic
from pulsar_jms.mapping.topic_patterns import PatternError, check_pattern, topics_covered

_SPACE = "tenant/space"
_SHORT = 8
"""Characters of a name for which also an expression that goes back soon comes to an end."""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _destination(data: bytes) -> None:
    for create in (create_queue, create_topic):
        destination = create(_text(data))
        settings({}).with_overrides(destination.settings, repr(destination))
        source = destination.source(_SPACE)
        if not destination.is_virtual:
            assert source.topics == (destination.topic(_SPACE),)
            assert create(destination.wire_name(_SPACE)).topic(_SPACE) == source.topics[0]


def _pattern(data: bytes) -> None:
    pattern, *names = _text(data).split("\n")
    checked = check_pattern(pattern)
    covered = topics_covered(f"(?:{checked})", names)
    short = [name for name in names if len(name) <= _SHORT and "-partition-" not in name]
    if pattern.count("*") + pattern.count("+") + pattern.count("{") <= 3:
        twin = re.compile(checked.encode())
        assert {n for n in short if twin.fullmatch(n.encode())} == {
            n for n in covered if n in short
        }


def _dead_letter(data: bytes) -> None:
    full = dead_letter_topic_name(_text(data))
    assert dead_letter_topic_name(full) == full
    assert DeadLetterPolicy(1, full or None).topic_for("persistent://t/n/a", "s")


def _configuration(data: bytes) -> None:
    checked = settings(configuration_of(_text(data)))
    assert settings(checked.values).values == checked.values
    assert min(checked.limits.depth, checked.limits.elements, checked.limits.size) > 0
    assert checked.namespace or DEFAULT_NAMESPACE


_NAME_WORDS = words(
    *(
        "persistent://",
        "non-persistent://",
        "/",
        ":",
        "?",
        "&",
        "=",
        ".",
        "%2E",
        "regex:",
        "multi:",
    ),
    *("consumerConfig", "receiverQueueSize", "deadLetterPolicy", "maxRedeliverCount", ","),
)
_PATTERN_WORDS = words(
    *(
        "\n",
        "(",
        ")",
        "(?:",
        "|",
        "*",
        "+",
        "?",
        "{2}",
        "{1,}",
        "[",
        "]",
        "^",
        "-",
        "\\",
        "\\d",
        ".",
    ),
    *("a", "aa", "a" * 30, "b", "(a|a)*b", "(a*)*", "é"),
)
_KEY_WORDS = words(
    *(
        '"consumerConfig"',
        '"producerConfig"',
        '"deadLetterPolicy"',
        '"maxRedeliverCount"',
        "{",
        "}",
    ),
    *('"touchstone.limits.maxDepth"', '"receiverQueueSize"', '"batcherBuilder"', '"jms.clientId"'),
    *(
        '"negativeAckRedeliveryBackoff"',
        '"multiplier"',
        ":",
        ",",
        "[",
        "]",
        '"true"',
        "null",
        "1e999",
    ),
)

TARGETS = (
    Target(
        "names-destination",
        "impl",
        _destination,
        (InvalidDestinationException, JMSException),
        _NAME_WORDS,
    ),
    Target("names-pattern", "impl", _pattern, (PatternError,), _PATTERN_WORDS),
    Target("names-dead-letter", "impl", _dead_letter, (ValueError,), _NAME_WORDS),
    Target("names-configuration", "impl", _configuration, (JMSException,), _KEY_WORDS),
)
