"""Which selectors Pulsar's broker filter understands as this client does.

The filter evaluates ActiveMQ's dialect, and drops a message where that fails. Only a selector of
which it certainly rejects no message that the client would accept may be left to it; the client
checks what the filter lets pass anyway. See the table of selectors in DECISIONS.md.
"""

from __future__ import annotations

import re

from jmsapi.values import Float
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
    Or,
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
        and _shared(parse(text))
    )


def _shared(expression: Expression) -> bool:
    match expression:
        case And(conditions) | Or(conditions):
            return all(map(_shared, conditions))
        case Identifier() as identifier:
            return _is_shared_name(identifier)
        case Comparison(Identifier() as identifier, _, Literal() as value):
            return _is_shared_name(identifier) and _is_shared_value(value)
        case Comparison(Literal() as value, _, Identifier() as identifier):
            return _is_shared_name(identifier) and _is_shared_value(value)
        case Between(Identifier() as identifier, Literal() as low, Literal() as high, False):
            return _is_shared_name(identifier) and all(map(_is_shared_value, (low, high)))
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


def _is_shared_value(literal: Literal) -> bool:
    return not isinstance(literal.value, Float)
