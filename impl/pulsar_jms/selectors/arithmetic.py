"""Java's numbers in selectors: promotion, wrap-around, division, comparison.

The numeric type of a result is Java's: double, else float, else long, else int. None is NULL.
What no type has a value for (a text times two, an exact division by zero) is NULL, and a
comparison of unlike types is false (JMS 2.0, section 3.8.1.2).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

from jmsapi.errors import MessageFormatException
from jmsapi.values import Byte, Double, Float, Int, Long, PropertyValue, Short
from pulsar_jms.implements import implements

Calculation = Callable[[PropertyValue | None, PropertyValue | None], PropertyValue | None]
Relation = Callable[[PropertyValue | None, PropertyValue | None], bool | None]

_INT: Final = 0
_LONG: Final = 1
_FLOAT: Final = 2
_DOUBLE: Final = 3
_TEXT: Final = 4
_BOOLEAN: Final = 5


class _Ranks(dict[type, int]):
    """The rank of a value's class: Java's order of promotion, then what is no number."""

    def __missing__(self, kind: type) -> int:
        # A subclass, such as a text of an enumeration, counts as what it is made from.
        for parent in kind.__mro__[1:]:
            if parent in self:
                return self.setdefault(kind, self[parent])
        raise MessageFormatException(
            f"A {kind.__name__} cannot be judged by a selector: "
            "booleans, Java's numbers and texts can"
        )


_RANKS = _Ranks(
    {
        Byte: _INT,
        Short: _INT,
        Int: _INT,
        Long: _LONG,
        Float: _FLOAT,
        Double: _DOUBLE,
        str: _TEXT,
        bool: _BOOLEAN,
    }
)


@implements("JMS-SEL-024..029")
def _relation(compare: Callable[[Any, Any], bool], highest_rank: int) -> Relation:
    """A comparison of like values, up to the rank given; of unlike ones it is false."""
    ranks = _RANKS

    def relate(left: Any, right: Any) -> bool | None:
        if left is None or right is None:
            return None
        left_rank, right_rank = ranks[type(left)], ranks[type(right)]
        if left_rank == right_rank:
            return left_rank <= highest_rank and compare(left, right)
        if left_rank > _DOUBLE or right_rank > _DOUBLE:
            return False
        if left_rank > _LONG:
            right = _widened(right, right_rank, left_rank)
        elif right_rank > _LONG:
            left = _widened(left, left_rank, right_rank)
        return compare(left, right)

    return relate


def _widened(value: Any, rank: int, wider: int) -> Any:
    """`value` in the type of rank `wider`; Python's numbers need it from exact to approximate."""
    if rank > _LONG or wider < _FLOAT:
        return value
    return _single(value) if wider == _FLOAT else float(value)


def _single(number: int) -> float:
    """`number` as Java's float holds it, rounded once."""
    excess = number.bit_length() - 50
    if excess > 0:
        # A double would round too. Fifty bits survive it, the last telling of any lost.
        lost = number & ((1 << excess) - 1) != 0
        number = (number >> excess | lost) << excess
    return Float(float(number))


def _wrapped(value: int, rank: int) -> Int | Long:
    """The low bits of `value`, as Java keeps them."""
    kind: type[Int | Long] = Int if rank == _INT else Long
    bound = kind.BOUND
    if not -bound <= value < bound:
        value = (value + bound) % (2 * bound) - bound
    return int.__new__(kind, value)


@implements("JMS-SEL-031")
def _arithmetic(
    exact: Callable[[int, int], int | None], approximate: Callable[[float, float], float]
) -> Calculation:
    """An operation on numbers in the wider of the two types."""

    def calculate(left: Any, right: Any) -> PropertyValue | None:
        if left is None or right is None:
            return None
        left_rank, right_rank = _RANKS[type(left)], _RANKS[type(right)]
        rank = max(left_rank, right_rank)
        if rank > _DOUBLE:
            return None
        if rank <= _LONG:
            result = exact(left, right)
            return None if result is None else _wrapped(result, rank)
        kind = Float if rank == _FLOAT else Double
        return kind(approximate(_widened(left, left_rank, rank), _widened(right, right_rank, rank)))

    return calculate


def _quotient(dividend: int, divisor: int) -> int | None:
    """Towards zero, as Java; None for a division by zero, which Java refuses."""
    if divisor == 0:
        return None
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) is (divisor < 0) else -quotient


def _remainder(dividend: int, divisor: int) -> int | None:
    """With the sign of the dividend, as Java; None for a division by zero."""
    if divisor == 0:
        return None
    remainder = abs(dividend) % abs(divisor)
    return -remainder if dividend < 0 else remainder


def _approximate_quotient(dividend: float, divisor: float) -> float:
    if divisor != 0.0:
        return dividend / divisor
    if dividend == 0.0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, dividend) * math.copysign(1.0, divisor))


def _approximate_remainder(dividend: float, divisor: float) -> float:
    if divisor == 0.0 or math.isinf(dividend):
        return math.nan
    return math.fmod(dividend, divisor)


equal: Final = _relation(operator.eq, _BOOLEAN)
unequal: Final = _relation(operator.ne, _BOOLEAN)
less: Final = _relation(operator.lt, _DOUBLE)
more: Final = _relation(operator.gt, _DOUBLE)
at_most: Final = _relation(operator.le, _DOUBLE)
at_least: Final = _relation(operator.ge, _DOUBLE)

_sum: Final = _arithmetic(operator.add, operator.add)
minus: Final = _arithmetic(operator.sub, operator.sub)
times: Final = _arithmetic(operator.mul, operator.mul)
divided: Final = _arithmetic(_quotient, _approximate_quotient)
modulo: Final = _arithmetic(_remainder, _approximate_remainder)


def plus(left: PropertyValue | None, right: PropertyValue | None) -> PropertyValue | None:
    """The sum of two numbers, or two texts joined."""
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    return _sum(left, right)


def positive(value: PropertyValue | None) -> PropertyValue | None:
    """The number as it is; NULL for what is none."""
    return value if value is not None and _RANKS[type(value)] <= _DOUBLE else None


def negative(value: Any) -> PropertyValue | None:
    """The number with its sign turned; the smallest int and long stay, as in Java."""
    if value is None:
        return None
    rank = _RANKS[type(value)]
    if rank > _DOUBLE:
        return None
    if rank <= _LONG:
        return _wrapped(-value, rank)
    return Float(-value) if rank == _FLOAT else Double(-value)
