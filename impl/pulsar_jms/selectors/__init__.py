"""Message selectors: the language of JMS 2.0, section 3.8.1, parsed once and judged often."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from pulsar_jms.implements import implements
from pulsar_jms.selectors.evaluator import Condition, Values, condition
from pulsar_jms.selectors.parser import parse
from pulsar_jms.selectors.syntax import identifiers

__all__ = ["Selector"]


@dataclass(frozen=True, slots=True)
class Selector:
    """A condition on a message's properties and header fields."""

    text: str
    identifiers: frozenset[str] = field(compare=False)
    """The names whose values `matches` asks for, as they are written: case counts."""
    _condition: Condition = field(compare=False, repr=False)

    @classmethod
    @implements("JMS-SEL-002", "JMS-SEL-039")
    def parse(cls, text: str) -> Self:
        """The selector written in `text`; `InvalidSelectorException` says where it is wrong.

        The empty text selects every message (section 3.8.1.1); one of blanks is refused.
        """
        if not text:
            return cls(text, frozenset(), lambda _: True)
        expression = parse(text)
        return cls(text, identifiers(expression), condition(expression))

    @implements("JMS-SEL-018")
    def matches(self, values: Values) -> bool:
        """Whether the message selects: true, neither false nor unknown.

        `values` gives typed values by identifier; None, or nothing, is NULL. JMSDeliveryMode is
        the text PERSISTENT or NON_PERSISTENT (section 3.8.1.1).
        """
        return self._condition(values) is True
