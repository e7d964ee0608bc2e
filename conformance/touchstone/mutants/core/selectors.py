"""Clients that break what the specification says of selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import InvalidSelectorException
from jmsapi.values import Byte, Double, Int, Long, PropertyValue, Short
from pulsar_jms.consuming import message_filter
from pulsar_jms.mapping.selectors import HEADER_VALUES, selector_of
from pulsar_jms.selectors import Selector, arithmetic, evaluator, parser
from pulsar_jms.selectors.evaluator import Condition, Evaluation, Values
from pulsar_jms.selectors.like import like
from pulsar_jms.selectors.syntax import Operator, Relation
from touchstone.mutants.consuming.selectors import (
    MALFORMED_SELECTOR_ACCEPTED,
    REJECTED_ALWAYS_ACKNOWLEDGED,
    REJECTED_NEVER_ACKNOWLEDGED,
)
from touchstone.mutants.registry import Mutant

_matches = Selector.matches
_NOTHING_IN_BRACKETS = re.compile(r"\s+(?:AND|OR)\s*\(\s*\)")
_LONG_ESCAPE = re.compile(r"(ESCAPE\s+'[^'])[^']+'")
_COMMENT = re.compile(r"--.*$|/\*.*?\*/", re.DOTALL | re.MULTILINE)


def _in_evaluator(name: str, wrong: object) -> Callable[[], AbstractContextManager[object]]:
    return partial(patch.object, evaluator, name, wrong)


def _related(
    relation: Relation, wrong: arithmetic.Relation
) -> Callable[[], AbstractContextManager[object]]:
    return partial(patch.dict, evaluator._RELATIONS, {relation: wrong})


def _selector_read(
    read: Callable[[str | None], Selector | None],
) -> Callable[[], AbstractContextManager[object]]:
    return partial(patch.object, message_filter, "selector_of", read)


def _two_valued_not(opposite: Condition) -> Condition:
    return lambda values: not opposite(values)


def _unknown_if_any(decisive: bool, conditions: list[Condition]) -> Condition:
    def evaluate(values: Values) -> bool | None:
        truths = [each(values) for each in conditions]
        return None if None in truths else decisive if decisive in truths else not decisive

    return evaluate


def _within_a_line(pattern: str, escape: str | None = None) -> Callable[[str], bool]:
    matches = like(pattern, escape)
    return lambda value: "\n" not in value and matches(value)


def _from_the_right(
    first: Evaluation, steps: list[tuple[arithmetic.Calculation, Evaluation]]
) -> Evaluation:
    def evaluate(values: Values) -> PropertyValue | None:
        *before, (calculate, last) = steps
        result = last(values)
        for earlier, operand in reversed(before):
            result = calculate(operand(values), result)
            calculate = earlier
        return calculate(first(values), result)

    return evaluate


def _unlike_is_unequal(left: Any, right: Any) -> bool | None:
    equal = arithmetic.equal(left, right)
    return None if equal is None else not equal


def _narrow_on_the_left_only(left: Any, right: Any) -> bool | None:
    narrow = (Byte, Short)
    if isinstance(right, narrow) and left is not None and not isinstance(left, narrow):
        return False
    return arithmetic.equal(left, right)


def _converted(left: Any, right: Any) -> bool | None:
    if isinstance(left, str) and isinstance(right, int) and left.isdigit():
        left = Int(int(left))
    return arithmetic.equal(left, right)


def _approximately(left: Any, right: Any) -> bool | None:
    if isinstance(left, int) and isinstance(right, int):
        return float(left) == float(right)
    return arithmetic.equal(left, right)


def _whatever_the_case(left: Any, right: Any) -> bool | None:
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    return arithmetic.equal(left, right)


def _missing_is_elsewhere(name: str, texts: frozenset[str], negated: bool) -> Condition:
    return lambda values: (values.get(name) in texts) is not negated


def _in_any_case(selector: Selector, values: Values) -> bool:
    lower = {key.lower(): key for key in values}
    asked = {each: values.get(lower.get(each.lower(), each)) for each in selector.identifiers}
    return _matches(selector, asked)


def _without_comments(text: str | None) -> Selector | None:
    return selector_of(None if text is None else _COMMENT.sub(" ", text))


def _without_empty_brackets(text: str | None) -> Selector | None:
    return selector_of(None if text is None else _NOTHING_IN_BRACKETS.sub("", text))


def _by_the_first_character(text: str | None) -> Selector | None:
    return selector_of(None if text is None else _LONG_ESCAPE.sub(r"\1'", text))


def _refusing_the_empty(text: str | None) -> Selector | None:
    if text == "":
        raise InvalidSelectorException("A selector has at least a character")
    return selector_of(text)


@contextmanager
def _expiration_can_be_selected() -> Iterator[None]:
    also: Mapping[str, object] = {
        "JMSExpiration": lambda message: Long(int(message.properties.get("JMSExpiration", "0")))
    }
    allowed = parser.REFUSED_HEADERS - {"JMSExpiration"}
    with (
        patch.object(parser, "REFUSED_HEADERS", allowed),
        patch.dict(HEADER_VALUES, also),
    ):
        yield


NOT_OF_UNKNOWN_IS_TRUE = Mutant(
    name="not-of-unknown-is-true",
    area="selectors",
    violates=("JMS-SEL-018", "JMS-SEL-027", "JMS-SEL-036", "JMS-SEL-061", "JMS-SEL-064"),
    doc="NOT knows two values: what is unknown counts as false.",
    apply=_in_evaluator("_not", _two_valued_not),
    scenarios="test_selectors",
)
UNKNOWN_PREVAILS = Mutant(
    name="unknown-prevails",
    area="selectors",
    violates=("JMS-SEL-041", "JMS-SEL-047", "JMS-SEL-049", "JMS-SEL-051", "JMS-SEL-054"),
    doc="AND and OR are unknown as soon as one side is.",
    apply=_in_evaluator("_junction", _unknown_if_any),
    scenarios="test_selectors",
)
LIKE_KEEPS_TO_A_LINE = Mutant(
    name="like-keeps-to-a-line",
    area="selectors",
    violates=("JMS-SEL-034",),
    doc="% of LIKE does not reach over a line end.",
    apply=_in_evaluator("like", _within_a_line),
)
ESCAPE_IGNORED = Mutant(
    name="escape-ignored",
    area="selectors",
    violates=("JMS-SEL-035",),
    doc="ESCAPE has no effect.",
    apply=_in_evaluator("like", lambda pattern, escape: like(pattern)),
)
DIVISION_IS_APPROXIMATE = Mutant(
    name="division-is-approximate",
    area="selectors",
    violates=("JMS-SEL-031",),
    doc="A quotient of whole numbers has a fraction.",
    apply=partial(
        patch.dict,
        evaluator._CALCULATIONS,
        {
            Operator.DIVIDED_BY: lambda left, right: arithmetic.divided(
                arithmetic.times(left, Double(1.0)), right
            )
        },
    ),
)
CALCULATED_FROM_THE_RIGHT = Mutant(
    name="calculated-from-the-right",
    area="selectors",
    violates=("JMS-SEL-022",),
    doc="Operators of one level are evaluated from right to left.",
    apply=_in_evaluator("_calculation", _from_the_right),
)
UNLIKE_TYPES_ARE_UNEQUAL = Mutant(
    name="unlike-types-are-unequal",
    area="selectors",
    violates=("JMS-SEL-025",),
    doc="<> of unlike types is true.",
    apply=_related(Relation.UNEQUAL, _unlike_is_unequal),
)
NARROW_NUMBERS_ARE_NOT_PROMOTED = Mutant(
    name="narrow-numbers-are-not-promoted",
    area="selectors",
    violates=("JMS-SEL-026",),
    doc="A byte or a short on the right of a wider number is unequal to it.",
    apply=_related(Relation.EQUAL, _narrow_on_the_left_only),
    scenarios="test_selectors",
)
TEXTS_ARE_CONVERTED = Mutant(
    name="texts-are-converted",
    area="selectors",
    violates=("JMS-SEL-012", "JMS-SEL-013"),
    doc="A text of digits is equal to a number.",
    apply=_related(Relation.EQUAL, _converted),
    scenarios="test_selectors",
)
LONGS_ARE_COMPARED_AS_DOUBLES = Mutant(
    name="longs-are-compared-as-doubles",
    area="selectors",
    violates=("JMS-SEL-005",),
    doc="Whole numbers that differ in their last bits are equal.",
    apply=_related(Relation.EQUAL, _approximately),
)
LETTER_CASE_OF_TEXTS_IGNORED = Mutant(
    name="letter-case-of-texts-ignored",
    area="selectors",
    violates=("JMS-SEL-029",),
    doc="'A' is equal to 'a'.",
    apply=_related(Relation.EQUAL, _whatever_the_case),
)
BETWEEN_EXCLUDES_ITS_ENDS = Mutant(
    name="between-excludes-its-ends",
    area="selectors",
    violates=("JMS-SEL-032",),
    doc="x BETWEEN 15 AND 19 is false for 15 and 19.",
    apply=partial(
        patch.dict,
        evaluator._RELATIONS,
        {Relation.AT_LEAST: arithmetic.more, Relation.AT_MOST: arithmetic.less},
    ),
)
MISSING_IS_NOT_IN = Mutant(
    name="missing-is-not-in",
    area="selectors",
    violates=("JMS-SEL-033",),
    doc="NOT IN is true of a property that is not there.",
    apply=_in_evaluator("_in", _missing_is_elsewhere),
)
LETTER_CASE_OF_IDENTIFIERS_IGNORED = Mutant(
    name="letter-case-of-identifiers-ignored",
    area="selectors",
    violates=("JMS-SEL-014",),
    doc="color finds the property Color.",
    apply=partial(patch.object, Selector, "matches", _in_any_case),
)
DELIVERY_MODE_IS_A_NUMBER = Mutant(
    name="delivery-mode-is-a-number",
    area="selectors",
    violates=("JMS-SEL-015", "JMS-SEL-065"),
    doc="JMSDeliveryMode in a selector is 1 or 2.",
    apply=partial(patch.dict, HEADER_VALUES, {"JMSDeliveryMode": lambda message: Int(2)}),
    scenarios="_in_selectors",
)
EXPIRATION_CAN_BE_SELECTED = Mutant(
    name="expiration-can-be-selected",
    area="selectors",
    violates=("JMS-SEL-015",),
    doc="JMSExpiration can be used in a selector.",
    apply=_expiration_can_be_selected,
)
WORDS_OF_THE_LANGUAGE_ARE_IDENTIFIERS = Mutant(
    name="words-of-the-language-are-identifiers",
    area="selectors",
    violates=("JMS-SEL-010",),
    doc="NOT, LIKE and the others can be identifiers.",
    apply=partial(patch.object, parser, "RESERVED", frozenset()),
)
MALFORMED_IS_NONE = Mutant(
    name="malformed-is-none",
    area="selectors",
    violates=("JMS-SEL-039",),
    doc="A malformed selector counts as none.",
    apply=MALFORMED_SELECTOR_ACCEPTED.apply,
)
EMPTY_BRACKETS_SKIPPED = Mutant(
    name="empty-brackets-skipped",
    area="selectors",
    violates=("JMS-SEL-039",),
    doc="AND or OR with nothing but brackets behind it is skipped.",
    apply=_selector_read(_without_empty_brackets),
    scenarios="malformed",
)
LONG_ESCAPE_TAKEN = Mutant(
    name="long-escape-taken",
    area="selectors",
    violates=("JMS-SEL-039",),
    doc="Of an ESCAPE of several characters the first is taken.",
    apply=_selector_read(_by_the_first_character),
    scenarios="malformed",
)
COMMENTS_SKIPPED = Mutant(
    name="comments-skipped",
    area="selectors",
    violates=("JMS-SEL-066",),
    doc="Comments of SQL are skipped.",
    apply=_selector_read(_without_comments),
)
EMPTY_SELECTOR_REFUSED = Mutant(
    name="empty-selector-refused",
    area="selectors",
    violates=("JMS-SEL-002",),
    doc="An empty selector is an error.",
    apply=_selector_read(_refusing_the_empty),
)
REJECTED_OF_A_QUEUE_LOST = Mutant(
    name="rejected-of-a-queue-lost",
    area="selectors",
    violates=("JMS-SEL-067",),
    doc="What a consumer's selector leaves on a queue is acknowledged, and so lost for others.",
    apply=REJECTED_ALWAYS_ACKNOWLEDGED.apply,
)
REJECTED_OF_A_TOPIC_KEPT = Mutant(
    name="rejected-of-a-topic-kept",
    area="selectors",
    violates=("JMS-SEL-068",),
    doc="What a subscription's selector leaves out is kept for the subscription.",
    apply=REJECTED_NEVER_ACKNOWLEDGED.apply,
)
