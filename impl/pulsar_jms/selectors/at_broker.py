"""Which selectors Pulsar's broker filter understands as this client does.

The filter evaluates ActiveMQ's dialect, and drops a message where that fails. Only a selector of
which it certainly rejects no message that the client would accept may be left to it; the client
checks what the filter lets pass anyway. See the table of selectors in DECISIONS.md.
"""

from __future__ import annotations

import re
from math import copysign

from jmsapi.values import Double, Float
from pulsar_jms.selectors import Selector
from pulsar_jms.selectors.parser import parse
from pulsar_jms.selectors.syntax import (
    And,
    Between,
    Comparison,
    Expression,
    Identifier,
    In,
    IsNull,
    Like,
    Literal,
    LiteralValue,
    Or,
    Relation,
)

MAX_BYTES = 512
"""Of a selector: a consumer's metadata may have 1024 in all, by the broker's default."""

_HEADERS = frozenset(("JMSCorrelationID", "JMSType", "JMSPriority", "JMSDeliveryMode"))
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_TEXTS = re.compile(r"'[^']*+(?:''[^']*+)*+'")
_NUMBERS = re.compile(r"(?<![A-Za-z0-9_$.])[0-9.][A-Za-z0-9_$.]*")
_PLAIN_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")


def means_the_same(selector: Selector) -> bool:
    """Whether the broker's filter rejects nothing that the selector selects here."""
    text = selector.text
    return (
        0 < len(text.encode()) <= MAX_BYTES
        and all(map(_PLAIN_NUMBER.match, _NUMBERS.findall(_TEXTS.sub("", text))))
        and _is_shared(parse(text))
    )


def _is_shared(expression: Expression) -> bool:
    match expression:
        case And(conditions) | Or(conditions):
            return all(map(_is_shared, conditions))
        case Identifier() as identifier:
            return _is_shared_name(identifier)
        case Comparison(Identifier() as identifier, relation, Literal(value)):
            return _is_shared_name(identifier) and _is_shared_value(value, relation)
        case Comparison(Literal(str() | bool()), _, Identifier() as identifier):
            # A number in front is converted to the property's type, which fails for some.
            return _is_shared_name(identifier)
        case Between(Identifier() as identifier, Literal(low), Literal(high), False):
            return (
                _is_shared_name(identifier)
                and _is_shared_value(low, Relation.AT_LEAST)
                and _is_shared_value(high, Relation.AT_MOST)
            )
        case In(identifier, _, False) | Like(Identifier() as identifier, _, _, False):
            return _is_shared_name(identifier)
        case IsNull(Identifier() as identifier):
            return _is_shared_name(identifier)
    return False


def _is_shared_name(identifier: Identifier) -> bool:
    name = identifier.name
    return name in _HEADERS or (
        _NAME.match(name) is not None and not name.upper().startswith("JMS")
    )


def _is_shared_value(value: LiteralValue, relation: Relation) -> bool:
    """Whether a property is held against `value` as here: to the filter -0.0 is less than 0."""
    if isinstance(value, Float):
        return False
    if isinstance(value, Double) and not value and copysign(1, value) < 0:
        return False
    is_zero = not isinstance(value, str | bool) and not value
    return not (is_zero and relation in (Relation.EQUAL, Relation.AT_LEAST))
