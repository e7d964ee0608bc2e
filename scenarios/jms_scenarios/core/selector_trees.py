"""Selectors that are made up, with what each is for the properties of a message.

A tree carries its text and its meaning side by side, so nothing here reads selectors. It stays
within what every reading of the specification has in common: brackets around every operation,
operands of like types, whole numbers that do not run over, quotients of approximate numbers.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from jmsapi import Double

Properties = Mapping[str, object]
Truth = bool | None
"""None is unknown."""


class Condition(NamedTuple):
    """A condition."""

    text: str
    truth: Callable[[Properties], Truth]


class Number(NamedTuple):
    """An arithmetic expression; None is NULL."""

    text: str
    value: Callable[[Properties], int | float | None]


def negated(operand: Condition) -> Condition:
    """NOT."""

    def truth(properties: Properties) -> Truth:
        value = operand.truth(properties)
        return None if value is None else not value

    return Condition(f"NOT ({operand.text})", truth)


def both(left: Condition, right: Condition) -> Condition:
    """AND: false if either is, else unknown if either is."""

    def truth(properties: Properties) -> Truth:
        values = (left.truth(properties), right.truth(properties))
        return False if False in values else None if None in values else True

    return Condition(f"({left.text}) AND ({right.text})", truth)


def either(left: Condition, right: Condition) -> Condition:
    """OR: true if either is, else unknown if either is."""

    def truth(properties: Properties) -> Truth:
        values = (left.truth(properties), right.truth(properties))
        return True if True in values else None if None in values else False

    return Condition(f"({left.text}) OR ({right.text})", truth)


_COMPARED: Mapping[str, Callable[[int | float, int | float], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SUMMED: Mapping[str, Callable[[int | float, int | float], int | float]] = {
    "+": operator.add,
    "-": operator.sub,
}
_WORDS = ("a", "ab", "abc", "b", "a%c", "a_c", "")
_PATTERNS: Mapping[str, str] = {
    "'a%'": "a.*",
    "'_b%'": ".b.*",
    "'%c'": ".*c",
    "'a'": "a",
    "'a!%c' ESCAPE '!'": "a%c",
}
"""Regular expressions by pattern."""


def drawn_conditions(
    random: Random,
    count: int,
    make: Callable[[Random], Condition],
    messages: Mapping[str, Properties],
) -> dict[str, str]:
    """The names of the messages that `count` conditions choose, which are some and never all."""
    chosen_by: dict[str, str] = {}
    while len(chosen_by) < count:
        made = make(random)
        chosen = [name for name, values in messages.items() if made.truth(values) is True]
        if 0 < len(chosen) < len(messages):
            chosen_by[made.text] = " ".join(chosen)
    return chosen_by


def properties(random: Random) -> dict[str, object]:
    """Those of one message: whole numbers i and j, an approximate d, a text s, booleans f and g.

    About one in four is missing.
    """
    values: dict[str, object] = {
        "i": random.randint(-5, 5),
        "j": random.randint(0, 9),
        "d": Double(random.randint(-8, 8) / 2),
        "s": random.choice(_WORDS),
        "f": random.random() < 0.5,
        "g": random.random() < 0.5,
    }
    return {name: value for name, value in values.items() if random.random() < 0.75}


def number(random: Random, depth: int) -> Number:
    """An arithmetic expression of so many levels at most, with a property at its left end.

    It is never -0.0, which some take for less than 0.
    """
    if depth == 0 or random.random() < 0.2:
        return _property(random.choice("ijd"))
    form = random.random()
    if form < 0.15:
        whole = _property(random.choice("ij"))
        return Number(
            f"(-{whole.text})", lambda properties: _each(operator.neg, whole.value(properties))
        )
    if form < 0.3:
        halved = _property("d")
        return Number(
            f"({halved.text} / 2)", lambda properties: _each(_half, halved.value(properties))
        )
    left = number(random, depth - 1)
    if form < 0.5:
        factor = literal(random)
        return Number(
            f"({left.text} * {factor.text})",
            lambda properties: _each(
                operator.mul, left.value(properties), factor.value(properties)
            ),
        )
    right = random.choice((number(random, depth - 1), literal(random)))
    sign = random.choice(list(_SUMMED))
    return Number(
        f"({left.text} {sign} {right.text})",
        lambda properties: _each(_SUMMED[sign], left.value(properties), right.value(properties)),
    )


def literal(random: Random) -> Number:
    """A number above 0."""
    text = random.choice(("2", "3", "1.5", "4E0"))
    value = float(text) if set(text) & set(".E") else int(text)
    return Number(text, lambda properties: value)


def comparison(random: Random, depth: int) -> Condition:
    """An arithmetic expression and a literal, which is not NULL."""
    left, right = number(random, depth), literal(random)
    sign = random.choice(list(_COMPARED))
    return _leaf(f"{left.text} {sign} {right.text}", _COMPARED[sign], left.value, right.value)


def condition(random: Random, depth: int) -> Condition:
    """A condition of so many levels at most."""
    if depth == 0 or random.random() < 0.15:
        return random.choice(LEAVES)(random)
    if random.random() < 0.25:
        return negated(condition(random, depth - 1))
    joined = random.choice((both, either))
    return joined(condition(random, depth - 1), condition(random, depth - 1))


def logic(random: Random, depth: int, top: Callable[..., Condition]) -> Condition:
    """A tree of AND, OR and NOT over the booleans a, b and c, with `top` at its root."""
    if top is negated:
        return negated(_logic(random, depth))
    return top(_logic(random, depth), _logic(random, depth))


def _logic(random: Random, depth: int) -> Condition:
    if depth == 0:
        return _flag(random.choice("abc"))
    return logic(random, depth - 1, random.choice((both, either, negated)))


def _half(value: int | float) -> float:
    return value / 2


def _property(name: str) -> Number:
    def value(properties: Properties) -> int | float | None:
        held = properties.get(name)
        assert held is None or isinstance(held, int | float)
        return held

    return Number(name, value)


def _flag(name: str) -> Condition:
    def truth(properties: Properties) -> Truth:
        held = properties.get(name)
        return None if held is None else bool(held)

    return Condition(f"{name} = TRUE", truth)


def _each(function: Callable[..., int | float], *values: int | float | None) -> int | float | None:
    return None if None in values else function(*values)


def _leaf(text: str, holds: Callable[..., bool], *of: Callable[[Properties], object]) -> Condition:
    """A condition that is unknown where any value is NULL."""

    def truth(properties: Properties) -> Truth:
        values = [value(properties) for value in of]
        return None if None in values else holds(*values)

    return Condition(text, truth)


def _text(properties: Properties) -> object:
    return properties.get("s")


def _between(random: Random) -> Condition:
    tested, low = number(random, 1), random.randint(-4, 4)
    high, inverse = low + random.randint(0, 4), random.random() < 0.5
    word = "NOT BETWEEN" if inverse else "BETWEEN"
    return _leaf(
        f"{tested.text} {word} {low} AND {high}",
        lambda value: (low <= value <= high) != inverse,
        tested.value,
    )


def _listed(random: Random) -> Condition:
    words, inverse = random.sample(_WORDS, random.randint(1, 3)), random.random() < 0.5
    listed = ", ".join(f"'{word}'" for word in words)
    return _leaf(
        f"s {'NOT ' if inverse else ''}IN ({listed})",
        lambda value: (value in words) != inverse,
        _text,
    )


def _like(random: Random) -> Condition:
    pattern, inverse = random.choice(list(_PATTERNS)), random.random() < 0.5
    return _leaf(
        f"s {'NOT ' if inverse else ''}LIKE {pattern}",
        lambda value: (re.fullmatch(_PATTERNS[pattern], value) is not None) != inverse,
        _text,
    )


def _is_null(random: Random) -> Condition:
    name, inverse = random.choice("ijdsfg"), random.random() < 0.5
    word = "IS NOT NULL" if inverse else "IS NULL"
    return Condition(f"{name} {word}", lambda properties: (name not in properties) != inverse)


def _equal_text(random: Random) -> Condition:
    word, sign = random.choice(_WORDS), random.choice(("=", "<>"))
    return _leaf(f"s {sign} '{word}'", lambda value: (value == word) == (sign == "="), _text)


def _boolean(random: Random) -> Condition:
    name, form = random.choice("fg"), random.choice(("{}", "{} = TRUE", "{} <> FALSE"))
    return Condition(form.format(name), _flag(name).truth)


LEAVES: tuple[Callable[[Random], Condition], ...] = (
    lambda random: comparison(random, 1),
    _between,
    _listed,
    _like,
    _is_null,
    _equal_text,
    _boolean,
)
