"""Selectors compiled to closures: three-valued logic over typed values (JMS 2.0, section 3.8.1).

Every expression gives a value or None. None is NULL, and for a condition: unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jmsapi.values import PropertyValue
from pulsar_jms.implements import implements
from pulsar_jms.selectors import arithmetic
from pulsar_jms.selectors.like import like
from pulsar_jms.selectors.syntax import (
    And,
    Between,
    Calculation,
    Comparison,
    Expression,
    Identifier,
    In,
    IsNull,
    Like,
    Literal,
    Negative,
    Not,
    Operator,
    Or,
    Positive,
    Relation,
)

Values = Mapping[str, PropertyValue | None]
Evaluation = Callable[[Values], PropertyValue | None]
Condition = Callable[[Values], bool | None]

_CALCULATIONS: Mapping[Operator, arithmetic.Calculation] = {
    Operator.PLUS: arithmetic.plus,
    Operator.MINUS: arithmetic.minus,
    Operator.TIMES: arithmetic.times,
    Operator.DIVIDED_BY: arithmetic.divided,
    Operator.MODULO: arithmetic.modulo,
}
_RELATIONS: Mapping[Relation, arithmetic.Relation] = {
    Relation.EQUAL: arithmetic.equal,
    Relation.UNEQUAL: arithmetic.unequal,
    Relation.LESS: arithmetic.less,
    Relation.MORE: arithmetic.more,
    Relation.AT_MOST: arithmetic.at_most,
    Relation.AT_LEAST: arithmetic.at_least,
}


def condition(expression: Expression) -> Condition:
    """`expression` where a condition stands: a value that is no boolean counts as false there."""
    match expression:
        case Identifier(name):
            return _flag(name)
        case Comparison(left, relation, right):
            return _comparison(evaluation(left), _RELATIONS[relation], evaluation(right))
        case Between(operand, low, high, negated):
            return _between(evaluation(operand), evaluation(low), evaluation(high), negated)
        case In(Identifier(name), texts, negated):
            return _is_in(name, frozenset(texts), negated)
        case Like(operand, pattern, escape, negated):
            return _like(evaluation(operand), like(pattern, escape), negated)
        case IsNull(operand, negated):
            return _is_null(evaluation(operand), negated)
        case Not(opposite):
            return _not(condition(opposite))
        case And(conditions):
            return _junction(False, [condition(part) for part in conditions])
        case Or(conditions):
            return _junction(True, [condition(part) for part in conditions])
        case Literal(bool(truth)):
            return lambda _: truth
        case Literal() | Positive() | Negative() | Calculation():
            return lambda _: False


def evaluation(expression: Expression) -> Evaluation:
    """`expression` where a value stands."""
    match expression:
        case Literal(value):
            return lambda _: value
        case Identifier(name):
            return lambda values: values.get(name)
        case Positive(operand):
            return _sign(arithmetic.positive, evaluation(operand))
        case Negative(operand):
            return _sign(arithmetic.negative, evaluation(operand))
        case Calculation(first, rest):
            steps = [(_CALCULATIONS[sign], evaluation(operand)) for sign, operand in rest]
            return _calculation(evaluation(first), steps)
        case _:
            return condition(expression)


def _flag(name: str) -> Condition:
    def evaluate(values: Values) -> bool | None:
        value = values.get(name)
        return value if value is None or isinstance(value, bool) else False

    return evaluate


def _sign(
    sign: Callable[[PropertyValue | None], PropertyValue | None], operand: Evaluation
) -> Evaluation:
    return lambda values: sign(operand(values))


@implements("JMS-SEL-022")
def _calculation(
    first: Evaluation, steps: list[tuple[arithmetic.Calculation, Evaluation]]
) -> Evaluation:
    """Operators of one level, from left to right."""

    def evaluate(values: Values) -> PropertyValue | None:
        result = first(values)
        for calculate, operand in steps:
            if result is None:
                return None
            result = calculate(result, operand(values))
        return result

    return evaluate


def _comparison(left: Evaluation, relation: arithmetic.Relation, right: Evaluation) -> Condition:
    return lambda values: relation(left(values), right(values))


@implements("JMS-SEL-032")
def _between(operand: Evaluation, low: Evaluation, high: Evaluation, negated: bool) -> Condition:
    """As the specification explains it: x >= low AND x <= high; negated, x < low OR x > high."""
    beyond_low = _RELATIONS[Relation.LESS if negated else Relation.AT_LEAST]
    beyond_high = _RELATIONS[Relation.MORE if negated else Relation.AT_MOST]

    def evaluate(values: Values) -> bool | None:
        value = operand(values)
        first = beyond_low(value, low(values))
        if first is negated:
            return first
        second = beyond_high(value, high(values))
        return second if second is negated else None if first is None else second

    return evaluate


@implements("JMS-SEL-033")
def _is_in(name: str, texts: frozenset[str], negated: bool) -> Condition:
    """IN and NOT IN over a set of texts; unknown where the value is NULL."""

    def evaluate(values: Values) -> bool | None:
        value = values.get(name)
        return None if value is None else (value in texts) is not negated

    return evaluate


@implements("JMS-SEL-036")
def _like(operand: Evaluation, matches: Callable[[str], bool], negated: bool) -> Condition:
    """LIKE and NOT LIKE; unknown where the value is NULL."""

    def evaluate(values: Values) -> bool | None:
        value = operand(values)
        if value is None:
            return None
        return (isinstance(value, str) and matches(value)) is not negated

    return evaluate


@implements("JMS-SEL-037", "JMS-SEL-038")
def _is_null(operand: Evaluation, negated: bool) -> Condition:
    """IS NULL, and IS NOT NULL where negated; never unknown."""
    return lambda values: (operand(values) is None) is not negated


@implements("JMS-SEL-061..064")
def _not(opposite: Condition) -> Condition:
    """NOT in three-valued logic: unknown stays unknown."""

    def evaluate(values: Values) -> bool | None:
        truth = opposite(values)
        return None if truth is None else not truth

    return evaluate


@implements("JMS-SEL-041..060")
def _junction(decisive: bool, conditions: list[Condition]) -> Condition:
    """OR is decided by one that is true, AND by one that is false; else unknown prevails."""

    def evaluate(values: Values) -> bool | None:
        result: bool | None = not decisive
        for evaluate_one in conditions:
            truth = evaluate_one(values)
            if truth is decisive:
                return decisive
            if truth is None:
                result = None
        return result

    return evaluate
