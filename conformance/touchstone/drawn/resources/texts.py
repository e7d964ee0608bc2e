"""The selectors, names and client ids of such programs, the odd ones often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from jms_model.resources.arguments import NO_SELECTOR, Selector, Unique

CONDITIONS: Final = (
    "n = 1",
    "n = -9223372036854775807",
    "s LIKE 'a%'",
    "s = 'it''s'",
    "s = 'größe'",
    "s = '😀'",
    "b = TRUE AND n > 1",
    "n BETWEEN 1 AND 2",
    "s IN ('a', 'b')",
    "s IS NULL",
    "NOT (n = 1 OR s IS NOT NULL)",
    "JMSPriority >= 5",
    "  n  =  1  ",
    "s = 'NULL'",
    "s = ''",
)
"""Selectors."""
_CONSTANTS: Final = ("NULL", "TRUE", "FALSE", "null", "True", "fALSE")
_OPERATORS: Final = ("NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
_WORDS: Final = (*_OPERATORS, *map(str.lower, _OPERATORS), *map(str.capitalize, _OPERATORS))
_AS_CONSTANT: Final = (
    "{} IS NULL",
    "{} IS NOT NULL",
    "{} IN ('a')",
    "{} LIKE 'a'",
    "{} NOT LIKE 'a'",
    "n = 1 AND {} IN ('a', 'b')",
)
"""Where only an identifier may stand."""
_AS_WORD: Final = ("{} = 1", "1 = {}", "n = 1 AND {} = 2", "{} IS NULL", "{} IN ('a')", "({} > 1)")
_COMMENTED: Final = (
    "{} -- a comment",
    "{} /* a comment */",
    "/* a comment */ {}",
    "{} /**/",
    "{} -- a comment\n",
    "{} -- a comment\n AND n = 1",
)
_DAMAGED: Final = (
    "({}",
    "{})",
    "({}) AND",
    "OR ({})",
    "({}) AND AND (n = 1)",
    "({}) NOT",
    "({}) ({0})",
    "({}) AND n =",
    "({}) AND > 3",
    "({}) AND n = = 3",
    "({}) AND n + > 3",
    "({}) AND s IN ()",
    "({}) AND s IN ('a',)",
    "({}) AND n BETWEEN 1",
    "({}) AND s LIKE",
    "({}) AND s LIKE 5",
    "({}) AND s LIKE 'a!%' ESCAPE",
    "({}) AND s IS",
    "({}) AND s = 'a",
    "({}) AND ()",
)
"""What is done to a selector so that it is none."""


def _filled_patterns(
    patterns: Sequence[str], words: Sequence[str], id_: str
) -> SearchStrategy[Selector]:
    def fill(pattern: str, word: str) -> Selector:
        return Selector(pattern.replace("{0}", word).replace("{}", word), id_)

    return st.builds(fill, st.sampled_from(patterns), st.sampled_from(words))


VALID: Final = st.sampled_from([NO_SELECTOR, Selector(""), *map(Selector, CONDITIONS)])
MALFORMED: Final = st.one_of(
    _filled_patterns(_AS_CONSTANT, _CONSTANTS, "JMS-SEL-009"),
    _filled_patterns(_AS_WORD, _WORDS, "JMS-SEL-010"),
    _filled_patterns(_COMMENTED, CONDITIONS, "JMS-SEL-066"),
    _filled_patterns(_DAMAGED, CONDITIONS, "JMS-SEL-039"),
)
"""Texts that are no selectors, and the statement by which each is none."""
NAMES: Final = st.sampled_from(
    [
        Unique("d0"),
        Unique("d0"),
        Unique("d1"),
        Unique("d2", "é1_b.c-d"),
        Unique("d3", "Ω.-_9"),
        Unique("d4", "a", 128),
        Unique("d4", "b", 128),
    ]
)
"""Of subscriptions: letters, digits, underscore, dot and minus, up to 128 of them."""
CLIENT_IDS: Final[SearchStrategy[Unique | str | None]] = st.sampled_from(
    [
        *[Unique(label) for label in ("a", "a", "a", "b", "b", "c")],
        Unique("e", " größe"),
        Unique("f", "😀"),
        Unique("g", "/:*?'\"%&"),
        Unique("h", "null"),
        "",
        None,
    ]
)
NO_MODES: Final = (-1, 4711, 2**31 - 1, -(2**31))
"""Numbers that are no session mode."""
NAMES_OF: Final = {
    is_queue: [Unique(label), Unique(label), Unique(other), Unique(label, "A"), Unique(label, "a")]
    for is_queue, label, other in [(True, "queue0", "queue1"), (False, "topic0", "topic1")]
}
"""Of queues and of topics."""
OTHER_FORMS: Final = ("persistent://public/default/elsewhere", "elsewhere?durable=true", "a b", "")
"""Of names, where the call is refused whatever it is given."""
