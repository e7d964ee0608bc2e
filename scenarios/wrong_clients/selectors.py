"""Clients that are wrong about selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import InvalidSelectorException, Message
from jmsapi.values import Byte, Double, Int, Long, PropertyValue, Short
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming import message_filter, subscription_requests
from pulsar_jms.consuming.message_filter import ACCEPT_ALL, SERVER_SIDE, MessageFilter, filter_for
from pulsar_jms.mapping.selectors import HEADER_VALUES, FilterResult, selector_of
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.selectors import Selector, arithmetic, evaluator, parser
from pulsar_jms.selectors.evaluator import Condition, Evaluation, Values
from pulsar_jms.selectors.like import like
from pulsar_jms.selectors.syntax import Operator, Relation
from pulsar_jms.sessions import consumer_opening
from pulsar_jms.transport.transport_protocol import SubscriptionType

_NOTHING_IN_BRACKETS = re.compile(r"\s+(?:AND|OR)\s*\(\s*\)")
_LONG_ESCAPE = re.compile(r"(ESCAPE\s+'[^'])[^']+'")
_COMMENT = re.compile(r"--.*$|/\*.*?\*/", re.DOTALL | re.MULTILINE)


@wrong(
    "JMS-SEL-018",
    "JMS-SEL-027",
    "JMS-SEL-036",
    "JMS-SEL-061",
    "JMS-SEL-064",
    patches=(evaluator, "_not"),
    scenarios="test_selectors",
)
def not_of_unknown_is_true(opposite: Condition) -> Condition:
    """NOT knows two values: what is unknown counts as false."""
    return lambda values: not opposite(values)


@wrong(
    "JMS-SEL-041",
    "JMS-SEL-047",
    "JMS-SEL-049",
    "JMS-SEL-051",
    "JMS-SEL-054",
    patches=(evaluator, "_junction"),
    scenarios="test_selectors",
)
def unknown_prevails(decisive: bool, conditions: list[Condition]) -> Condition:
    """AND and OR are unknown as soon as one side is."""

    def evaluate(values: Values) -> bool | None:
        truths = [each(values) for each in conditions]
        return None if None in truths else decisive if decisive in truths else not decisive

    return evaluate


@wrong("JMS-SEL-034", patches=(evaluator, "like"))
def like_keeps_to_a_line(pattern: str, escape: str | None = None) -> Callable[[str], bool]:
    """% of LIKE does not reach over a line end."""
    matches = like(pattern, escape)
    return lambda value: "\n" not in value and matches(value)


@wrong("JMS-SEL-035", patches=(evaluator, "like"))
def escape_ignored(pattern: Any, escape: Any) -> Any:
    """ESCAPE has no effect."""
    return like(pattern)


@wrong("JMS-SEL-031", patches=(evaluator._CALCULATIONS, Operator.DIVIDED_BY))
def division_is_approximate(left: Any, right: Any) -> Any:
    """A quotient of whole numbers has a fraction."""
    return arithmetic.divided(arithmetic.times(left, Double(1.0)), right)


@wrong("JMS-SEL-022", patches=(evaluator, "_calculation"))
def calculated_from_the_right(
    first: Evaluation, steps: list[tuple[arithmetic.Calculation, Evaluation]]
) -> Evaluation:
    """Operators of one level are evaluated from right to left."""

    def evaluate(values: Values) -> PropertyValue | None:
        *before, (calculate, last) = steps
        result = last(values)
        for earlier, operand in reversed(before):
            result = calculate(operand(values), result)
            calculate = earlier
        return calculate(first(values), result)

    return evaluate


@wrong("JMS-SEL-025", patches=(evaluator._RELATIONS, Relation.UNEQUAL))
def unlike_types_are_unequal(left: Any, right: Any) -> bool | None:
    """<> of unlike types is true."""
    equal = arithmetic.equal(left, right)
    return None if equal is None else not equal


@wrong("JMS-SEL-026", patches=(evaluator._RELATIONS, Relation.EQUAL), scenarios="test_selectors")
def narrow_numbers_are_not_promoted(left: Any, right: Any) -> bool | None:
    """A byte or a short on the right of a wider number is unequal to it."""
    narrow = (Byte, Short)
    if isinstance(right, narrow) and left is not None and not isinstance(left, narrow):
        return False
    return arithmetic.equal(left, right)


@wrong(
    "JMS-SEL-012",
    "JMS-SEL-013",
    patches=(evaluator._RELATIONS, Relation.EQUAL),
    scenarios="test_selectors",
)
def texts_are_converted(left: Any, right: Any) -> bool | None:
    """A text of digits is equal to a number."""
    if isinstance(left, str) and isinstance(right, int) and left.isdigit():
        left = Int(int(left))
    return arithmetic.equal(left, right)


@wrong("JMS-SEL-005", patches=(evaluator._RELATIONS, Relation.EQUAL))
def longs_are_compared_as_doubles(left: Any, right: Any) -> bool | None:
    """Whole numbers that differ in their last bits are equal."""
    if isinstance(left, int) and isinstance(right, int):
        return float(left) == float(right)
    return arithmetic.equal(left, right)


@wrong("JMS-SEL-029", patches=(evaluator._RELATIONS, Relation.EQUAL))
def letter_case_of_texts_ignored(left: Any, right: Any) -> bool | None:
    """'A' is equal to 'a'."""
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    return arithmetic.equal(left, right)


@wrong("JMS-SEL-032")
def between_excludes_its_ends() -> AbstractContextManager[object]:
    """x BETWEEN 15 AND 19 is false for 15 and 19."""
    return patch.dict(
        evaluator._RELATIONS,
        {Relation.AT_LEAST: arithmetic.more, Relation.AT_MOST: arithmetic.less},
    )


@wrong("JMS-SEL-033", patches=(evaluator, "_is_in"))
def missing_is_not_in(name: str, texts: frozenset[str], negated: bool) -> Condition:
    """NOT IN is true of a property that is not there."""
    return lambda values: (values.get(name) in texts) is not negated


@wrong("JMS-SEL-014", patches=(Selector, "matches"))
def letter_case_of_identifiers_ignored(
    original: Callable[..., bool], selector: Selector, values: Values
) -> bool:
    """color finds the property Color."""
    lower = {key.lower(): key for key in values}
    asked = {each: values.get(lower.get(each.lower(), each)) for each in selector.identifiers}
    return original(selector, asked)


@wrong(
    "JMS-SEL-015",
    "JMS-SEL-065",
    patches=(HEADER_VALUES, "JMSDeliveryMode"),
    scenarios="_in_selectors",
)
def delivery_mode_is_a_number(message: Any) -> Any:
    """JMSDeliveryMode in a selector is 1 or 2."""
    return Int(2)


@wrong("JMS-SEL-015")
@contextmanager
def expiration_can_be_selected() -> Iterator[None]:
    """JMSExpiration can be used in a selector."""
    also: Mapping[str, object] = {
        "JMSExpiration": lambda message: Long(int(message.properties.get("JMSExpiration", "0")))
    }
    allowed = parser.REFUSED_HEADERS - {"JMSExpiration"}
    with (
        patch.object(parser, "REFUSED_HEADERS", allowed),
        patch.dict(HEADER_VALUES, also),
    ):
        yield


@wrong("JMS-SEL-010")
def words_of_the_language_are_identifiers() -> AbstractContextManager[object]:
    """NOT, LIKE and the others can be identifiers."""
    return patch.object(parser, "RESERVED", frozenset())


@wrong("JMS-SEL-039")
def malformed_is_none() -> AbstractContextManager[object]:
    """A malformed selector counts as none."""
    return malformed_selector_accepted.apply()


@wrong("JMS-SEL-039", patches=(message_filter, "selector_of"), scenarios="malformed")
def empty_brackets_skipped(text: str | None) -> Selector | None:
    """AND or OR with nothing but brackets behind it is skipped."""
    return selector_of(None if text is None else _NOTHING_IN_BRACKETS.sub("", text))


@wrong("JMS-SEL-039", patches=(message_filter, "selector_of"), scenarios="malformed")
def long_escape_taken(text: str | None) -> Selector | None:
    """Of an ESCAPE of several characters the first is taken."""
    return selector_of(None if text is None else _LONG_ESCAPE.sub(r"\1'", text))


@wrong("JMS-SEL-066", patches=(message_filter, "selector_of"))
def comments_skipped(text: str | None) -> Selector | None:
    """Comments of SQL are skipped."""
    return selector_of(None if text is None else _COMMENT.sub(" ", text))


@wrong("JMS-SEL-002", patches=(message_filter, "selector_of"))
def empty_selector_refused(text: str | None) -> Selector | None:
    """An empty selector is an error."""
    if text == "":
        raise InvalidSelectorException("A selector has at least a character")
    return selector_of(text)


@wrong("JMS-SEL-067")
def rejected_of_a_queue_lost() -> AbstractContextManager[object]:
    """What a consumer's selector leaves on a queue is acknowledged, and so lost for others."""
    return rejected_always_acknowledged.apply()


@wrong("JMS-SEL-068")
def rejected_of_a_topic_kept() -> AbstractContextManager[object]:
    """What a subscription's selector leaves out is kept for the subscription."""
    return rejected_never_acknowledged.apply()


@wrong("SLJ-SEL-002")
@contextmanager
def selected_before_the_broker() -> Iterator[None]:
    """What no consumer of the client selects is not even sent.

    A message that no selector of this client selects is not sent.
    """
    selectors: list[Selector] = []
    send = PulsarMessageProducer.send

    def noting(text: str | None) -> Selector | None:
        selector = selector_of(text)
        if selector is not None:
            selectors.append(selector)
        return selector

    def send_if_wanted(producer: PulsarMessageProducer, message: Message, **options: Any) -> None:
        values = {name: message.get_object_property(name) for name in message.property_names()}
        if not selectors or any(selector.matches(values) for selector in selectors):
            send(producer, message, **options)

    with (
        patch.object(message_filter, "selector_of", noting),
        patch.object(PulsarMessageProducer, "send", send_if_wanted),
    ):
        yield


@wrong("SLJ-SEL-001", "SLJ-SEL-005", "SLJ-SEL-006", patches=(message_filter, "selects"))
def selector_ignored(selector: Any, values: Any) -> bool:
    """A consumer with a selector gets every message."""
    return True


@wrong(
    "SLJ-SEL-004", "SLJ-SEL-009", "SLJ-REDL-004", patches=(message_filter, "result_for_rejected")
)
def rejected_always_acknowledged(kind: Any, always: Any = False) -> Any:
    """What a selector rejects is acknowledged on shared subscriptions too, and so lost."""
    return FilterResult.ACKNOWLEDGED


@wrong("SLJ-SEL-003", patches=(message_filter, "result_for_rejected"))
def rejected_never_acknowledged(kind: Any, always: Any = False) -> Any:
    """What a selector rejects stays in the backlog of exclusive subscriptions too."""
    return FilterResult.LEFT


@wrong("SLJ-SEL-007", patches=(message_filter, "selector_of"))
def malformed_selector_accepted(text: str | None) -> Selector | None:
    """A malformed selector counts as none."""
    try:
        return selector_of(text)
    except InvalidSelectorException:
        return None


@wrong("SLJ-SEL-006", patches=(evaluator, "_is_null"))
def null_never_seen(operand: Any, negated: Any) -> Any:
    """IS NULL is false for a property that is not there."""
    return lambda _: negated


class _Trusting(MessageFilter):
    """Has a selector to announce, and lets everything pass."""

    filter_result = ACCEPT_ALL.filter_result


@wrong("SLJ-SEL-008", patches=(consumer_opening, "filter_for"))
def filter_trusted(
    kind: ConsumerKind,
    subscription_type: SubscriptionType,
    settings: Settings,
    selector: str | None,
    not_from: str | None,
) -> MessageFilter:
    """The client delivers whatever a broker that filters sends."""
    message_filter = filter_for(kind, subscription_type, settings, selector, not_from)
    return (
        _Trusting(message_filter.selector) if settings.flag(SERVER_SIDE, False) else message_filter
    )


@wrong("SLJ-SEL-001", patches=(subscription_requests, "means_the_same"))
def every_selector_announced(selector: Any) -> bool:
    """The broker's filter gets selectors, too, that it cannot evaluate."""
    return True
