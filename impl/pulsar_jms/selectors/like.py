"""LIKE patterns: `_` is any one character, `%` any run of them, all else itself.

A pattern is cut at its `%` into pieces of fixed length. The first and the last stand at the
value's ends; each piece between is taken where it first occurs, and no choice is ever taken back.
So the work grows with the value's length: one pass, and where a piece holds `_` at most as many
as it has characters. A character is a code point.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pulsar_jms.implements import implements


class _Piece(NamedTuple):
    form: re.Pattern[str]
    length: int


@implements("JMS-SEL-034", "JMS-SEL-035")
def like(pattern: str, escape: str | None = None) -> Callable[[str], bool]:
    """Says of a value whether the whole of it has the form of `pattern`.

    `escape`, one character, makes a `_`, a `%` or an `escape` that follows it stand for itself;
    before anything else it has no effect, and is a character like any other.
    """
    first, *others = _pieces(pattern, escape)
    if not others:
        whole = first.form.fullmatch
        return lambda value: whole(value) is not None
    *middle, last = others
    searches = [piece.form.search for piece in middle if piece.length]
    begins, ends, shortest = first.form.match, last.form.match, first.length + last.length

    def matches(value: str) -> bool:
        end = len(value) - last.length
        if len(value) < shortest or begins(value) is None or ends(value, end) is None:
            return False
        at = first.length
        for search in searches:
            match = search(value, at, end)
            if match is None:
                return False
            at = match.end()
        return True

    return matches


def _pieces(pattern: str, escape: str | None) -> list[_Piece]:
    """The pieces between the `%` of `pattern`, one more than there are `%`."""
    pieces: list[list[str]] = [[]]
    at = 0
    while at < len(pattern):
        if pattern[at] == escape and pattern[at + 1 : at + 2] in ("_", "%", escape):
            at += 1
            pieces[-1].append(re.escape(pattern[at]))
        elif pattern[at] == "%":
            pieces.append([])
        else:
            pieces[-1].append("." if pattern[at] == "_" else re.escape(pattern[at]))
        at += 1
    return [_Piece(re.compile("".join(piece), re.DOTALL), len(piece)) for piece in pieces]
