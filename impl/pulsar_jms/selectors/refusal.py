"""Why and where a text is no selector, as a person reads it: the reason, the line, a caret."""

from __future__ import annotations

from collections.abc import Iterable

from jmsapi.errors import InvalidSelectorException

_SHOWN = 60
"""Characters of the line that are shown, with the place among them."""

_MISTAKES = {
    "--": "selectors have no comments; between two signs put a blank",
    "/*": "selectors have no comments",
    "!=": "unlike is written <>",
    "'": "the text that begins here has no closing quote",
    '"': "texts stand in single quotes, identifiers in none",
}
"""What people bring along from other languages, and begins nothing here."""
_OPERAND = frozenset(("IDENTIFIER", "TEXT", "EXACT", "APPROXIMATE", "TRUE", "FALSE", "LPAR"))
_CALCULATION = frozenset(("PLUS", "MINUS", "STAR", "SLASH", "PERCENT"))
_COMPARISON = frozenset(("EQUAL", "UNEQUAL", "LESS", "MORE", "AT_MOST", "AT_LEAST"))
_GROUPS = (
    (_OPERAND | {"PLUS", "MINUS"}, ("an identifier", "a literal", "(")),
    (_CALCULATION, ("a sign of calculation",)),
    (_COMPARISON, ("a sign of comparison",)),
)
_NAMES = {
    "$END": "the end",
    "TEXT": "a text in single quotes",
    "EQUAL": "=",
    "UNEQUAL": "<>",
    "LPAR": "(",
    "RPAR": ")",
    "COMMA": "a comma",
}


class SelectorRefusal(Exception):
    """The place, counted from 0, and the reason."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at
        self.why = why

    def exception(self, text: str) -> InvalidSelectorException:
        """What the application gets: the reason, the line concerned, a caret under the place."""
        begin = max(text.rfind("\n", 0, self.at) + 1, self.at - _SHOWN // 2)
        line = text[begin : begin + _SHOWN].split("\n")[0]
        place = "at its end" if self.at >= len(text) else f"at character {self.at + 1}"
        return InvalidSelectorException(
            f"The selector is refused {place}: {self.why}\n"
            f"  {''.join(c if c.isprintable() else ' ' for c in line)}\n"
            f"  {' ' * (self.at - begin)}^"
        )


def unexpected_character(text: str, at: int) -> SelectorRefusal:
    """A character with which nothing begins."""
    for form, advice in _MISTAKES.items():
        if text.startswith(form, at):
            return SelectorRefusal(at, advice)
    return SelectorRefusal(at, f"{text[at]!r} begins nothing that a selector knows")


def unexpected_word(text: str, at: int, accepted: Iterable[str]) -> SelectorRefusal:
    """A known word or sign, or the end, in a place where only `accepted` may stand."""
    if text.startswith("==", at - 1):
        return SelectorRefusal(at, "equal is written =")
    return SelectorRefusal(at, _expectation_text(set(accepted)))


def _expectation_text(accepted: set[str]) -> str:
    words: list[str] = []
    for group, description in _GROUPS:
        if group <= accepted:
            words += description
            accepted = accepted - group
    words += sorted(_NAMES.get(name, name) for name in accepted)
    *others, last = words
    return f"expected {', '.join(others)} or {last}" if others else f"expected {last}"
